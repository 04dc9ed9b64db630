from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import pytest

from contract import Granularity, MetricKey
from service.sensors import taking
from service.sensors.counting import Outcome
from service.sensors.taking import go_on, place, take
from service.sensors.told_count import Kind, Report, ReportError, ToldCount
from service.store import unplaced_lines, waiting_reports
from service.store.audit_protocol import SERVICE_ITSELF
from service.store.errors import UnknownPassageError, WaitingListFullError
from service.store.protocol import BucketQuery, SiteRecord, Store
from service.store.sensor_protocol import Placement, SensorLine
from tests.every_store import Opened
from tests.small_site import ORGANIZATION, OTHER_ORGANIZATION, OTHER_SITE, SITE

NINE: Final = datetime(2026, 3, 28, 9, tzinfo=UTC)
QUARTER: Final = timedelta(minutes=15)
MINUTE: Final = timedelta(minutes=1)
ENTRANCE: Final = Placement("entrance", is_swapped=False)
COUNTED, WAITING, DUPLICATE = Outcome.COUNTED, Outcome.WAITING, Outcome.DUPLICATE


@pytest.fixture
def store(opened: Opened) -> Store:
    store = opened()
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop")])
    store.catalogue.save(OTHER_ORGANIZATION, [SiteRecord(OTHER_SITE, "everything")])
    return store


def interval(end: datetime, forward: int, backward: int = 0, *, line: str = "1") -> ToldCount:
    start = end - QUARTER
    return ToldCount("S-1", line, Kind.INTERVAL, start, end, forward, backward, start.isoformat())


def total(at: datetime, forward: int, backward: int = 0, since: str = "") -> ToldCount:
    return ToldCount("S-1", "1", Kind.CUMULATIVE, None, at, forward, backward, at.isoformat(), since)


def taken(store: Store, *told: ToldCount, arrived: datetime | None = None) -> Mapping[Outcome, int]:
    with store.sensors.writing() as rows:
        at = arrived or told[-1].end + timedelta(seconds=5)
        return take(rows, ORGANIZATION.id, "maker", Report(told), at)


def placed(store: Store, placement: Placement | None = ENTRANCE) -> Mapping[Outcome, int]:
    [line] = store.sensors.lines(ORGANIZATION.id)
    with store.sensors.writing() as rows:
        return place(rows, line, placement)


def gone_on(store: Store) -> Mapping[Outcome, int]:
    with store.sensors.writing() as rows:
        return go_on(rows, the_line(store).number)


def the_line(store: Store) -> SensorLine:
    [line] = store.sensors.lines(ORGANIZATION.id)
    return line


def crossed(
    store: Store, metric: MetricKey = MetricKey.ENTRANCES, passage: str = "entrance"
) -> dict[str, float]:
    """By the minute of the day, those that have a count."""
    asked = BucketQuery(
        SITE.id, (metric,), NINE - timedelta(days=40), NINE + timedelta(days=9), Granularity.MINUTE,
        ZoneInfo("UTC"), passage_ids=(passage,),
    )  # fmt: skip
    return {f"{one.start:%d %H:%M}": one.values[metric] for one in store.metrics.buckets(asked)}


def test_a_counter_that_nobody_has_placed_waits_and_then_counts(store: Store) -> None:
    assert taken(store, interval(NINE, 3)) == {WAITING: 1}
    assert taken(store, interval(NINE + QUARTER, 4)) == {WAITING: 1}
    assert crossed(store) == {}
    assert the_line(store).waiting == 2
    assert placed(store) == {COUNTED: 2}
    found = crossed(store)
    assert len(found) == 30
    assert sum(found.values()) == 7
    assert the_line(store).waiting == 0
    assert taken(store, interval(NINE + 2 * QUARTER, 5)) == {COUNTED: 1}
    assert sum(crossed(store).values()) == 12


