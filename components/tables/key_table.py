"""The API keys of an organization, as a table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Final

import pandas as pd

from analysis.names import LONGEST_NAME, one_line
from components.number_format import NO_VALUE, Formats
from components.sentences.key_words import sites_words, state_words
from contract.administration import ListedKey

STATE: Final = "State"
MADE: Final = "Made"
LAST_USE: Final = "Last use"


_COLUMNS: Final = ("Name", "Scope", STATE, "Sites", LAST_USE, "From", MADE, "Id", "Used here")


def key_table(
    keys: Sequence[ListedKey],
    names: Mapping[str, str],
    own: Collection[str],
    *,
    now: datetime,
    timezone: tzinfo,
    formats: Formats,
) -> pd.DataFrame:
    """A row each; `names` are those of sites, by id; `own` are the ids of keys that this dashboard uses."""
    table = pd.DataFrame(
        [
            {
                "Name": one_line(key.name, LONGEST_NAME),
                "Scope": one_line(key.scope, LONGEST_NAME),
                STATE: state_words(key, now, timezone, formats),
                "Sites": sites_words(key, names),
                LAST_USE: key.last_used_at,
                "From": one_line(key.last_used_from or "", LONGEST_NAME) or NO_VALUE,
                MADE: key.created_at,
                "Id": one_line(key.id, LONGEST_NAME),
                "Used here": "by this dashboard" if key.id in own else NO_VALUE,
            }
            for key in keys
        ],
        columns=list(_COLUMNS),
    )
    for moments in (LAST_USE, MADE):
        table[moments] = pd.to_datetime(table[moments], utc=True).dt.tz_convert(timezone)
    return table
