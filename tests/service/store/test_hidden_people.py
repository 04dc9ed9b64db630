"""What resets and the stop at 0 hid, against raw counts that are added up one by one by the local clock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from contract import Granularity, MetricKey
from service.store.hidden_people import MOST_COUNTS
from service.store.protocol import BucketQuery, CountSeries, HiddenPeople, PassageCount, Store, WriteMode
from tests.crowded_site import ORGANIZATION, crowded_counts, crowded_site
from tests.every_store import Opened

MOMENTS = [
    ("Europe/Zurich", "2025-03-30T01:00", 4),
    ("Europe/Zurich", "2025-03-30T01:00", 2),
    ("Europe/Zurich", "2025-10-26T01:00", 2),
    ("Australia/Lord_Howe", "2025-04-05T15:00", 1),
    ("Australia/Lord_Howe", "2025-10-04T15:30", 2),
    ("Asia/Kathmandu", "2025-02-28T18:15", 0),
    ("America/St_Johns", "2011-03-13T03:31", 1),
    ("America/St_Johns", "2025-11-02T04:30", 23),
    ("Asia/Beirut", "2025-03-29T22:00", 0),
]
"""A time zone, a change of its clocks, and the hour of the reset. St. John's changed at 00:01."""
WAYS: Mapping[str, Mapping[str, int]] = {
    "whole": {"north": 1, "south": -1},
    "hall": {"north": 1, "arch": -1, "stairs": 1},
    "cafe": {"arch": 1, "south": -1},
    "loft": {"stairs": -1},
}
"""Zone -> which way its passages lead: 1, forward is an entrance; -1, backward is."""


def added_up(
    counts: Sequence[PassageCount], zone: str, timezone: ZoneInfo, reset_hour: int, end: datetime
) -> dict[date, tuple[int, int]]:
    """Local date of the reset at which a count began -> left over, people added."""
    changes: defaultdict[int, int] = defaultdict(int)
    for count in counts:
        if (way := WAYS[zone].get(count.passage_id)) is not None:
            changes[count.minute] += way * (count.forward - count.backward)
    found: dict[date, tuple[int, int]] = {}
    for minute in sorted(changes):
        moment = datetime.fromtimestamp(60 * minute, UTC)
        if moment >= end:
            break
        local = moment.astimezone(timezone)
        day = local.date() - timedelta(days=local.hour < reset_hour)
        inside, added = found.get(day, (0, 0))
        inside += changes[minute]
        found[day] = (max(inside, 0), added + max(-inside, 0))
    return found


def asked(
    zones: Sequence[str], start: datetime, end: datetime, timezone: str = "Europe/Zurich"
) -> BucketQuery:
    return BucketQuery(
        site_id="crowded",
        metrics=(MetricKey.VISITORS_INSIDE,),
        start=start,
        end=end,
        granularity=Granularity.HOUR,
        timezone=ZoneInfo(timezone),
        zone_ids=zones,
    )


def told(found: Sequence[HiddenPeople], timezone: ZoneInfo) -> dict[date, tuple[int, int]]:
    return {one.since.astimezone(timezone).date(): (one.left_over, one.unentered) for one in found}


def totals(days: Sequence[Mapping[date, tuple[int, int]]]) -> dict[date, tuple[int, int]]:
    return {
        day: tuple(np.sum([own[day] for own in days if day in own], axis=0).tolist())
        for day in {day for own in days for day in own}
    }


@pytest.mark.parametrize(("timezone", "moment", "reset_hour"), MOMENTS)
def test_each_count_hides_what_its_counts_add_up_to(
    opened: Opened, timezone: str, moment: str, reset_hour: int
) -> None:
    zone = ZoneInfo(timezone)
    change = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    minute = int(change.timestamp()) // 60
    counts = crowded_counts(minute - 2200, minute + 2300, seed=minute + reset_hour, share=0.3)
    store = opened()
    store.catalogue.save(ORGANIZATION, [crowded_site(timezone, reset_hour=reset_hour)])
    store.metrics.append(counts, WriteMode.SET)
    ends = [timedelta(days=3), timedelta(minutes=1), timedelta(minutes=7, seconds=20), timedelta(hours=23)]
    for end in (change + offset for offset in ends):
        expected = [added_up(counts, name, zone, reset_hour, _ceiling(end)) for name in WAYS]
        for name, own in zip(WAYS, expected, strict=True):
            found = store.metrics.hidden(asked([name], change - timedelta(days=4), end, timezone))
            assert told(found, zone) == own
            assert any(left for left, _ in own.values()) or any(added for _, added in own.values())
        summed = store.metrics.hidden(asked(list(WAYS), change - timedelta(days=4), end, timezone))
        assert told(summed, zone) == totals(expected)
        assert {one.is_reset for one in summed[:-1]} <= {True}