def test_the_same_report_counts_once_however_often_it_comes(store: Store) -> None:
    for _ in range(2):
        taken(store, interval(NINE, 3))
    assert placed(store) == {COUNTED: 1, DUPLICATE: 1}
    assert taken(store, interval(NINE, 3), arrived=NINE + timedelta(days=2)) == {DUPLICATE: 1}
    assert sum(crossed(store).values()) == 3


def test_other_numbers_for_a_time_that_was_told_are_not_taken(store: Store) -> None:
    taken(store, interval(NINE, 3))
    placed(store)
    taken(store, interval(NINE + QUARTER, 1))
    assert taken(store, interval(NINE, 8), arrived=NINE + 3 * QUARTER) == {Outcome.CONFLICTING: 1}
    assert sum(crossed(store).values()) == 4
    assert the_line(store).conflicts == 1


def test_what_a_counter_calls_in_may_lead_out(store: Store) -> None:
    taken(store, interval(NINE, 3, 1))
    placed(store, Placement("entrance", is_swapped=True))
    assert sum(crossed(store).values()) == 1
    assert sum(crossed(store, MetricKey.EXITS).values()) == 3


def test_lines_of_one_counter_hang_at_passages_of_their_own(store: Store) -> None:
    taken(store, interval(NINE, 3), interval(NINE, 5, line="2"))
    first, second = store.sensors.lines(ORGANIZATION.id)
    with store.sensors.writing() as rows:
        place(rows, first, ENTRANCE)
        place(rows, second, Placement("terrace", is_swapped=True))
    assert sum(crossed(store).values()) == 3
    assert sum(crossed(store, passage="terrace").values()) == 5


def test_a_running_total_counts_what_it_grows_by(store: Store) -> None:
    taken(store, total(NINE, 1000, 900))
    assert placed(store) == {Outcome.BEGUN: 1}
    assert crossed(store) == {}
    assert taken(store, total(NINE + timedelta(minutes=5), 1006, 901)) == {COUNTED: 1}
    assert sum(crossed(store).values()) == 6
    assert sum(crossed(store, MetricKey.EXITS).values()) == 1
    assert len(crossed(store)) == 5
    assert taken(store, total(NINE + timedelta(minutes=5), 1006, 901)) == {DUPLICATE: 1}
    assert taken(store, total(NINE + timedelta(minutes=1), 1002, 900)) == {Outcome.STALE: 1}
    assert sum(crossed(store).values()) == 6


def test_a_total_that_is_lower_has_begun_again_and_a_silent_hour_is_spread(store: Store) -> None:
    taken(store, total(NINE, 1000))
    placed(store)
    taken(store, total(NINE + timedelta(hours=1), 12))
    found = crossed(store)
    assert (sum(found.values()), len(found)) == (12, 60)
    taken(store, total(NINE + timedelta(minutes=65), 13))
    asked = BucketQuery(
        SITE.id, (MetricKey.ENTRANCES,), NINE - timedelta(days=9), NINE + timedelta(days=9), Granularity.HOUR,
        ZoneInfo("UTC"), passage_ids=("entrance",),
    )  # fmt: skip
    assert store.metrics.spread(asked) == [("entrance", NINE, NINE + timedelta(hours=1))]


def test_more_than_any_line_counts_is_no_count_and_said(store: Store) -> None:
    taken(store, total(NINE, 5))
    placed(store)
    assert taken(store, total(NINE + QUARTER, 2_000_000)) == {Outcome.CONFLICTING: 1}
    assert taken(store, total(NINE + 2 * QUARTER, 2_000_004)) == {COUNTED: 1}
    assert sum(crossed(store).values()) == 4


