"""That an hour of History means as much in one range as in another, and as on the other pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import Peak, starts_of
from analysis.drift import Drift
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest
from analysis.hourly_verdict import MOST_HOURS, with_hourly_verdict
from analysis.peak_search import FoundPeak
from analysis.rhythm_answer import rhythm_request
from analysis.spoilt_days import spoilt_days
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange, range_of_days
from analysis.trust_grid import place_grid
from analysis.untrusted import (
    UNCHECKED,
    UNTRUSTED,
    doubts,
    untrusted_earlier_rows,
    untrusted_part,
    untrusted_rows,
)
from components.number_format import Formats
from components.sentences.answers import answers_of, rows_untrusted
from components.sentences.drift_words import unchecked_words
from components.sentences.headline import headline
from components.tables.shown_table import shown_table
from contract import Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery, parse_instant
from contract.buckets import bucket_start, bucket_starts

ZURICH = ZoneInfo("Europe/Zurich")
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
INSIDE = MetricKey.VISITORS_INSIDE
NOW = datetime(2026, 6, 29, 13, 30, tzinfo=UTC)
TODAY = date(2026, 6, 29)
DAY = timedelta(days=1)
FORMATS = Formats(now=NOW)


class Shop:
    """Forty come each hour from nine until six, and go in the next one; on some days `lost` more go at nine,
    and on some nothing is counted from twelve until six.
    """

    def __init__(self, lost: Mapping[date, int], silent: Sequence[date] = ()) -> None:
        self._lost, self._silent = lost, silent
        self.asked: list[MetricsQuery] = []

    def __call__(self, queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        self.asked += queries.values()
        return {subject: list(self._points(query)) for subject, query in queries.items()}

    def _points(self, query: MetricsQuery) -> list[MetricPoint]:
        start, end = (
            parse_instant(text or "now", now=NOW, timezone=ZURICH) for text in (query.from_, query.to)
        )
        assert query.granularity is Granularity.HOUR
        factor = {Aggregation.SUM: 60.0, Aggregation.AVERAGE: 1 / 60}.get(query.aggregation, 1.0)  # type: ignore[arg-type]
        points = []
        for one in bucket_starts(start, min(end, NOW), Granularity.HOUR, ZURICH):
            local = one.astimezone(ZURICH)
            if local.date() in self._silent and 12 <= local.hour < 18:
                continue
            came, went = 40 * (9 <= local.hour < 18), 40 * (10 <= local.hour < 19)
            went += self._lost.get(local.date(), 0) * (local.hour == 9)
            told = {"entrances": came, "exits": went, "visitorsInside": 20 * bool(came)}
            points.append(MetricPoint(timestamp=one, metrics={k: factor * v for k, v in told.items()}))
        return points


def shown(shop: Shop, range_: TimeRange, peaks: Mapping[Subject, FoundPeak] | None = None) -> HistoryData:
    asked = HistoryRequest("shop", (SHOP,), (INSIDE,), range_, ZURICH, NOW, Granularity.HOUR)
    data = history_data(asked, {SHOP: shop(asked.queries())[SHOP]}, Granularity.HOUR)
    return with_hourly_verdict(data, asked, peaks or {}, partial(place_grid, run=shop))


def days(first: date, count: int) -> TimeRange:
    return range_of_days(first, first + count * DAY, ZURICH)


def unsound(data: HistoryData) -> set[datetime]:
    return {
        start
        for start, is_spoilt in zip(starts_of(data.table), untrusted_rows(data, "Shop"), strict=True)
        if is_spoilt
    }


@pytest.mark.parametrize("ago", [3, 25, 40, 300])
def test_an_hour_means_as_much_in_a_week_as_alone(ago: int) -> None:
    day = TODAY - ago * DAY
    shop = Shop({day: 200})
    alone, week = days(day, 1), days(day - 3 * DAY, min(7, ago + 3))
    by_day, by_week = unsound(shown(shop, alone)), unsound(shown(shop, week))
    assert by_day == {one for one in by_week if alone.start <= one < alone.end}
    assert len(by_day) > 18


@pytest.mark.parametrize("ago", [3, 25, 40])
def test_it_means_as_much_as_on_rhythm(ago: int) -> None:
    day = TODAY - ago * DAY
    shop = Shop({day: 200, TODAY: 300})
    weeks = rhythm_request("shop", SHOP, INSIDE, 8, timezone=ZURICH, now=NOW)
    found = spoilt_days(weeks, shop)
    assert found is not None
    hour_that_runs = NOW - timedelta(minutes=30)
    range_ = TimeRange((weeks.range.start + 10 * DAY), hour_that_runs)
    assert unsound(shown(shop, range_)) == {one for one in found.hours if one >= range_.start}
    assert hour_that_runs in unsound(shown(shop, TimeRange(range_.start, NOW))), "As the hour before it."


def test_what_the_minutes_found_stays() -> None:
    night = days(TODAY - 5 * DAY, 1)
    count = Drift(since=night.start, until=night.start + timedelta(hours=3), unleft=60)
    found = FoundPeak(Peak(night.start, 90), Granularity.MINUTE, count, spoilt=(count,))
    shop = Shop({})
    asked = HistoryRequest("shop", (SHOP,), (INSIDE,), night, ZURICH, NOW, Granularity.HOUR)
    data = history_data(asked, {SHOP: shop(asked.queries())[SHOP]}, Granularity.HOUR)
    data = replace(data, untrusted={"Shop": [TimeRange(count.since, night.start + timedelta(hours=3))]})
    judged = with_hourly_verdict(data, asked, {SHOP: found}, partial(place_grid, run=shop))
    assert untrusted_rows(judged, "Shop") == [*([True] * 3), *([False] * 21)]


def test_of_a_day_that_lacks_counts_nobody_knows() -> None:
    """Which the table says beside its numbers, and a sentence."""
    gap = TODAY - 5 * DAY
    data = shown(Shop({}, silent=[gap]), days(gap - DAY, 2))
    said = doubts(data, "Shop")
    assert UNTRUSTED not in said
    assert (said[12], said[24 + 9]) == ("", UNCHECKED)
    table = shown_table(data)
    assert table["People inside, note"][24 + 9] == UNCHECKED
    assert table["People inside, note"][24 + 13] == "", "Nothing is counted then."
    (told,) = unchecked_words(data, FORMATS)
    assert told.startswith("In ")
    assert " of 42 hours the number inside could not be checked" in told


class NewShop(Shop):
    """One whose counts begin then; of days and months it tells the first that has any."""

    def __init__(self, since: datetime, silent: Sequence[date] = ()) -> None:
        super().__init__({}, silent)
        self._since = since

    def __call__(self, queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        return {subject: list(self._since_then(query)) for subject, query in queries.items()}

    def _since_then(self, query: MetricsQuery) -> Iterator[MetricPoint]:
        if query.granularity is Granularity.HOUR:
            yield from (point for point in self._points(query) if point.timestamp >= self._since)
            return
        start, end = (
            parse_instant(text or "now", now=NOW, timezone=ZURICH) for text in (query.from_, query.to)
        )
        if query.granularity and (first := max(start, self._since)) < end:
            yield MetricPoint(
                timestamp=bucket_start(first, query.granularity, ZURICH), metrics={"visitorsInside": 1}
            )


def test_the_day_on_which_counting_begins_is_not_said_to_lack_counts() -> None:
    """Nor is it where the range begins with it; one that lacks some besides is told of, too."""
    first = TODAY - 20 * DAY
    noon = range_of_days(first, first + DAY, ZURICH).start + timedelta(hours=12)
    for before in (DAY, 0 * DAY):
        (told,) = unchecked_words(shown(NewShop(noon), days(first - before, 3)), FORMATS)
        assert told.endswith(
            "could not be checked against who came and who left, as counting had just begun."
        )
    lacking = NewShop(noon, silent=[first + 2 * DAY])
    (told,) = unchecked_words(shown(lacking, days(first, 4)), FORMATS)
    assert told.endswith(", as entrances or exits of that day are missing, or counting had just begun.")


def test_where_no_hours_are_told_nothing_is_known() -> None:
    range_ = days(TODAY - 5 * DAY, 1)
    asked = HistoryRequest("shop", (SHOP,), (INSIDE,), range_, ZURICH, NOW, Granularity.HOUR)
    data = history_data(asked, {SHOP: Shop({})(asked.queries())[SHOP]}, Granularity.HOUR)
    found = with_hourly_verdict(data, asked, {}, lambda _asked: None)
    assert not found.checked_by_hours
    assert found.unchecked == {"Shop": [range_]}
    assert doubts(found, "Shop") == [UNCHECKED] * 24


def test_of_entrances_alone_nothing_is_asked() -> None:
    range_, shop = days(TODAY - 5 * DAY, 1), Shop({})
    metrics = (MetricKey.ENTRANCES,)
    asked = HistoryRequest("shop", (SHOP,), metrics, range_, ZURICH, NOW, Granularity.HOUR)
    data = history_data(asked, {SHOP: shop(asked.queries())[SHOP]}, Granularity.HOUR)
    before = len(shop.asked)
    assert with_hourly_verdict(data, asked, {}, partial(place_grid, run=shop)) is data
    assert len(shop.asked) == before


def test_years_of_hours_are_not_read_and_the_rest_is_not_checked() -> None:
    shop = Shop({TODAY - 5 * DAY: 200})
    data = shown(shop, days(TODAY - 1800 * DAY, 1800))
    read = [parse_instant(one.from_ or "", now=NOW, timezone=ZURICH) for one in shop.asked[1:]]
    assert min(read) >= NOW - timedelta(hours=MOST_HOURS + 1)
    (rest,) = data.unchecked["Shop"]
    assert rest.start == data.range.start
    assert len(unsound(data)) > 18


def test_the_other_period_is_judged_likewise() -> None:
    shop, day = Shop({TODAY - 9 * DAY: 200}), days(TODAY - 2 * DAY, 1)
    asked = HistoryRequest("shop", (SHOP,), (INSIDE,), day, ZURICH, NOW, Granularity.HOUR)
    data = history_data(asked, {SHOP: shop(asked.queries())[SHOP]}, Granularity.HOUR)
    before = days(TODAY - 9 * DAY, 1)
    data = replace(
        data, earlier=data.table, earlier_range=before,
        earlier_starts=list(bucket_starts(*before, Granularity.HOUR, ZURICH)),
    )  # fmt: skip
    found = with_hourly_verdict(data, asked, {}, partial(place_grid, run=shop))
    assert not any(untrusted_rows(found, "Shop"))
    assert sum(untrusted_earlier_rows(found, "Shop")) > 18


def test_the_sentences_do_not_contradict_the_grey_line() -> None:
    spoilt = TODAY - 5 * DAY
    data = shown(Shop({spoilt: 200}), days(spoilt - DAY, 3))
    peak = FoundPeak(Peak(days(spoilt, 1).start + timedelta(hours=9), 40), Granularity.MINUTE)
    other = peak._replace(peak=Peak(days(spoilt + DAY, 1).start + timedelta(hours=9), 40))
    assert headline(SHOP, data, peak, FORMATS) == "The number inside cannot be trusted."
    assert headline(SHOP, data, other, FORMATS).endswith(
        ", though the number inside cannot be trusted in 24 of 72 hours."
    )
    said = " ".join(answers_of(SHOP, data, other, FORMATS))
    assert "cannot be trusted in 24 of 72 hours: who came in and who went out do not add up then." in said
    assert "On average" not in said


def test_the_part_hours_at_both_ends_are_one() -> None:
    spoilt = days(TODAY - 5 * DAY, 1)
    part = timedelta(minutes=35)
    range_ = TimeRange(spoilt.start + timedelta(hours=5) + part, spoilt.end + timedelta(hours=5) + part)
    data = shown(Shop({TODAY - 5 * DAY: 200, TODAY - 4 * DAY: 200}), range_)
    assert len(data.table) == 25
    assert untrusted_part(data, "Shop") == (24, 24)
    first_alone = shown(Shop({TODAY - 5 * DAY: 200}), range_)
    assert untrusted_rows(first_alone, "Shop")[0] != untrusted_rows(first_alone, "Shop")[-1]
    assert untrusted_part(first_alone, "Shop").expected == 24


def test_of_a_day_it_is_said_that_a_part_may_be_meant() -> None:
    """A count ends at night: of its last day the first hours alone mean nothing."""
    spoilt = TODAY - 5 * DAY
    hours = shown(Shop({spoilt: 200}), days(spoilt - DAY, 4))
    asked = HistoryRequest("shop", (SHOP,), (INSIDE,), hours.range, ZURICH, NOW, Granularity.DAY)
    points = [
        MetricPoint(timestamp=start, metrics={INSIDE: 8})
        for start in bucket_starts(*hours.range, Granularity.DAY, ZURICH)
    ]
    data = replace(
        history_data(asked, {SHOP: points}, Granularity.DAY),
        untrusted=hours.untrusted, checked_by_hours=hours.checked_by_hours,
    )  # fmt: skip
    assert rows_untrusted(data, "Shop", FORMATS) == "2 of 4 days, at least in part"
