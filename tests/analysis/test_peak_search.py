from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from analysis.drift import present_drift
from analysis.granularity import answered_in
from analysis.history_request import HistoryRequest
from analysis.peak_search import find_peaks
from analysis.subject import Subject, SubjectKind, subjects_of
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.sentences.drift_words import checked_parts, checked_words
from components.sentences.range_words import range_text
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery, parse_instant
from contract.buckets import bucket_starts
from tests.small_site import SITE

ZURICH = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 6, 20, tzinfo=UTC)
FULLEST = datetime(2026, 5, 9, 13, 37, tzinfo=UTC)
YEAR = TimeRange(datetime(2025, 12, 31, 23, tzinfo=UTC), NOW)


def request(range_: TimeRange = YEAR) -> HistoryRequest:
    return HistoryRequest(
        SITE.id,
        tuple(subjects_of(SITE, ["hall"], ["entrance"])),
        (MetricKey.VISITORS_INSIDE,),
        range_,
        ZURICH,
        NOW,
    )


class Asked:
    """A place that holds 10 people, and 90 in one minute of the year."""

    def __init__(self) -> None:
        self.queries: list[MetricsQuery] = []

    def __call__(self, queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, Sequence[MetricPoint]]:
        self.queries += queries.values()
        return {subject: self.points(query) for subject, query in queries.items()}

    def points(self, query: MetricsQuery) -> list[MetricPoint]:
        start, end = (parse_instant(text or "", now=NOW, timezone=ZURICH) for text in (query.from_, query.to))
        unit = query.granularity or Granularity.HOUR
        starts = [*bucket_starts(start, end, unit, ZURICH), end]
        return [
            MetricPoint(timestamp=first, metrics={"visitorsInside": 90 if first <= FULLEST < after else 10})
            for first, after in pairwise(starts)
        ]


def test_the_fullest_minute_of_a_year_is_found_in_three_questions() -> None:
    asked = Asked()
    found = find_peaks(request(), Granularity.MONTH, asked)
    ((subject, peak),) = found.items()
    assert subject.kind is SubjectKind.ZONE
    assert (peak.peak.start, peak.peak.value, peak.granularity) == (FULLEST, 90, Granularity.MINUTE)
    searches = [query for query in asked.queries if query.aggregation]
    assert [query.granularity for query in searches] == ["month", "day", "minute"]


def test_minutes_are_never_asked_beyond_the_range() -> None:
    asked = Asked()
    cut = TimeRange(FULLEST - timedelta(minutes=10), FULLEST + timedelta(minutes=1))
    find_peaks(request(cut), Granularity.DAY, asked)
    *_, search = (query for query in asked.queries if query.aggregation)
    assert (search.from_, search.to) == ("2026-05-09T15:27:00", "2026-05-09T15:38:00")


