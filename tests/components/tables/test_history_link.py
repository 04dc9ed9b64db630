from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from dateutil.relativedelta import relativedelta

from analysis.comparison import Against, Comparison, other_range, step_back
from analysis.history_request import HistoryRequest
from analysis.subject import Subject, SubjectKind
from analysis.time_range import NamedRange, TimeRange, named_range, range_of_dates
from components.tables.history_link import fixed_parameters
from contract import MetricKey

ZURICH = ZoneInfo("Europe/Zurich")
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
RELATIVE = {"site": ["shop"], "zone": ["a", "b"], "compare": ["period"], "range": ["7d"], "from": []}
MOMENTS = ("2026-11-21T10:07", "2026-03-31T18:06", "2026-10-25T12:00", "2026-03-29T00:30", "2027-01-01T00:05")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZURICH).astimezone(UTC)


def request(range_: TimeRange, now: datetime) -> HistoryRequest:
    return HistoryRequest("shop", (SHOP,), (MetricKey.ENTRANCES,), range_, ZURICH, now)


@pytest.mark.parametrize("now", MOMENTS)
@pytest.mark.parametrize("comparison", [one for one in Comparison if one is not Comparison.DATE])
@pytest.mark.parametrize("named", list(NamedRange))
def test_a_fixed_link_shows_the_same_range_against_the_same_other(
    named: NamedRange, comparison: Comparison, now: str
) -> None:
    range_ = named_range(named, at(now), ZURICH)
    against = Against(comparison)
    step = step_back(against, range_, named, ZURICH)
    fixed = fixed_parameters(RELATIVE, request(range_, at(now)), against, step)
    assert fixed is not None
    first, last = (datetime.fromisoformat(fixed[end][0]) for end in ("from", "to"))
    assert range_of_dates(first, last, ZURICH) == range_
    assert fixed["zone"] == ["a", "b"]
    if step is None:
        return
    chosen = fixed.get("compare_from")
    reopened = Against(Comparison.DATE, date.fromisoformat(chosen[0])) if chosen else against
    again = step_back(reopened, range_, None, ZURICH)
    assert again is not None
    ranges = [other_range(range_, one, at("2028-01-01T00:00"), ZURICH) for one in (step, again)]
    assert ranges[0] == ranges[1]


def test_an_hour_that_came_twice_has_no_fixed_link() -> None:
    start, end = (datetime(2025, 10, 26, hour, 30, tzinfo=UTC) for hour in (0, 1))
    asked = request(TimeRange(start, end), end)
    assert fixed_parameters(RELATIVE, asked, Against(Comparison.NONE), None) is None


def test_a_month_of_dates_is_held_against_the_month_before() -> None:
    october = TimeRange(at("2026-10-01T00:00"), at("2026-11-01T00:00"))
    against = Against(Comparison.PERIOD)
    step = step_back(against, october, NamedRange.LAST_MONTH, ZURICH)
    assert step == relativedelta(months=1)
    fixed = fixed_parameters(RELATIVE, request(october, at("2026-11-21T10:00")), against, step)
    assert fixed is not None
    assert "compare_from" not in fixed
