"""What a mapping reads of a body, as a table: a row for each count."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.names import LONGEST_NAME, one_line
from components.number_format import NO_VALUE
from contract.administration import CountRead


def read_counts_table(counts: Sequence[CountRead]) -> pd.DataFrame:
    """Times as the counter tells them: the site in which it hangs is not known yet."""
    return pd.DataFrame([_row(one) for one in counts])


def _row(one: CountRead) -> dict[str, object]:
    return {
        "Serial": one_line(one.serial, LONGEST_NAME),
        "Line": one_line(one.line, LONGEST_NAME) or NO_VALUE,
        "Begin": _moment(one.start) if one.start else NO_VALUE,
        "End": _moment(one.end),
        "In": one.forward,
        "Out": one.backward,
    }


def _moment(told: str) -> str:
    return one_line(told.replace("T", " ", 1), LONGEST_NAME)