def test_a_clock_that_was_never_set_counts_when_its_report_arrives(store: Store) -> None:
    never = datetime(1970, 1, 1, 3, tzinfo=UTC)
    taken(store, interval(never, 3), arrived=NINE)
    placed(store)
    assert min(crossed(store)) == "28 08:45"
    clock = the_line(store).clock
    assert clock is not None
    assert not clock.is_trusted
    assert clock.ahead_seconds == round((never - NINE).total_seconds())
    assert taken(store, interval(never, 3), arrived=NINE + timedelta(minutes=3)) == {DUPLICATE: 1}


def test_a_clock_that_was_never_set_counts_each_of_its_reports(store: Store) -> None:
    """It begins at the same time whenever the counter is switched on."""
    never = datetime(2000, 1, 1, tzinfo=UTC)
    taken(store, interval(never, 5), arrived=NINE)
    placed(store)
    for later, people in enumerate((7, 8, 11), 1):
        arrived = NINE + later * QUARTER
        assert taken(store, interval(never, people), arrived=arrived) == {COUNTED: 1}
        assert taken(store, interval(never, people), arrived=arrived + timedelta(minutes=1)) == {DUPLICATE: 1}
    assert sum(crossed(store).values()) == 31


def test_a_correction_is_not_taken_however_often_it_is_sent(store: Store) -> None:
    taken(store, interval(NINE, 10), arrived=NINE)
    placed(store)
    for hours in range(1, 6):
        arrived = NINE + timedelta(hours=hours)
        assert taken(store, interval(NINE, 12), arrived=arrived) == {Outcome.CONFLICTING: 1}
    assert sum(crossed(store).values()) == 10
    assert the_line(store).conflicts == 5


def test_what_counted_a_month_ago_does_not_count_as_of_now(store: Store) -> None:
    taken(store, interval(NINE, 40), arrived=NINE + timedelta(days=29))
    placed(store)
    assert taken(store, interval(NINE, 40), arrived=NINE + timedelta(days=31)) == {DUPLICATE: 1}
    assert sum(crossed(store).values()) == 40


def test_a_total_whose_clock_stands_still_or_goes_back_grows_until_it_arrives(store: Store) -> None:
    taken(store, total(NINE, 3), arrived=NINE)
    placed(store)
    for told_at, people, minutes in ((NINE, 9, 10), (NINE - timedelta(days=20), 12, 15), (NINE, 13, 17)):
        arrived = NINE + timedelta(minutes=minutes)
        assert taken(store, total(told_at, people), arrived=arrived) == {COUNTED: 1}
        clock = the_line(store).clock
        assert clock is not None
        assert not clock.is_trusted
        assert (len(crossed(store)), sum(crossed(store).values())) == (minutes, people - 3)
    assert taken(store, total(NINE, 13), arrived=NINE + timedelta(minutes=18)) == {DUPLICATE: 1}


def test_a_total_that_did_not_count_is_no_growth_when_it_comes_again_after_a_restart(store: Store) -> None:
    never, held_back = datetime(1970, 1, 1, tzinfo=UTC), total(NINE - 10 * MINUTE, 18)
    taken(store, total(never + 5 * MINUTE, 18), arrived=NINE)
    placed(store)
    assert taken(store, held_back, arrived=NINE + MINUTE) == {DUPLICATE: 1}
    assert taken(store, total(never, 0), arrived=NINE + 2 * MINUTE) == {COUNTED: 1}
    assert taken(store, held_back, arrived=NINE + 6 * MINUTE) == {DUPLICATE: 1}
    assert sum(crossed(store).values()) == 0


def test_a_restart_in_what_comes_late_after_a_clock_went_back_counts(store: Store) -> None:
    """As an outage holds it back: all of it arrives later than it was."""
    taken(store, total(NINE, 500), arrived=NINE)
    placed(store)
    late = ((0, 510), (-1, 520), (0, 530), (1, 4), (2, 6))
    for seconds, (minutes, people) in enumerate(late):
        arrived = NINE + timedelta(hours=2, seconds=seconds)
        assert taken(store, total(NINE + minutes * MINUTE, people), arrived=arrived) == {COUNTED: 1}
    assert taken(store, total(NINE + timedelta(hours=3), 9)) == {COUNTED: 1}
    assert sum(crossed(store).values()) == 30 + 9


