from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from contract import Passage, Site, Zone
from service.store.protocol import SiteRecord
from service.store.topology import Flow, Topology, derives_alike, reset_minutes, topology

PASSAGES = (
    Passage(id="in", name="", to_zone_id="hall"),
    Passage(id="out", name="", from_zone_id="cafe"),
    Passage(id="arch", name="", from_zone_id="hall", to_zone_id="cafe"),
    Passage(id="adrift", name=""),
    Passage(id="gallery", name="", from_zone_id="whole", to_zone_id="hall"),
)
NUMBERS = {"in": 1, "out": 2, "arch": 3, "adrift": 4, "gallery": 5}


def site(**changes: object) -> SiteRecord:
    zones = tuple(Zone(id=name, name=name) for name in ("whole", "hall", "cafe"))
    made = Site(id="s", name="S", timezone="Europe/Zurich", zones=zones, passages=PASSAGES)
    return SiteRecord(made.model_copy(update=changes), "whole")


def plan() -> Topology:
    return topology(site(), {"whole": 1, "hall": 2, "cafe": 3}, NUMBERS)


def test_the_top_zone_is_entered_through_passages_with_exactly_one_outside_end() -> None:
    assert plan().flows["whole"] == (Flow(1, forward_enters=True), Flow(2, forward_enters=False))


def test_another_zone_is_entered_forward_into_it_and_backward_out_of_it() -> None:
    assert plan().flows["hall"] == (
        Flow(1, forward_enters=True),
        Flow(3, forward_enters=False),
        Flow(5, forward_enters=True),
    )
    assert plan().flows["cafe"] == (Flow(2, forward_enters=False), Flow(3, forward_enters=True))


def test_passages_without_zones_count_inwards_and_inner_ones_forward() -> None:
    flows = plan().flows_of_passages(["in", "out", "arch"], [])
    assert flows == [
        Flow(1, forward_enters=True),
        Flow(2, forward_enters=False),
        Flow(3, forward_enters=True),
    ]


def test_passages_with_zones_count_into_those_zones_only() -> None:
    assert plan().flows_of_passages(["in", "arch"], ["cafe"]) == [Flow(3, forward_enters=True)]
    assert plan().flows_of_passages(["in"], ["whole", "hall"]) == [Flow(1, forward_enters=True)] * 2


def test_no_zone_named_means_the_top_zone_and_a_zone_named_twice_counts_once() -> None:
    assert plan().asked_zones([]) == ("whole",)
    assert plan().asked_zones(["cafe", "hall", "cafe"]) == ("cafe", "hall")


def test_a_passage_feeds_both_its_zones_and_the_top_zone_from_outside() -> None:
    assert plan().zones_fed_by([1]) == ["whole", "hall"]
    assert plan().zones_fed_by([3]) == ["hall", "cafe"]
    assert plan().zones_fed_by([4]) == []


def test_a_new_name_derives_alike_and_a_new_topology_does_not() -> None:
    assert derives_alike(site(), site(name="Another"))
    assert not derives_alike(site(), site(timezone="Etc/UTC"))
    assert not derives_alike(site(), site(passages=PASSAGES[:2]))
    assert not derives_alike(site(), SiteRecord(site().site, "whole", daily_reset_hour=5))
    assert not derives_alike(site(), SiteRecord(site().site, "hall"))


def minute(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) // 60


def texts(minutes: list[int]) -> list[str]:
    return [datetime.fromtimestamp(value * 60, UTC).strftime("%Y-%m-%dT%H:%M") for value in minutes]


@pytest.mark.parametrize(
    ("timezone", "hour", "first", "last", "expected"),
    [
        ("Etc/UTC", 4, "2025-06-02T10:00", "2025-06-02T10:00", ["2025-06-02T04:00", "2025-06-03T04:00"]),
        ("Etc/UTC", 4, "2025-06-02T04:00", "2025-06-03T03:59", ["2025-06-02T04:00", "2025-06-03T04:00"]),
        (
            "Etc/UTC",
            4,
            "2025-06-02T03:59",
            "2025-06-03T04:00",
            ["2025-06-01T04:00", "2025-06-02T04:00", "2025-06-03T04:00", "2025-06-04T04:00"],
        ),
        # 23 hours from reset to reset when the clocks go forward, 25 when they go back
        (
            "Europe/Zurich",
            4,
            "2025-03-29T12:00",
            "2025-03-30T12:00",
            ["2025-03-29T03:00", "2025-03-30T02:00", "2025-03-31T02:00"],
        ),
        (
            "Europe/Zurich",
            4,
            "2025-10-25T12:00",
            "2025-10-26T12:00",
            ["2025-10-25T02:00", "2025-10-26T03:00", "2025-10-27T03:00"],
        ),
        # the skipped hour resets at the change, the repeated one the first time
        (
            "Europe/Zurich",
            2,
            "2025-03-30T01:00",
            "2025-03-30T01:00",
            ["2025-03-30T01:00", "2025-03-31T00:00"],
        ),
        # also where the change is not on that hour, or skips two of them
        (
            "Pacific/Chatham",
            3,
            "2026-09-26T14:00",
            "2026-09-26T14:00",
            ["2026-09-26T14:00", "2026-09-27T13:15"],
        ),
        (
            "Antarctica/Troll",
            2,
            "2026-03-29T01:00",
            "2026-03-29T01:00",
            ["2026-03-29T01:00", "2026-03-30T00:00"],
        ),
        (
            "Europe/Zurich",
            2,
            "2025-10-26T01:30",
            "2025-10-26T01:30",
            ["2025-10-26T00:00", "2025-10-27T01:00"],
        ),
        (
            "Asia/Kathmandu",
            0,
            "2025-06-02T18:15",
            "2025-06-02T18:15",
            ["2025-06-02T18:15", "2025-06-03T18:15"],
        ),
        (
            "Pacific/Kiritimati",
            4,
            "2025-06-02T13:59",
            "2025-06-02T13:59",
            ["2025-06-01T14:00", "2025-06-02T14:00"],
        ),
        (
            "Pacific/Pago_Pago",
            23,
            "2025-06-02T09:59",
            "2025-06-02T09:59",
            ["2025-06-01T10:00", "2025-06-02T10:00"],
        ),
    ],
)
def test_resets_reach_from_the_one_before_to_the_one_after(
    timezone: str, hour: int, first: str, last: str, expected: list[str]
) -> None:
    assert texts(reset_minutes(minute(first), minute(last), ZoneInfo(timezone), hour)) == expected
