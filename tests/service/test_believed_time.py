from __future__ import annotations

from datetime import UTC, datetime, timedelta

from service.believed_time import BelievedTime

NOW = datetime(2026, 3, 28, 10, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def test_a_right_clock_is_followed() -> None:
    assert BelievedTime(NOW).after(HOUR, NOW + HOUR).at == NOW + HOUR


def test_a_clock_that_is_years_ahead_for_a_day_makes_a_day_of_difference() -> None:
    ahead, believed = timedelta(days=1500), BelievedTime(NOW)
    for hour in range(24):
        believed = believed.after(HOUR, NOW + ahead + hour * HOUR)
    assert believed.present(NOW + ahead + DAY) == NOW + 2 * DAY
    # Then it is right: what was believed too much is waited for.
    believed = believed.after(HOUR, NOW + DAY + HOUR)
    assert believed.present(NOW + DAY + HOUR) == NOW + DAY + HOUR


def test_an_outage_is_caught_up_with() -> None:
    outage, believed = timedelta(days=30), BelievedTime(NOW)
    for day in range(1, 31):
        believed = believed.after(DAY, NOW + outage + day * DAY)
        assert believed.at < NOW + outage + day * DAY or day == 30
    assert believed.at == NOW + outage + 30 * DAY


def test_a_clock_that_begins_in_1970_loses_nothing_and_is_not_gone_by() -> None:
    begin = datetime(1970, 1, 1, tzinfo=UTC)
    believed = BelievedTime(NOW).after(HOUR, begin + HOUR)
    assert believed.present(begin + HOUR) == begin + HOUR
    assert believed.after(HOUR, NOW + 2 * HOUR).at == NOW + 2 * HOUR


def test_a_time_that_was_noted_by_a_wrong_clock_is_taken_back_after_a_day() -> None:
    believed = BelievedTime(NOW + timedelta(days=1500))
    for hour in range(1, 25):
        assert believed.at > NOW + DAY
        believed = believed.after(HOUR, NOW + hour * HOUR)
    assert believed.at == NOW + DAY