def test_totals_that_are_sent_again_after_a_restart_are_no_growth(store: Store) -> None:
    """As a broker does with all that was not acknowledged when the service was killed."""
    taken(store, total(NINE, 1_000))
    placed(store)
    sent = [total(NINE + minutes * MINUTE, people) for minutes, people in ((1, 1_004), (2, 3), (3, 5))]
    for one in sent:
        assert taken(store, one) == {COUNTED: 1}
    for one in sent:
        assert taken(store, one, arrived=NINE + 4 * MINUTE) == {DUPLICATE: 1}
    assert taken(store, total(NINE + 5 * MINUTE, 6)) == {COUNTED: 1}
    assert sum(crossed(store).values()) == 4 + 3 + 2 + 1


def test_a_total_of_a_clock_that_is_ahead_is_no_restart_when_it_is_sent_again(store: Store) -> None:
    sent = [total(NINE + minutes * MINUTE, 1_000 + minutes) for minutes in (3, 4, 5)]
    taken(store, sent[0], arrived=NINE)
    placed(store)
    for number, one in enumerate(sent[1:], 1):
        assert taken(store, one, arrived=NINE + number * MINUTE) == {COUNTED: 1}
    for one in sent[:-1]:
        assert taken(store, one, arrived=NINE + 2 * MINUTE + timedelta(seconds=5)) == {DUPLICATE: 1}
    assert sum(crossed(store).values()) == 2


def test_a_report_of_a_clock_that_is_ahead_counts_once_however_late_it_comes_again(store: Store) -> None:
    told = interval(NINE + 2 * MINUTE, 3)
    taken(store, told, arrived=NINE)
    assert placed(store) == {COUNTED: 1}
    for hours in (0.01, 0.1, 3):
        assert taken(store, told, arrived=NINE + timedelta(hours=hours)) == {DUPLICATE: 1}
    assert sum(crossed(store).values()) == 3


def test_alike_intervals_of_a_clock_that_was_ahead_count_once_it_is_set(store: Store) -> None:
    """The first that is alike cannot be told from one that is sent again; the next one that differs can."""
    taken(store, interval(NINE + 3 * QUARTER, 1), arrived=NINE)
    placed(store)
    for quarters in (4, 5, 6, 7):
        told = interval(NINE + quarters * QUARTER, 1)
        assert taken(store, told, arrived=told.end - 3 * QUARTER) == {COUNTED: 1}
    later = NINE + timedelta(minutes=75, seconds=2)
    assert taken(store, interval(NINE + 5 * QUARTER, 1), arrived=later) == {DUPLICATE: 1}
    for quarters, people in ((6, 2), (7, 1), (8, 1)):
        told = interval(NINE + quarters * QUARTER, people)
        assert taken(store, told, arrived=told.end + timedelta(seconds=2)) == {COUNTED: 1}
    assert sum(crossed(store).values()) == 5 + 2 + 1 + 1


def test_totals_of_a_clock_that_began_in_1970_are_known_when_they_come_again_after_a_restart(
    store: Store,
) -> None:
    never = datetime(1970, 1, 1, tzinfo=UTC)
    sent = [
        total(never + minutes * MINUTE, people) for minutes, people in ((5, 300), (6, 301), (1, 2), (2, 3))
    ]
    taken(store, sent[0], arrived=NINE)
    placed(store)
    for minutes, one in enumerate(sent[1:], 1):
        assert taken(store, one, arrived=NINE + minutes * MINUTE) == {COUNTED: 1}
    for one in sent[:-1]:
        assert taken(store, one, arrived=NINE + 4 * MINUTE) == {DUPLICATE: 1}
    assert sum(crossed(store).values()) == 1 + 2 + 1