def _ceiling(moment: datetime) -> datetime:
    whole = moment.replace(second=0)
    return whole if whole == moment else whole + timedelta(minutes=1)


NOON = datetime(2025, 6, 2, 10, tzinfo=UTC)
RESET = datetime(2025, 6, 3, 2, tzinfo=UTC)
"""04:00 in Zurich."""


def crossing(moment: datetime, forward: int, backward: int = 0) -> PassageCount:
    return PassageCount("north", int(moment.timestamp()) // 60, forward, backward)


@pytest.fixture
def store(opened: Opened) -> Store:
    store = opened()
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    return store


def of_day(store: Store) -> list[tuple[int, int]]:
    found = store.metrics.hidden(asked((), NOON, RESET))
    return [(one.left_over, one.unentered) for one in found]


def test_a_late_count_changes_what_was_hidden(store: Store) -> None:
    store.metrics.append([crossing(NOON, 0, 5), crossing(NOON + timedelta(hours=1), 7)], WriteMode.SET)
    assert of_day(store) == [(7, 5)]
    store.metrics.append([crossing(NOON - timedelta(minutes=1), 3)], WriteMode.ADD)
    assert of_day(store) == [(7, 2)]
    store.metrics.append([crossing(RESET - timedelta(minutes=1), 0, 4)], WriteMode.ADD)
    assert of_day(store) == [(3, 2)]


def test_a_day_that_is_imported_twice_hides_the_same(store: Store) -> None:
    minutes = np.arange(200, dtype=np.int64) + int(NOON.timestamp()) // 60
    day = CountSeries("north", minutes, minutes % 3, minutes % 5 // 2)
    store.metrics.append_series([day])
    first = of_day(store)
    store.metrics.append_series([day])
    assert of_day(store) == first != [(0, 0)]


def test_another_reset_hour_makes_other_counts_of_the_same_counts(store: Store) -> None:
    store.metrics.append([crossing(NOON, 9), crossing(NOON + timedelta(hours=3), 0, 9)], WriteMode.SET)
    assert of_day(store) == [(0, 0)]
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich", reset_hour=14)])
    whole = store.metrics.hidden(asked((), NOON, RESET))
    assert [(one.is_reset, one.left_over, one.unentered) for one in whole] == [(True, 9, 0), (False, 0, 9)]


def test_a_count_is_told_whole_and_one_that_goes_on_has_no_reset(store: Store) -> None:
    store.metrics.append([crossing(NOON, 0, 5), crossing(NOON + timedelta(hours=1), 7)], WriteMode.SET)
    late = store.metrics.hidden(asked((), NOON + timedelta(hours=2), RESET))
    assert [(one.is_reset, one.left_over, one.unentered) for one in late] == [(True, 7, 5)]
    (early,) = store.metrics.hidden(asked((), NOON - timedelta(hours=2), NOON + timedelta(minutes=30)))
    assert early == HiddenPeople(
        RESET - timedelta(days=1), NOON + timedelta(minutes=30), is_reset=False, left_over=0, unentered=5
    )


def test_what_is_not_counted_or_too_much_to_tell_is_not_told(store: Store) -> None:
    store.metrics.append([crossing(NOON, 0, 5)], WriteMode.SET)
    day = timedelta(days=1)
    assert store.metrics.hidden(asked((), RESET, RESET + day)) == []
    assert store.metrics.hidden(asked((), NOON, NOON)) == []
    assert store.metrics.hidden(asked(["gone"], NOON, RESET)) == []
    begin = RESET.astimezone(ZoneInfo("Europe/Zurich")) - MOST_COUNTS * day  # over a change of the clocks
    assert len(store.metrics.hidden(asked((), begin, RESET))) == 1
    assert store.metrics.hidden(asked((), begin, RESET + day)) == []
    midnight = RESET.astimezone(ZoneInfo("Europe/Zurich")).replace(hour=0)
    assert len(store.metrics.hidden(asked((), begin.replace(hour=0), midnight))) == 1
    quarter = (RESET - MOST_COUNTS // 4 * day, RESET)
    assert len(store.metrics.hidden(asked(list(WAYS), *quarter))) == 1
    assert store.metrics.hidden(asked(list(WAYS), quarter[0] - day, quarter[1])) == []
