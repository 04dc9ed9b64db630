"""A league as a table: a row for each place, those that are left out last, with why."""

from __future__ import annotations

from typing import Final

import pandas as pd

from analysis.league import League, Terms
from components.number_format import Formats
from components.sentences.league_words import (
    change_words,
    heading,
    in_column,
    left_out_words,
    minutes_words,
)
from components.tables.completeness import COUNTED as MINUTES_COUNTED
from components.tables.completeness import EXPECTED as MINUTES_EXPECTED

RANK: Final = "Rank"
CHANGE: Final = "Change"
COUNTED: Final = "Counted"
LEFT_OUT: Final = "Left out"


def league_file(found: League, terms: Terms, formats: Formats) -> pd.DataFrame:
    """As `league_table`; how much is counted of each place is numbers, missing where it is not told."""
    entries = [*(one.entry for one in found.ranked), *(one.entry for one in found.left_out)]
    told = [own.minutes if own and own.minutes.expected else (None, None) for own in entries]
    minutes = pd.DataFrame(told, columns=[MINUTES_COUNTED, MINUTES_EXPECTED], dtype="Int64")
    return league_table(found, terms, formats).drop(columns=COUNTED).join(minutes)


def league_table(found: League, terms: Terms, formats: Formats) -> pd.DataFrame:
    """Numbers in the units in which they are shown; missing is missing."""
    title = heading(terms)
    rows = [
        {
            RANK: one.rank,
            terms.noun.capitalize(): one.place.label,
            title: in_column(one.value, terms),
            f"{title}, before": in_column(one.earlier, terms),
            CHANGE: change_words(one, terms, formats),
            COUNTED: minutes_words(one.entry.minutes, formats),
            LEFT_OUT: "",
        }
        for one in found.ranked
    ] + [
        {
            RANK: None,
            terms.noun.capitalize(): one.place.label,
            title: None,
            f"{title}, before": None,
            CHANGE: "",
            COUNTED: minutes_words(one.entry.minutes, formats)
            if one.entry and one.entry.minutes.expected
            else "",
            LEFT_OUT: left_out_words(one, terms, formats),
        }
        for one in found.left_out
    ]
    table = pd.DataFrame(rows).astype({RANK: "Int64", title: "float64", f"{title}, before": "float64"})
    return table if found.left_out else table.drop(columns=LEFT_OUT)