@pytest.mark.parametrize("ahead", [timedelta(hours=1), timedelta(days=400)])
@pytest.mark.parametrize("told_at", [None, datetime(1970, 1, 1, tzinfo=UTC)])
def test_totals_go_on_when_our_own_clock_was_ahead(
    store: Store, ahead: timedelta, told_at: datetime | None
) -> None:
    def told(minutes: int, people: int, off: timedelta = timedelta(0)) -> Mapping[Outcome, int]:
        at = NINE + minutes * MINUTE
        return taken(store, total(told_at or at, people), arrived=at + off)

    told(0, 1_000)
    placed(store)
    told(5, 1_003)
    told(10, 1_005, ahead)
    assert told(15, 1_006) == {COUNTED: 1}
    assert told(16, 1_007) == {COUNTED: 1}
    assert told(20, 2) == {COUNTED: 1}
    everything = BucketQuery(
        SITE.id, (MetricKey.ENTRANCES,), NINE, NINE + timedelta(days=402), Granularity.DAY,
        ZoneInfo("UTC"), passage_ids=("entrance",),
    )  # fmt: skip
    counted = sum(one.values[MetricKey.ENTRANCES] for one in store.metrics.buckets(everything))
    # What a total has grown by over more than a month is not counted.
    assert counted == (7 if ahead > timedelta(days=31) else 9)
    assert the_line(store).last_heard == NINE + timedelta(minutes=20)


def test_what_came_before_our_clock_was_years_ahead_is_known_after_it(store: Store) -> None:
    taken(store, interval(NINE, 3))
    placed(store)
    store.retention.note_believed_time(NINE)
    taken(store, interval(NINE + QUARTER, 4), arrived=NINE + timedelta(days=3_000))
    assert taken(store, interval(NINE, 3), arrived=NINE + QUARTER) == {DUPLICATE: 1}
    assert sum(crossed(store).values()) == 3


def test_a_report_that_cannot_be_holds_up_no_other_that_waits(store: Store) -> None:
    impossible = interval(NINE, 1)._replace(end=NINE - QUARTER, identity="impossible")
    for told in (interval(NINE, 3), impossible, interval(NINE + QUARTER, 4)):
        taken(store, told, arrived=NINE + QUARTER)
    assert placed(store) == {COUNTED: 2, Outcome.CONFLICTING: 1}
    assert sum(crossed(store).values()) == 7


def test_local_times_count_over_the_change_of_the_clocks(store: Store) -> None:
    def local(start: str, end: str, people: int) -> ToldCount:
        begin, stop = (datetime.fromisoformat(f"2026-{at}") for at in (start, end))
        return ToldCount("S-1", "1", Kind.INTERVAL, begin, stop, people, 0, f"{start} {people}")

    told = (
        local("03-29T01:30", "03-29T01:45", 1), local("03-29T01:45", "03-29T02:00", 2),
        local("03-29T03:00", "03-29T03:15", 3),
    )  # fmt: skip
    taken(store, *told, arrived=datetime(2026, 3, 29, 3, tzinfo=UTC))
    assert placed(store) == {COUNTED: 3}
    assert [at for at, people in crossed(store).items() if people] == [
        "29 00:37", "29 00:48", "29 00:56", "29 01:02", "29 01:07", "29 01:12",
    ]  # fmt: skip
    assert len(crossed(store)) == 45


def test_a_counter_that_says_it_did_not_count_leaves_its_minutes_missing(store: Store) -> None:
    taken(store, interval(NINE, 0)._replace(counted=0.0))
    assert placed(store) == {COUNTED: 1}
    assert crossed(store) == {}


def test_counts_of_a_month_ago_find_their_minutes(store: Store) -> None:
    taken(store, interval(NINE, 1))
    placed(store)
    late = NINE - timedelta(days=30) + QUARTER
    assert taken(store, interval(late, 7), arrived=NINE) == {COUNTED: 1}
    assert sum(crossed(store).values()) == 8