def test_what_fails_on_the_way_leaves_the_peak_as_exact_as_it_is_known() -> None:
    asked = Asked()

    def ask(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        return {} if asked.queries else asked(queries)

    (peak,) = find_peaks(request(), Granularity.DAY, ask).values()
    assert peak.granularity is Granularity.DAY


def test_no_peak_is_searched_where_people_inside_are_not_shown() -> None:
    asked = Asked()
    assert find_peaks(replace(request(), metrics=(MetricKey.ENTRANCES,)), Granularity.DAY, asked) == {}
    assert asked.queries == []


class Drifting:
    """A place where one comes each minute from 06:00 UTC on and two leave from 12:00 on; held at 0."""

    def __init__(self) -> None:
        self.queries: list[MetricsQuery] = []

    def __call__(self, queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, Sequence[MetricPoint]]:
        self.queries += queries.values()
        return {subject: self.points(query) for subject, query in queries.items()}

    def points(self, query: MetricsQuery) -> list[MetricPoint]:
        start, end = (parse_instant(text or "", now=NOW, timezone=ZURICH) for text in (query.from_, query.to))
        end = min(end, NOW)
        return [self.point(first) for first in bucket_starts(start, end, Granularity.MINUTE, ZURICH)]

    def point(self, start: datetime) -> MetricPoint:
        minute = start.hour * 60 + start.minute
        entrances, exits = int(360 <= minute < 720), 2 * (720 <= minute < 1200)
        came = min(max(minute - 359, 0), 360)
        inside = max(0, came - 2 * max(0, minute - 719)) if minute < 1200 else 0
        return MetricPoint(
            timestamp=start, metrics={"visitorsInside": inside, "entrances": entrances, "exits": exits}
        )


DAY = TimeRange(datetime(2026, 6, 17, 22, tzinfo=UTC), datetime(2026, 6, 18, 22, tzinfo=UTC))


def test_a_peak_has_the_drift_of_the_minutes_around_it() -> None:
    asked = Drifting()
    (peak,) = find_peaks(request(DAY), Granularity.MINUTE, asked).values()
    assert peak.peak.value == 360
    assert peak.drift is not None
    assert (peak.drift.unentered, peak.is_spoilt) == (600, True)
    for query in (one for one in asked.queries if not one.aggregation):
        first, last = (datetime.fromisoformat(text or "") for text in (query.from_, query.to))
        assert last - first <= timedelta(hours=23)
        assert set(query.metrics) == {"visitorsInside", "entrances", "exits"}


def test_it_is_known_which_part_of_a_range_was_searched_for_a_drift() -> None:
    (day,) = find_peaks(request(DAY), Granularity.MINUTE, Drifting()).values()
    assert day.checked == DAY
    assert checked_words({"Shop": DAY}, DAY, ZURICH, Formats(now=NOW), alone=True) == []
    fortnight = TimeRange(DAY.start - timedelta(days=13), DAY.end)
    (peak,) = find_peaks(request(fortnight), Granularity.DAY, Drifting()).values()
    half, checked = timedelta(hours=46), peak.checked
    assert checked == TimeRange(max(peak.peak.start - half, fortnight.start), peak.peak.start + half)
    said = "The number inside was checked only around the fullest minute"
    formats = Formats(now=NOW)
    span = range_text(checked, ZURICH, formats)
    told = checked_words({"Shop": checked}, fortnight, ZURICH, formats, alone=True)
    assert told == [f"{said}, from {span}. Averages and the time inside rest on all that is shown."]
    words = checked_words({"Shop": checked}, fortnight, ZURICH, formats, alone=True, says_means=False)
    assert words == [f"{said}, from {span}."]


def test_each_zone_of_which_a_part_was_searched_is_named() -> None:
    fortnight = TimeRange(DAY.start - timedelta(days=13), DAY.end)
    known: dict[str, TimeRange | None] = {
        "Hall": DAY,
        "Café": DAY,
        "Roof": DAY._replace(start=DAY.start - timedelta(days=5)),
        "Shop": fortnight,
        "Bar": None,
        "Attic": None,
    }
    formats = Formats(now=NOW)
    first, second = (range_text(known[name] or DAY, ZURICH, formats) for name in ("Hall", "Roof"))
    partly, not_at_all = checked_words(known, fortnight, ZURICH, formats, alone=False)
    assert partly == (
        "The number inside was checked only around the fullest minute: "
        f"of Hall and Café from {first}; of Roof from {second}. "
        "Averages and the time inside rest on all that is shown."
    )
    assert not_at_all == (
        "The number inside of Bar and Attic could not be checked against who came and who left."
    )
    (alone,) = checked_words({"Bar": None}, fortnight, ZURICH, formats, alone=True)
    assert alone.startswith("The number inside could not be checked against ")


def test_a_zone_of_which_a_drift_is_told_is_not_called_unchecked() -> None:
    (known,) = find_peaks(request(DAY), Granularity.MINUTE, Drifting()).values()
    unknown = known._replace(drift=None, other=None, spoilt=(), checked=None)
    hall, bar, attic = (Subject(SubjectKind.ZONE, name.lower(), name) for name in ("Hall", "Bar", "Attic"))
    peaks = {hall: known, bar: unknown, attic: unknown._replace(other=known.drift)}
    assert checked_parts(peaks) == {"Hall": DAY, "Bar": None}


def test_a_peak_whose_minutes_cannot_be_read_has_no_drift() -> None:
    asked = Drifting()

    def ask(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        return asked({zone: query for zone, query in queries.items() if query.aggregation})

    (peak,) = find_peaks(request(DAY), Granularity.MINUTE, ask).values()
    assert (peak.drift, peak.is_spoilt, peak.checked) == (None, False, None)


Flow = tuple[int, int]
"""Entrances and exits of a minute."""
MIDNIGHT = DAY.start
A_DAY = timedelta(days=1)


class Counted:
    """Entrances and exits by local minute, counted since 04:00 of each day and held at 0; 16 to 20 June.

    Nothing is stored in the `dark` minutes of a day, nor outside these days.
    """

    def __init__(self, flows: Mapping[datetime, Flow], dark: range = range(0), reset: int = 4 * 60) -> None:
        self._dark = dark
        self._points: dict[datetime, MetricPoint] = {}
        inside = 0
        for place in range(4 * 24 * 60):
            start = MIDNIGHT + timedelta(days=-2, minutes=place)
            entrances, exits = flows.get(start, (0, 0))
            inside = max(0, (0 if place % 1440 == reset else inside) + entrances - exits)
            self._points[start] = MetricPoint(
                timestamp=start, metrics={"visitorsInside": inside, "entrances": entrances, "exits": exits}
            )

    def __call__(self, queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, Sequence[MetricPoint]]:
        return {subject: self.points(query) for subject, query in queries.items()}

    def points(self, query: MetricsQuery) -> list[MetricPoint]:
        start, end = (parse_instant(text or "", now=NOW, timezone=ZURICH) for text in (query.from_, query.to))
        starts = bucket_starts(start, end, Granularity.MINUTE, ZURICH)
        there = [self._points[at] for at in starts if at in self._points]
        return [point for point in there if self._minute(point) not in self._dark]

    def _minute(self, point: MetricPoint) -> int:
        local = point.timestamp.astimezone(ZURICH)
        return local.hour * 60 + local.minute


def at(hour: float, day: int = 0) -> datetime:
    """Of the days from 18 June on, local time."""
    return MIDNIGHT + timedelta(days=day, hours=hour)


def of(days: int = 1, first: int = 0) -> HistoryRequest:
    return request(TimeRange(at(0, first), at(0, first + days)))


def test_a_day_is_not_judged_by_the_night_before() -> None:
    """100 are inside by day, and 22 are left over until 04:00: under a quarter of the 100."""
    place = Counted(
        {at(9, -1): (100, 0), at(20, -1): (0, 78), at(9): (120, 0), at(20): (0, 120)},
    )
    (peak,) = find_peaks(of(), Granularity.HOUR, place).values()
    assert (peak.peak.value, peak.is_spoilt, peak.other) == (120, False, None)
    (before,) = find_peaks(of(first=-1), Granularity.HOUR, place).values()
    assert (before.peak.value, before.is_spoilt) == (100, False)


@pytest.mark.parametrize("days", [1, 2])
def test_a_peak_is_judged_by_the_count_that_holds_it_and_by_no_other(days: int) -> None:
    """60 people are left over until 04:00; the day after is flawless."""
    place = Counted({at(9, -1): (100, 0), at(20, -1): (0, 40), at(9): (120, 0), at(20): (0, 120)})
    (peak,) = find_peaks(of(days, first=1 - days), Granularity.HOUR, place).values()
    assert (peak.peak.value, peak.is_spoilt) == (120, False)
    assert peak.other is not None
    assert (peak.other.unleft, peak.other.until) == (60, at(4))
    (spoilt,) = find_peaks(of(first=-1), Granularity.HOUR, place).values()
    assert (spoilt.peak.value, spoilt.is_spoilt) == (100, True)


def test_the_last_minute_of_a_count_is_judged_by_that_count_though_the_range_has_no_other_of_it() -> None:
    place = Counted({at(9, -1): (100, 0), at(9): (40, 0), at(20): (0, 40)})
    last = at(4) - timedelta(minutes=1)
    (peak,) = find_peaks(request(TimeRange(last, at(24))), Granularity.HOUR, place).values()
    assert (peak.peak.start, peak.peak.value, peak.granularity) == (last, 100, Granularity.MINUTE)
    assert peak.is_spoilt


def test_a_count_that_was_over_before_the_range_says_nothing_of_it() -> None:
    """30 leave uncounted on the day before, of which nothing is left at midnight."""
    place = Counted({at(9, -1): (20, 0), at(20, -1): (0, 50), at(9): (20, 0), at(20): (0, 20)})
    (peak,) = find_peaks(of(), Granularity.HOUR, place).values()
    assert (peak.is_spoilt, peak.other) == (False, None)
    (before,) = find_peaks(of(first=-1), Granularity.HOUR, place).values()
    assert before.is_spoilt


@pytest.mark.parametrize("gone", [37, 36])
def test_a_count_after_the_peak_is_told_beside_it(gone: int) -> None:
    """37 are inside at midnight, all or all but one gone by 04:00; later 31 leave of whom one was counted in.

    That the count begins again at 04:00 shows on the day after, when somebody is inside.
    """
    night = {at(22, -1): (37, 0), at(3.5): (0, gone), at(4.5): (1, 0), at(6): (0, 31)}
    place = Counted(night | {at(3, 1): (2, 0), at(5, 1): (3, 0), at(6, 1): (0, 3)})
    (peak,) = find_peaks(of(), Granularity.HOUR, place).values()
    assert (peak.peak.value, peak.is_spoilt) == (37, False)
    assert peak.other is not None
    assert (peak.other.since, peak.other.unentered) == (at(4), 30)
    assert peak.spoilt == (peak.other,)


def test_a_day_that_is_always_open_is_not_added_to_the_day_before() -> None:
    """Begun again at midnight; on each day 8 of 11 people leave whom nobody counted in."""
    coming = {at(hour + 0.5, day): (1, 0) for day in range(-2, 2) for hour in range(24)}
    leaving = {at(hour + 1, day): (0, 1) for day in range(-2, 2) for hour in range(24)}
    hidden = {at(12, day): (0, 9) for day in range(-2, 2)}
    peaks = {at(13.25, day): (11, 0) for day in range(-2, 2)} | {
        at(13.75, day): (0, 11) for day in range(-2, 2)
    }
    (peak,) = find_peaks(of(), Granularity.HOUR, Counted(coming | leaving | hidden | peaks, reset=0)).values()
    assert (peak.peak.value, peak.is_spoilt, peak.other) == (12, False, None)


def test_people_left_over_are_found_also_where_nothing_is_stored_at_night() -> None:
    flows = {at(9, day): (100, 0) for day in (-2, -1, 0, 1)} | {at(19, day): (0, 100) for day in (-2, -1, 1)}
    place = Counted(flows | {at(19): (0, 40)}, dark=range(20 * 60, 32 * 60))
    dark_at_night = Counted(flows | {at(19): (0, 40)}, dark=range(20 * 60, 24 * 60))
    for stored in (place, dark_at_night):
        (peak,) = find_peaks(of(), Granularity.HOUR, stored).values()
        assert peak.drift is not None
        assert (peak.drift.unleft, peak.is_spoilt) == (60, True)


@pytest.mark.parametrize("hour", [1, 3.75, 5, 9, 13, 21])
@pytest.mark.parametrize(
    "flows",
    [
        {at(9, -1): (100, 0), at(20, -1): (0, 78), at(0.5): (0, 35), at(9): (50, 0), at(12): (0, 70)},
        {at(9, -1): (100, 0), at(20, -1): (0, 40), at(9): (120, 0), at(20): (0, 120)},
        {at(22, -1): (37, 0), at(3.5): (0, 36), at(6): (0, 30), at(8): (20, 0)},
        {at(8): (0, 14), at(9): (40, 0), at(12): (0, 40)},
    ],
)
def test_today_a_feed_and_the_history_judge_the_present_count_alike(
    flows: Mapping[datetime, Flow], hour: float
) -> None:
    place, over = Counted(flows), at(hour)
    asked = replace(request(TimeRange(MIDNIGHT, over)), asked_at=over + timedelta(minutes=2))
    (peak,) = find_peaks(asked, Granularity.HOUR, place).values()
    told = [drift for drift in (peak.drift, peak.other) if drift and drift.is_spoiling and not drift.until]
    minutes = place.points(asked.minutes(asked.subjects[0], asked.range))
    present = present_drift((point.timestamp, point.metrics) for point in minutes)
    assert present is not None
    assert present.is_spoiling == bool(told)


class ByHour(Asked):
    """A service that answers questions about minutes by hour."""

    def points(self, query: MetricsQuery) -> list[MetricPoint]:
        is_minute = query.granularity is Granularity.MINUTE
        return super().points(
            query.model_copy(update={"granularity": Granularity.HOUR}) if is_minute else query
        )


@pytest.mark.parametrize("unit", [Granularity.MINUTE, Granularity.HOUR, Granularity.DAY])
def test_a_peak_is_told_as_exactly_as_the_service_answers(unit: Granularity) -> None:
    range_ = TimeRange(FULLEST - timedelta(hours=11), FULLEST + timedelta(hours=9))
    asked = ByHour()
    (peak,) = find_peaks(request(range_), unit, asked).values()
    hour = FULLEST.replace(minute=0)
    assert (peak.peak.start, peak.granularity) == (hour, Granularity.HOUR)
    assert (peak.drift, peak.checked) == (None, None)
    assert len(asked.queries) <= 2


def test_a_minute_that_stands_alone_is_none_where_a_service_tells_hours() -> None:
    hour = FULLEST.replace(minute=0)
    range_ = TimeRange(hour + timedelta(minutes=59), hour + timedelta(hours=9))
    (peak,) = find_peaks(request(range_), Granularity.HOUR, ByHour()).values()
    assert (peak.peak.start, peak.granularity, peak.drift) == (hour, Granularity.HOUR, None)


def test_rare_minutes_are_not_taken_for_hours() -> None:
    """Those in which somebody came or went alone are stored, and none of them follows another."""
    hour = FULLEST.replace(minute=0)

    def of(*minutes: int) -> Granularity:
        points = [MetricPoint(timestamp=hour + timedelta(minutes=one), metrics={}) for one in minutes]
        return answered_in(points, Granularity.MINUTE, ZURICH)

    assert of(29, 46, 66) is Granularity.MINUTE
    assert of(12, 46) is Granularity.MINUTE
    assert of(12, 60) is of(15, 75, 135) is of(46) is Granularity.HOUR


def test_nothing_counts_as_checked_where_entrances_and_exits_tell_nothing_of_the_number_inside() -> None:
    def averages(queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, Sequence[MetricPoint]]:
        return {
            subject: [
                replace(point, metrics={key: n + 0.5 for key, n in point.metrics.items()}) for point in points
            ]
            for subject, points in Drifting()(queries).items()
        }

    def without_flows(queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, Sequence[MetricPoint]]:
        return {
            subject: [
                replace(point, metrics={"visitorsInside": point.metrics["visitorsInside"]})
                for point in points
            ]
            for subject, points in Drifting()(queries).items()
        }

    for ask in (averages, without_flows):
        (peak,) = find_peaks(request(DAY), Granularity.MINUTE, ask).values()
        assert (peak.granularity, peak.checked) == (Granularity.MINUTE, None)
