"""The record of changes as a table: a row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Final

import pandas as pd

from analysis.names import LONGEST_NAME, one_line
from components.number_format import Formats
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
    changes: Sequence[AuditShown], names: Mapping[str, str], timezone: tzinfo, formats: Formats | None
) -> pd.DataFrame:
    """`names` are those of sites and keys, by id; times local to `timezone`.

    Without `formats` it is for a file: it has more, and all times there are ISO 8601 with an offset.
    """
    longest = _LONGEST_SHOWN if formats else _LONGEST_IN_FILE
    printed = formats.dated if formats else datetime.isoformat

    def write(moment: datetime) -> str:
        return printed(moment.astimezone(timezone))

    table = pd.DataFrame(
        [
            {
                WHEN: one.at,
                "Who": who_words(one),
                "What": done_words(one),
                "Of": one_line(names.get(one.target, one.target), LONGEST_NAME),
                "Before": fields_words(one.before, longest, write),
                "After": fields_words(one.after, longest, write),
                NUMBER: one.number,
            }
            for one in changes
        ],
        columns=[WHEN, *TEXTS, NUMBER],
    )
    table[WHEN] = pd.to_datetime(table[WHEN], utc=True).dt.tz_convert(timezone)
    return table
