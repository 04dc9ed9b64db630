"""The record of changes as a table: a row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Final

import pandas as pd

from analysis.names import LONGEST_NAME, one_line
from components.sentences.change_log_words import done_words, fields_words, who_words
from contract.administration import AuditShown

WHEN: Final = "When"
NUMBER: Final = "Number"
TEXTS: Final = ("Who", "What", "Of", "Before", "After")
"""Columns whose words are not ours."""
_LONGEST_SHOWN: Final = 600
"""Characters of what was before or after, on a page."""
_LONGEST_IN_FILE: Final = 30_000
"""A spreadsheet takes no more in a cell."""


def change_table(
    changes: Sequence[AuditShown], names: Mapping[str, str], timezone: tzinfo, *, is_file: bool = False
) -> pd.DataFrame:
    """`names` are those of sites and keys, by id; times local to `timezone`; a file has more."""
    longest = _LONGEST_IN_FILE if is_file else _LONGEST_SHOWN
    table = pd.DataFrame(
        [
            {
                WHEN: one.at,
                "Who": who_words(one),
                "What": done_words(one),
                "Of": one_line(names.get(one.target, one.target), LONGEST_NAME),
                "Before": fields_words(one.before, longest),
                "After": fields_words(one.after, longest),
                NUMBER: one.number,
            }
            for one in changes
        ],
        columns=[WHEN, *TEXTS, NUMBER],
    )
    table[WHEN] = pd.to_datetime(table[WHEN], utc=True).dt.tz_convert(timezone)
    return table
