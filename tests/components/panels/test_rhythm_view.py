from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from analysis.bucket_table import Completeness
from analysis.rhythm import DAYS_A_WEEK, HOURS_A_DAY, Cell, Hour, Rhythm
from components.number_format import Formats
from contract import MetricKey

FORMATS, METRIC = Formats(), MetricKey.VISITORS_INSIDE


def week(cell: Cell) -> Rhythm:
    hours = [Hour(day, hour) for day in range(DAYS_A_WEEK) for hour in range(HOURS_A_DAY)]
    return Rhythm(dict.fromkeys(hours, cell), {})


KNOWN = week(Cell(5, Completeness(4, 4)))
SPOILT = week(Cell(None, Completeness(0, 4), spoilt=4))


def page_of(is_known: bool) -> None:
    from components.panels.rhythm_view import week_table  # noqa: PLC0415 - it runs the body of this function alone
    from tests.components.panels.test_rhythm_view import FORMATS, KNOWN, METRIC, SPOILT  # noqa: PLC0415 - as above

    week_table(KNOWN if is_known else SPOILT, METRIC, FORMATS)


@pytest.mark.parametrize(("is_known", "labels"), [(True, ["Table"]), (False, [])])
def test_a_week_of_which_nothing_can_be_told_has_no_empty_table(is_known: bool, labels: list[str]) -> None:
    test = AppTest.from_function(page_of, args=(is_known,)).run()
    assert not test.exception
    assert [one.label for one in test.expander] == labels
