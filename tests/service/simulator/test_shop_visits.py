from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from contract import Granularity, MetricKey
from service.open_store import open_store, store_url
from service.simulator.shop import PASSAGES, ROOMS, WHOLE
from service.simulator.shop_visits import OPEN_HOURS, SEED, ShopSimulation, visits_of
from service.store.protocol import BucketQuery, Organization, WriteMode
from tests.played_counts import played_counts

SATURDAY = date(2026, 11, 21)
CLOSING = OPEN_HOURS * 3600
NEIGHBOURS = {sides for one, other in PASSAGES.values() for sides in ((one, other), (other, one))}


def test_the_same_seed_and_date_give_the_same_visits() -> None:
    assert visits_of(SATURDAY, "headroom") == visits_of(SATURDAY, "headroom")


def test_another_seed_or_date_gives_other_visits() -> None:
    assert visits_of(SATURDAY, "headroom") != visits_of(SATURDAY, "other")
    assert visits_of(SATURDAY, "headroom") != visits_of(SATURDAY - timedelta(weeks=1), "headroom")


def test_nobody_visits_on_a_sunday() -> None:
    assert visits_of(SATURDAY + timedelta(days=1), "headroom") == []


def test_everyone_comes_after_opening_and_has_left_before_closing() -> None:
    for day in (SATURDAY - timedelta(days=offset) for offset in range(14)):
        for visit in visits_of(day, "headroom"):
            assert 0 <= visit.entered[0] < visit.left < CLOSING


def test_everyone_walks_through_doors_and_forward_in_time() -> None:
    for visit in visits_of(SATURDAY, "headroom"):
        seconds, left, entered = zip(*visit.crossings(), strict=True)
        assert list(seconds) == sorted(seconds)
        assert set(zip(left, entered, strict=True)) <= NEIGHBOURS
        assert (left[0], entered[-1]) == (None, None)


def test_arrivals_come_in_order() -> None:
    arrivals = [visit.entered[0] for visit in visits_of(SATURDAY, "headroom")]
    assert arrivals == sorted(arrivals)


A_DAY = 24 * 60


@pytest.fixture(scope="module")
def shop() -> ShopSimulation:
    return ShopSimulation("demo")


def occupancy(day: date) -> dict[str, list[int]]:
    """Zone -> people inside at the end of each minute from opening to closing.

    Counted by where each visitor is, not by crossings: what the store derives must come out the same.
    """
    changes = {zone: [0] * (OPEN_HOURS * 60) for zone in (WHOLE, *ROOMS)}
    for visit in visits_of(day, SEED):
        stays = zip(visit.rooms, visit.entered, (*visit.entered[1:], visit.left), strict=True)
        for zone, entered, left in (*stays, (WHOLE, visit.entered[0], visit.left)):
            changes[zone][entered // 60] += 1
            changes[zone][left // 60] -= 1
    return {zone: list(accumulate(change)) for zone, change in changes.items()}


def test_every_passage_counts_in_every_minute_also_at_night(shop: ShopSimulation) -> None:
    sunday = shop.opening_minute(SATURDAY + timedelta(days=1))
    counts = played_counts(shop, sunday, sunday + A_DAY)
    assert Counter(count.passage_id for count in counts) == dict.fromkeys(PASSAGES, A_DAY)


def test_a_sunday_is_counted_and_empty(shop: ShopSimulation) -> None:
    sunday = shop.opening_minute(SATURDAY + timedelta(days=1))
    assert {count[2:] for count in played_counts(shop, sunday, sunday + 11 * 60)} == {(0, 0)}


def test_a_range_is_the_same_however_it_is_cut(shop: ShopSimulation) -> None:
    first = shop.opening_minute(SATURDAY) - 10 * 60
    whole = played_counts(shop, first, first + 2 * A_DAY)
    pieces = [
        count
        for start in range(0, 2 * A_DAY, 480)
        for count in played_counts(shop, first + start, first + start + 480)
    ]
    assert pieces == whole


def test_second_by_second_the_running_minute_grows_to_the_whole_minute(shop: ShopSimulation) -> None:
    minute = shop.opening_minute(SATURDAY) + 6 * 60
    start = datetime.fromtimestamp(minute * 60, UTC)
    totals = [
        sum(count.forward + count.backward for count in shop.so_far(start + timedelta(seconds=second)))
        for second in range(60)
    ]
    assert totals == sorted(totals)
    assert totals[0] < totals[59]
    assert list(shop.so_far(start + timedelta(seconds=59))) == played_counts(shop, minute, minute + 1)


def test_saturdays_come_near_capacity_and_other_days_do_not(shop: ShopSimulation) -> None:
    capacity = shop.record.site.zones[0].capacity
    assert capacity is not None
    days = [SATURDAY - timedelta(days=offset) for offset in range(13 * 7)]
    fullest = {day: max(occupancy(day)[WHOLE]) / capacity for day in days}
    saturdays = [share for day, share in fullest.items() if day.weekday() == 5]
    assert sum(0.88 <= share <= 0.97 for share in saturdays) >= 10, "of thirteen"
    assert all(0.8 < share < 1.05 for share in saturdays)
    assert max(share for day, share in fullest.items() if day.weekday() != 5) < 0.7


def test_one_device_is_offline_and_both_kinds_are_there(shop: ShopSimulation) -> None:
    site = shop.record.site
    pads = [device for passage in site.passages for device in passage.devices]
    atmosphere = [device for zone in site.zones for device in zone.devices]
    assert pads
    assert atmosphere
    assert [device.id for device in (*pads, *atmosphere) if device.status == "Offline"] == [
        "shop-fitting-room-atmosphere"
    ]
    assert {device.status for device in (*pads, *atmosphere)} == {"Online", "Offline"}


def test_the_site_says_that_it_is_simulated(shop: ShopSimulation) -> None:
    assert (shop.record.site.category or "").startswith("Simulated: ")


def test_the_store_returns_the_true_occupancy_of_every_zone_and_minute(
    shop: ShopSimulation, tmp_path: Path
) -> None:
    store = open_store(store_url(tmp_path))
    try:
        store.catalogue.save(Organization("demo", "Demo"), [shop.record])
        opening = shop.opening_minute(SATURDAY)
        store.metrics.append(played_counts(shop, opening - A_DAY, opening + 660), WriteMode.SET)
        truth = occupancy(SATURDAY)
        for zone in (WHOLE, *ROOMS):
            query = BucketQuery(
                site_id="shop",
                metrics=(MetricKey.VISITORS_INSIDE,),
                start=datetime.fromtimestamp(opening * 60, UTC),
                end=datetime.fromtimestamp((opening + 660) * 60, UTC),
                granularity=Granularity.MINUTE,
                timezone=ZoneInfo("Europe/Zurich"),
                zone_ids=(zone,),
            )
            answered = [bucket.values[MetricKey.VISITORS_INSIDE] for bucket in store.metrics.buckets(query)]
            assert answered == truth[zone]
    finally:
        store.close()