def test_a_line_that_is_taken_down_waits_again_and_keeps_what_it_counted(store: Store) -> None:
    taken(store, interval(NINE, 3))
    placed(store)
    assert placed(store, None) == {}
    assert taken(store, interval(NINE + QUARTER, 4)) == {WAITING: 1}
    assert sum(crossed(store).values()) == 3
    placed(store, Placement("terrace", is_swapped=True))
    assert sum(crossed(store, passage="terrace").values()) == 4


def test_a_passage_that_left_its_site_lets_its_counters_wait(store: Store) -> None:
    taken(store, interval(NINE, 3))
    placed(store)
    kept = tuple(passage for passage in SITE.passages if passage.id != "entrance")
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE.model_copy(update={"passages": kept}), "shop")])
    assert taken(store, interval(NINE + QUARTER, 4)) == {WAITING: 1}
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop")])
    assert taken(store, interval(NINE + 2 * QUARTER, 5)) == {COUNTED: 2}
    assert (sum(crossed(store).values()), the_line(store).waiting) == (12, 0)


@pytest.mark.parametrize("passage", ["nowhere", "other-door"])
def test_a_counter_is_placed_at_passages_of_its_own_organization_alone(store: Store, passage: str) -> None:
    taken(store, interval(NINE, 3))
    with pytest.raises(UnknownPassageError):
        placed(store, Placement(passage, is_swapped=False))
    assert the_line(store).waiting == 1
    assert the_line(store).placement is None


def test_organizations_and_makers_know_their_own_counters(store: Store) -> None:
    taken(store, interval(NINE, 3))
    with store.sensors.writing() as rows:
        take(rows, OTHER_ORGANIZATION.id, "maker", Report((interval(NINE, 3),)), NINE)
        take(rows, ORGANIZATION.id, "another", Report((interval(NINE, 3),)), NINE)
    assert [line.name.maker for line in store.sensors.lines(ORGANIZATION.id)] == ["another", "maker"]
    [other] = store.sensors.lines(OTHER_ORGANIZATION.id)
    assert store.sensors.find(ORGANIZATION.id, other.number) is None


def test_a_report_that_is_wrong_in_part_leaves_nothing_behind(store: Store) -> None:
    taken(store, interval(NINE, 3))
    placed(store)
    wrong = interval(NINE + 2 * QUARTER, 1)
    with pytest.raises(ReportError):
        taken(store, interval(NINE + QUARTER, 4), wrong._replace(start=wrong.end))
    assert sum(crossed(store).values()) == 3
    assert taken(store, interval(NINE + QUARTER, 4)) == {COUNTED: 1}


def test_so_many_reports_wait_and_no_more(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_reports, "MOST_WAITING", 3)
    for number in range(3):
        taken(store, interval(NINE + number * QUARTER, 1))
    with pytest.raises(WaitingListFullError, match="reports of the counter S-1"):
        taken(store, interval(NINE + 3 * QUARTER, 1))
    assert taken(store, interval(NINE, 1), interval(NINE, 5, line="2")) == {Outcome.UNKEPT: 1, WAITING: 1}
    first, second = store.sensors.lines(ORGANIZATION.id)
    assert (first.waiting, second.waiting) == (3, 1)
    with store.sensors.writing() as rows:
        assert place(rows, first, ENTRANCE) == {COUNTED: 3}


