"""When the absence of counts is silence, and when it is what this place always does at this time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from live.cadence import FEWEST_BY_CLOCK, FEWEST_MISSED, Absence, Cadence, learn, spans_to_ask

ZURICH = ZoneInfo("Europe/Zurich")
MINUTE = timedelta(minutes=1)
MONDAY = date(2026, 6, 1)
Counts = Callable[[datetime], bool]
"""Whether a place has a count in the minute that begins then, by its local clock."""


def local(day: date, hour: int, minute: int = 0, fold: int = 0) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=ZURICH, fold=fold).astimezone(UTC)


def minutes(counts: Counts, start: datetime, end: datetime) -> Iterator[datetime]:
    while start < end:
        if counts(start.astimezone(ZURICH)):
            yield start
        start += MINUTE


def cadence(counts: Counts, newest: datetime, begin: datetime) -> Cadence:
    """Of one that has counted as `counts` says up to `newest`."""
    spans = spans_to_ask(newest, begin, ZURICH)
    past = [minutes(counts, span.start, min(span.end, newest + MINUTE)) for span in spans]
    return learn(spans, past, begin, ZURICH)


def absence(counts: Counts, newest: datetime, now: datetime) -> tuple[Absence, int]:
    """As it is found by who opens a page now, and how many cadences had to be learned."""

    found, known, learned = Absence.since(newest), None, 0
    while begin := found.unjudged_from(now, known):
        known = cadence(counts, newest, begin)
        found, learned = found.judged(now, known), learned + 1
    return found, learned


def silence(counts: Counts, newest: datetime, now: datetime) -> int | None:
    """The usual gap in minutes of a silent place that did as `counts` says up to `newest`; else None."""
    gap = absence(counts, newest, now)[0].gap
    return None if gap is None else gap // MINUTE


def always(_at: datetime) -> bool:
    return True


def shop_hours(at: datetime) -> bool:
    return at.weekday() < 6 and 9 <= at.hour < 20


def every(gap: int) -> Counts:
    return lambda at: int(at.timestamp()) // 60 % gap == 0


def since(opening: datetime, counts: Counts) -> Counts:
    return lambda at: at >= opening and counts(at)


def test_a_counter_of_every_minute_is_silent_after_a_quarter_of_an_hour() -> None:
    newest = local(MONDAY, 12, 40)
    assert silence(always, newest, newest + 14 * MINUTE) is None
    assert silence(always, newest, newest + 15 * MINUTE) == 1


@pytest.mark.parametrize("gap", [2, 5, 10])
def test_rarer_counts_are_missed_after_as_many_usual_gaps(gap: int) -> None:
    newest = local(MONDAY, 12, 0)
    newest -= timedelta(seconds=newest.timestamp() % (60 * gap))
    known = cadence(every(gap), newest, newest)
    missed = [ago for ago in range(1, 360) if known.silence(newest, newest + ago * MINUTE) is not None]
    assert gap * (FEWEST_MISSED - 1) <= missed[0] <= max(gap * (FEWEST_MISSED + 1), 15)
    assert silence(every(gap), newest, newest + missed[0] * MINUTE) == gap


@pytest.mark.parametrize("gap", [15, 30, 60, 120])
def test_a_service_that_gives_its_counts_by_the_clock_is_silent_after_three_of_them(gap: int) -> None:
    newest = local(MONDAY, 12, 0)
    assert silence(every(gap), newest, newest + FEWEST_BY_CLOCK * gap * MINUTE) is None
    assert silence(every(gap), newest, newest + (FEWEST_BY_CLOCK * gap + 1) * MINUTE) == gap
    assert silence(every(gap), newest, newest + timedelta(hours=30)) == gap


def test_three_counts_of_a_new_place_do_not_make_a_clock() -> None:
    seldom = {local(date(2026, 3, 3), 10, 30), local(date(2026, 3, 3), 10, 55), local(date(2026, 3, 3), 14)}
    newest = local(date(2026, 3, 4), 9, 50)

    def counts(at: datetime) -> bool:
        return at.astimezone(UTC) in {*seldom, newest}

    assert silence(counts, newest, local(date(2026, 3, 4), 15)) is None


def hourly_but_at_lunch(at: datetime) -> bool:
    return at.minute == 0 and shop_hours(at) and at.hour not in {12, 13}


def with_losses(at: datetime) -> bool:
    """By the hour, but for one in 29."""
    hour = int(at.timestamp()) // 3600
    return at.minute == 0 and hour % 29 != 0


def at_random(gap: int) -> Counts:
    """As people come, in one of so many minutes of the hours of a shop."""
    return lambda at: shop_hours(at) and Random(at.timestamp()).random() < 1 / gap


def lectures(at: datetime) -> bool:
    """Bursts in some hours, others on each day; stored by quarters of an hour in which somebody came."""
    is_taught = at.weekday() < 5 and 8 <= at.hour < 18 and (at.hour + at.toordinal()) % 3 > 0
    return is_taught and at.minute in {0, 15}


@pytest.mark.parametrize(
    "counts",
    [
        lambda at: every(15)(at) and 10 <= at.hour < 17 and at.weekday() > 0,
        hourly_but_at_lunch,
        with_losses,
        at_random(40),
        lectures,
    ],
    ids=["museum", "lunch", "losses", "quiet", "lectures"],
)
def test_no_kind_of_place_with_few_counts_is_silent_in_two_weeks(counts: Counts) -> None:
    first = local(MONDAY, 0)
    counted = list(minutes(counts, first - timedelta(days=36), first + timedelta(days=14)))
    found, known, silent = Absence.since(counted[0]), None, []
    for now in (first + step * 20 * MINUTE for step in range(14 * 24 * 3)):
        newest = counted[bisect_left(counted, now) - 1]
        found = found if found.newest == newest else Absence.since(newest)
        found = found.judged(now, known) if known else found
        while begin := found.unjudged_from(now, known):
            spans = spans_to_ask(newest, begin, ZURICH)
            past = [counted[bisect_left(counted, one.start) : bisect_left(counted, one.end)] for one in spans]
            known = learn(spans, past, begin, ZURICH)
            found = found.judged(now, known)
        silent += [now] if found.gap else []
    assert silent == []


def test_a_shop_is_not_silent_at_night_nor_on_sunday_but_after_it_should_have_opened() -> None:
    saturday = date(2026, 5, 30)
    closed_at = local(saturday, 19, 59)
    for now in (local(saturday, 20, 30), local(saturday, 23), local(saturday + timedelta(days=1), 12)):
        assert silence(shop_hours, closed_at, now) is None
    assert silence(shop_hours, closed_at, local(MONDAY, 9, 5)) is None
    assert silence(shop_hours, closed_at, local(MONDAY, 9, 15)) == 1


SATURDAY = date(2026, 5, 30)


@pytest.mark.parametrize(
    ("stopped", "opened"),
    [
        (local(SATURDAY, 10), local(SATURDAY, 23)),
        (local(SATURDAY, 10), local(SATURDAY + timedelta(days=1), 22)),
        (local(SATURDAY, 19, 59), local(MONDAY + timedelta(days=1), 2)),
        (local(SATURDAY - timedelta(days=1), 19, 40), local(SATURDAY, 1, 50)),
        (local(SATURDAY - timedelta(days=1), 19, 40), local(SATURDAY, 8)),
        (local(SATURDAY - timedelta(days=24), 12), local(SATURDAY + timedelta(days=1), 2)),
        (local(SATURDAY - timedelta(days=24), 12), local(SATURDAY + timedelta(days=1), 22)),
    ],
)
def test_a_dead_counter_is_not_trusted_again_at_night_nor_on_sunday(
    stopped: datetime, opened: datetime
) -> None:
    assert silence(shop_hours, stopped, opened) == 1


def test_a_dead_counter_that_was_watched_is_silent_at_every_moment_until_a_newer_minute_comes() -> None:
    newest = local(SATURDAY, 10)
    found, known = Absence.since(newest), cadence(shop_hours, newest, newest)
    states = []
    for ago in range(8, 4 * 24 * 60, 8):
        now = newest + ago * MINUTE
        if begin := found.unjudged_from(now, known):
            known = cadence(shop_hours, newest, begin)
        found = found.judged(now, known)
        states.append(found.gap)
    assert states == [None, *[MINUTE] * (len(states) - 1)]
    assert Absence.since(newest + MINUTE).judged(newest + 2 * MINUTE, known).gap is None


def test_a_clock_that_was_wrong_for_a_moment_leaves_no_silence() -> None:
    newest = local(MONDAY, 12, 40)
    known = cadence(shop_hours, newest, newest)
    wrong = Absence.since(newest).judged(newest + timedelta(hours=2), known)
    assert wrong.gap == MINUTE
    assert wrong.judged(newest + 5 * MINUTE, known).gap is None


@pytest.mark.parametrize(
    ("newest", "most"), [(local(SATURDAY, 19, 59), 3), (local(SATURDAY - timedelta(days=24), 12), 1)]
)
def test_few_cadences_are_learned_for_a_page_that_is_opened_late(newest: datetime, most: int) -> None:
    assert absence(shop_hours, newest, local(MONDAY, 9))[1] <= most
    assert absence(lambda _: False, newest, local(MONDAY, 9))[1] <= 8


@pytest.mark.parametrize("days", [2, 8, 15, 40, 400])
def test_a_counter_that_has_long_been_dead_stays_silent(days: int) -> None:
    assert silence(shop_hours, local(MONDAY, 12, 40), local(MONDAY + timedelta(days=days), 12)) == 1


def test_a_week_without_counts_among_the_past_ones_is_outvoted() -> None:
    def counts(at: datetime) -> bool:
        return at.date() != MONDAY - timedelta(days=7) and shop_hours(at)

    assert silence(counts, local(MONDAY, 12), local(MONDAY, 13)) == 1


@pytest.mark.parametrize("weeks", [2, 3])
def test_a_shop_that_was_closed_on_most_of_these_weekdays_is_not_silent(weeks: int) -> None:
    def counts(at: datetime) -> bool:
        return at.date() == MONDAY - timedelta(days=7 * weeks) or (at.date() < MONDAY and at.weekday() > 0)

    assert silence(counts, local(MONDAY, 8, 0), local(MONDAY, 13)) is None


def test_a_young_site_is_compared_with_yesterday_while_it_was_counted_today() -> None:
    opened = since(local(date(2026, 5, 28), 9), shop_hours)  # a Thursday
    friday, sunday = date(2026, 5, 29), date(2026, 5, 31)
    assert silence(opened, local(friday, 12, 40), local(friday, 13)) == 1
    assert silence(opened, local(sunday - timedelta(days=1), 19, 59), local(sunday, 12)) is None
    assert silence(opened, local(date(2026, 5, 28), 12, 40), local(date(2026, 5, 28), 13)) is None


def test_a_counter_of_every_minute_is_silent_from_its_second_day_on_whenever_its_first_count_was() -> None:
    newest = local(MONDAY, 11, 20)
    now = newest + 100 * MINUTE
    ages = range(26, 16 * 24, 11)
    began = {hours: since(now - timedelta(hours=hours), always) for hours in ages}
    assert [hours for hours in ages if silence(began[hours], newest, now) != 1] == []


@pytest.mark.parametrize(
    ("newest", "now"),
    [
        (local(SATURDAY - timedelta(days=2), 19, 59), local(SATURDAY - timedelta(days=1), 1)),
        (local(SATURDAY, 19, 59), local(MONDAY - timedelta(days=1), 12)),
        (local(SATURDAY, 19, 59), local(MONDAY, 2)),
    ],
)
def test_a_closed_shop_is_not_silent_whenever_its_first_count_was(newest: datetime, now: datetime) -> None:
    ages = range(3, 16 * 24, 31)
    began = {hours: since(newest - timedelta(hours=hours), shop_hours) for hours in ages}
    assert [hours for hours in ages if silence(began[hours], newest, now)] == []


def test_the_morning_of_a_first_count_tells_when_a_place_opens() -> None:
    opened = since(local(MONDAY - timedelta(days=14), 9), shop_hours)
    assert silence(opened, local(SATURDAY, 19, 59), local(MONDAY, 9, 15)) == 1


def test_a_cleaner_on_a_closed_sunday_makes_no_sunday_of_counts() -> None:
    sunday = date(2026, 5, 31)
    opened = since(local(date(2026, 5, 22), 9), shop_hours)  # a Friday, nine days before
    assert silence(opened, local(sunday, 10, 0), local(sunday, 12)) is None


def test_of_a_place_without_a_past_nothing_is_expected() -> None:
    assert silence(lambda _: False, local(MONDAY, 8), local(MONDAY, 13)) is None


def test_a_lunch_break_widens_no_gap() -> None:
    def counts(at: datetime) -> bool:
        return 8 <= at.hour < 12 or 14 <= at.hour < 18

    assert silence(counts, local(MONDAY, 14, 30), local(MONDAY, 14, 50)) == 1
    assert silence(counts, local(MONDAY, 11, 59), local(MONDAY, 13, 50)) is None


def test_a_remembered_cadence_goes_with_the_clock() -> None:
    newest, asked = local(MONDAY, 12, 40), local(MONDAY, 12, 50)
    known = cadence(shop_hours, newest, asked)
    assert known.silence(newest, local(MONDAY, 13)) == MINUTE
    assert known.silence(local(MONDAY, 15, 40), local(MONDAY, 15, 45)) is None
    assert known.covers(asked + timedelta(hours=15))
    assert not known.covers(asked + timedelta(hours=16))
    assert not known.covers(asked - MINUTE)


schedules = st.lists(
    st.tuples(st.integers(0, 23 * 60), st.integers(1, 20 * 60), st.integers(1, 30)), min_size=1, max_size=3
)
nows = st.integers(0, 2 * 365 * 24 * 60).map(lambda minute: local(date(2025, 2, 1), 0) + minute * MINUTE)
turns = st.sampled_from([date(2026, 3, 29), date(2026, 10, 25)]).flatmap(
    lambda day: st.integers(0, 30 * 60).map(lambda minute: local(day, 0) + minute * MINUTE)
)


def of(schedule: list[tuple[int, int, int]]) -> Counts:
    """Counts by the local clock: from a minute of the day on, for so long, every so many minutes."""

    def counts(at: datetime) -> bool:
        minute = at.hour * 60 + at.minute
        return any(
            start <= minute < start + long and (minute - start) % gap == 0 for start, long, gap in schedule
        )

    return counts


def newest_before(counts: Counts, now: datetime) -> datetime | None:
    found = list(minutes(counts, now - timedelta(hours=26), now))
    return found[-1] if found else None


@settings(max_examples=20, deadline=None)
@given(schedules, nows | turns)
def test_who_does_what_it_does_every_day_is_never_silent(
    schedule: list[tuple[int, int, int]], now: datetime
) -> None:
    counts = of(schedule)
    newest = newest_before(counts, now)
    if newest is not None:
        assert silence(counts, newest, now) is None


@settings(max_examples=20, deadline=None)
@given(st.integers(15, 20 * 24 * 60), nows | turns)
def test_a_counter_of_every_minute_is_silent_whenever_it_stopped(ago: int, now: datetime) -> None:
    assert silence(always, now - ago * MINUTE, now) == 1


@settings(max_examples=20, deadline=None)
@given(schedules, nows | turns, st.integers(-10, 14))
def test_a_young_minute_is_never_silence(
    schedule: list[tuple[int, int, int]], now: datetime, ago: int
) -> None:
    assert silence(of(schedule), now - ago * MINUTE, now) is None


@settings(max_examples=20, deadline=None)
@given(nows | turns, st.integers(8, 40 * 24 * 60))
def test_few_spans_are_asked_for_and_all_before_the_newest_minute(now: datetime, ago: int) -> None:
    newest = now - ago * MINUTE
    spans = spans_to_ask(newest, now, ZURICH)
    assert len(spans) <= 5
    assert all(span.end <= newest for span in spans)
    assert all(timedelta(hours=20) <= span.end - span.start < timedelta(hours=24) for span in spans)