def test_much_that_waits_is_counted_in_pieces_and_what_comes_meanwhile_behind_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking, "MOST_AT_ONCE", 2)
    monkeypatch.setattr(waiting_reports, "MOST_WAITING", 5)
    for number in range(5):
        taken(store, total(NINE + number * MINUTE, 10 * number))
    assert placed(store) == {Outcome.BEGUN: 1, COUNTED: 1, WAITING: 3}
    assert store.sensors.uncounted() == [the_line(store).number]
    # Totals out of order would be restarts. And of a line that is placed as many wait as come.
    rest = [total(NINE + number * MINUTE, 10 * number) for number in range(5, 11)]
    assert taken(store, *rest) == {COUNTED: 2, WAITING: 6}
    assert taken(store, rest[-1]) == {COUNTED: 2, WAITING: 1}
    while gone_on(store)[WAITING]:
        pass
    assert list(crossed(store).values()) == [10.0] * 10
    assert (the_line(store).waiting, store.sensors.uncounted()) == (0, [])
    assert gone_on(store) == {}


def test_of_all_lines_of_a_body_together_so_much_that_waited_is_counted_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        for line in "123":
            taken(store, interval(NINE + number * QUARTER, 1, line=line))
    monkeypatch.setattr(taking, "MOST_AT_ONCE", 1)
    for one in store.sensors.lines(ORGANIZATION.id):
        with store.sensors.writing() as rows:
            assert place(rows, one, ENTRANCE) == {COUNTED: 1, WAITING: 2}
    monkeypatch.setattr(taking, "MOST_AT_ONCE", 3)
    body = [interval(NINE + 3 * QUARTER, 1, line=line) for line in "123"]
    # The first line's two, and itself; one of the second's.
    assert taken(store, *body) == {COUNTED: 4, WAITING: 2}
    assert [one.waiting for one in store.sensors.lines(ORGANIZATION.id)] == [0, 2, 3]


def test_what_is_too_much_for_one_transaction_waits_although_its_line_is_placed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken(store, total(NINE, 0))
    placed(store)
    monkeypatch.setattr(taking, "MOST_MINUTES", 60)
    day = timedelta(days=1)
    assert taken(store, *(total(NINE + days * day, 100 * days) for days in (1, 2, 3))) == {
        COUNTED: 1, WAITING: 2
    }  # fmt: skip
    assert gone_on(store) == {COUNTED: 1, WAITING: 1}
    assert gone_on(store) == {COUNTED: 1}
    assert sum(crossed(store).values()) == 300


def test_pieces_end_where_a_line_is_taken_down(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taking, "MOST_AT_ONCE", 1)
    for number in range(3):
        taken(store, interval(NINE + number * QUARTER, 1))
    placed(store)
    assert placed(store, None) == {}
    assert (gone_on(store), store.sensors.uncounted(), the_line(store).waiting) == ({}, [], 2)
    assert placed(store, Placement("terrace", is_swapped=True)) == {COUNTED: 1, WAITING: 1}
    gone_on(store)
    assert [sum(crossed(store, passage=one).values()) for one in ("entrance", "terrace")] == [1, 2]


def test_of_all_lines_together_so_many_reports_wait_and_those_that_are_placed_go_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_reports, "MOST_WAITING_OF_ALL", 3)
    monkeypatch.setattr(waiting_reports, "_COUNTED_FOR", 0.0)
    for line in "123":
        assert taken(store, interval(NINE, 1, line=line)) == {WAITING: 1}
    for line in "14":
        with pytest.raises(WaitingListFullError, match="place those that are yours on the page Counters"):
            taken(store, interval(NINE + QUARTER, 1, line=line))
    # What failed made no room, and took none.
    assert [one.waiting for one in store.sensors.lines(ORGANIZATION.id)] == [1, 1, 1]
    first, second, _ = store.sensors.lines(ORGANIZATION.id)
    with store.sensors.writing() as rows:
        assert place(rows, first, ENTRANCE) == {COUNTED: 1}
    assert taken(store, interval(NINE + QUARTER, 1, line="2")) == {WAITING: 1}
    both = taken(store, interval(NINE + QUARTER, 1, line="1"), interval(NINE + QUARTER, 1, line="3"))
    assert both == {COUNTED: 1, Outcome.UNKEPT: 1}
    assert store.sensors.dismiss(ORGANIZATION.id, second.number, SERVICE_ITSELF, is_ignored=False)
    assert taken(store, interval(NINE + QUARTER, 1, line="3")) == {WAITING: 1}


def test_a_list_that_was_full_is_not_counted_again_for_each_report_that_is_refused(
    store: Store, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_reports, "MOST_WAITING_OF_ALL", 1)
    monkeypatch.setattr(waiting_reports, "_COUNTED_FOR", 3600.0)
    taken(store, interval(NINE, 1))
    other = interval(NINE, 1, line="2")
    with pytest.raises(WaitingListFullError):
        taken(store, interval(NINE, 1), other)
    # Another process makes room, which only counting could tell.
    assert opened().sensors.dismiss(ORGANIZATION.id, the_line(store).number, SERVICE_ITSELF, is_ignored=False)
    with pytest.raises(WaitingListFullError):
        taken(store, other)
    monkeypatch.setattr(waiting_reports, "_COUNTED_FOR", 0.0)
    assert taken(store, other) == {WAITING: 1}


def test_when_a_line_was_heard_of_is_known(store: Store) -> None:
    taken(store, interval(NINE, 3), arrived=NINE)
    taken(store, interval(NINE + QUARTER, 3), arrived=NINE + QUARTER)
    line = the_line(store)
    assert (line.first_heard, line.last_heard) == (NINE, NINE + QUARTER)
    assert replace(line, number=1).name[:3] == (ORGANIZATION.id, "maker", "S-1")


def test_so_many_lines_wait_to_be_placed_and_nothing_is_kept_of_another(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unplaced_lines, "MOST_UNPLACED", 3)
    stranger = interval(NINE, 1)._replace(serial="S-4")
    for line in "123":
        assert taken(store, interval(NINE, 1, line=line)) == {WAITING: 1}
    for junk in (stranger, interval(NINE, 1, line="4")):
        with pytest.raises(WaitingListFullError, match="lines of counters wait to be placed already"):
            taken(store, junk)
    # What is known goes on, and there is room again where one is placed.
    again = taken(store, interval(NINE + QUARTER, 1), stranger)
    assert again == {WAITING: 1, Outcome.UNKEPT: 1}
    with store.sensors.writing() as rows:
        place(rows, store.sensors.lines(ORGANIZATION.id)[0], ENTRANCE)
    assert taken(store, stranger) == {WAITING: 1}
    assert len(store.sensors.lines(ORGANIZATION.id)) == 4


def test_of_one_report_as_many_lines_are_kept_as_there_is_room_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unplaced_lines, "MOST_UNPLACED", 3)
    lines = [interval(NINE, 1, line=line) for line in "12345"]
    assert taken(store, *lines) == {WAITING: 3, Outcome.UNKEPT: 2}
    assert len(store.sensors.lines(ORGANIZATION.id)) == 3


@pytest.mark.parametrize("is_numbered", [True, False])
def test_a_clock_that_stands_still_and_begins_again_counts_all(store: Store, is_numbered: bool) -> None:
    """Where its log has numbers, also what is sent again; else that looks as a counter that began again."""
    never = datetime(1970, 1, 1, tzinfo=UTC)
    sent = [
        total(never, people)._replace(identity=f"{number if is_numbered else ''} {never.isoformat()}".strip())
        for number, people in enumerate((500, 501, 1, 2, 500, 501, 502))
    ]
    taken(store, sent[0], arrived=NINE)
    placed(store)
    for minutes, one in enumerate(sent[1:], 1):
        assert taken(store, one, arrived=NINE + minutes * MINUTE) == {COUNTED: 1}
    if is_numbered:
        for one in sent[:-1]:
            assert taken(store, one, arrived=NINE + 8 * MINUTE) == {DUPLICATE: 1}
    assert sum(crossed(store).values()) == 1 + 1 + 1 + 498 + 1 + 1
