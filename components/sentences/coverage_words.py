"""How much of a range has counts, and on how much of it an average rests, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import compress
from typing import Final, Protocol

from analysis.bucket_table import AverageInside, Completeness, ends_are_one, starts_of
from analysis.counted_minutes import (
    Unseen,
    few_earlier_minutes,
    few_minutes,
    is_nearly_all,
    lacking_rows,
    open_in_part,
    unseen_of,
)
from analysis.history_data import (
    HistoryData,
    earlier_rows_that_count,
    holds_nights,
    rows_that_count,
    rows_with_counts,
    with_all_earlier,
)
from analysis.made_once import made_once
from analysis.names import LONGEST_NAME, one_line
from analysis.site_report import has_several_doors
from analysis.time_range import TimeRange
from components.number_format import Formats
from contract import CROSSINGS, Granularity, MetricKey, Site


class _Named(Protocol):
    @property
    def label(self) -> str: ...


STOPPED_DOORS: Final = (
    "Minutes are counted in which any door is: who came by one that has stopped is missing."
    " Trust names doors that have stopped."
)
_OF_PEOPLE: Final = {MetricKey.VISITORS_INSIDE, *CROSSINGS}
_WHOLE_PEOPLE: Final = 20
_DECIMALS: Final = ((10, 2), (1000, 1))
"""Below so many people, so many decimals of two averages that are held against each other."""
_LEAST_PEOPLE: Final = 0.1


def stopped_doors_words(site: Site, metrics: Iterable[MetricKey] = CROSSINGS) -> str:
    """What a count of minutes does not tell of a site with several doors; empty: it tells all, or none of
    `metrics` is of people.
    """
    is_of_people = not _OF_PEOPLE.isdisjoint(metrics)
    return STOPPED_DOORS if is_of_people and has_several_doors(site) else ""


@made_once
def present_buckets(data: HistoryData, formats: Formats) -> str:
    """How many buckets have a count, as they are drawn: `57 of 60 minutes have counts.`; of both periods,
    and of the zone or door that has the fewest.

    A day has, with any minute of it. Which of them the range cuts, `held_in_part` tells. Where counting began
    within the range, it is of the buckets since then, and says so.
    """
    unit = _unit(data)
    rows, counts = [few_minutes(data, label) for label in data.labels], rows_that_count(data)
    is_split = _is_split(starts_of(data.table), data.range, data)
    there = rows_with_counts(data, data.labels)
    own, few = _counted(there, [] if holds_nights(data) else rows, counts, is_split=is_split)
    in_part = ", at least in part" if holds_nights(data) and own.present else ""
    less = f", {_few(few, own)}" if few else in_part
    other = f"{_of_other(data, own, few, formats)}.{_of_least(data, own, formats)}{_unseen(data, formats)}"
    if own.expected == 1:
        return (
            f"The {unit} has {'counts' if own.present else 'no counts'}{less}{other}{_since(data, formats)}"
        )
    part = portion_first(own, unit, formats)
    have = "has" if own.present == 1 else "have"
    return f"{part} {have} counts{less}{other}{_since(data, formats)}"


def _unseen(data: HistoryData, formats: Formats) -> str:
    """A sentence on the first zone or door of which minutes may be missing unseen; empty: nearly none."""
    found = [unseen_words(unseen_of(data, label), formats) for label in data.unseen]
    said = next(filter(None, found), "")
    return f" {said}" if said else ""


def unseen_words(unseen: Unseen, formats: Formats) -> str:
    """What a count of minutes cannot vouch for; empty where that is hardly any."""
    if not unseen.minutes or is_nearly_all(Completeness(round(unseen.of - unseen.minutes), round(unseen.of))):
        return ""
    if not unseen.is_told:
        return "This service does not tell how many minutes its counts are of: missing ones do not show."
    return (
        f"This service rounds its averages, so that up to {formats.number(unseen.minutes)} of"
        f" {formats.number(unseen.of)} minutes that look counted may be missing."
    )


def _since(data: HistoryData, formats: Formats) -> str:
    """A sentence; empty where counting began before the range."""
    return f" {began_words(data.since.astimezone(data.timezone), formats)}" if data.since else ""


def began_words(since: datetime, formats: Formats) -> str:
    """Of a site whose counts begin within what is shown; `since` is local."""
    return f"Counting began on {formats.dated(since)}: what was before lacks nothing."


def in_part_words(data: HistoryData) -> str:
    """Which bars are dotted though the range does not cut them; empty: none are."""
    if not any(metric in CROSSINGS for metric in data.metrics):
        return ""
    whys = [
        f"{data.granularity}s in which it opens or closes" if any(open_in_part(data)) else "",
        f"{data.granularity}s that lack minutes" if _is_lacking(data) else "",
    ]
    return " and ".join(filter(None, whys))


def _is_lacking(data: HistoryData) -> bool:
    return any(any(lacking_rows(data, label)) for label in data.labels)


def _unit(data: HistoryData) -> str:
    """What a row is: `hour`, or `open hour` where others do not count."""
    return data.granularity if data.open_time is None else f"open {data.granularity}"


def _of_least(data: HistoryData, own: Completeness, formats: Formats) -> str:
    """A sentence on the zone or door with the fewest counts, where others have some beside them."""
    if len(data.labels) <= 1:
        return ""
    counts, is_split = rows_that_count(data), _is_split(starts_of(data.table), data.range, data)
    there = {
        one: _counted(rows_with_counts(data, [one]), [], counts, is_split=is_split)[0] for one in data.labels
    }
    label, least = min(there.items(), key=lambda pair: pair[1].present)
    if least.present >= own.present:
        return ""
    name = one_line(label, LONGEST_NAME)
    return f" The least complete, {name}, has {portion(least, _unit(data), formats)}."


def _counted(
    has_counts: Sequence[bool],
    few: Sequence[Sequence[Completeness | None]],
    counts: Sequence[bool],
    *,
    is_split: bool,
) -> tuple[Completeness, int]:
    """How many buckets have counts, and in how many some label lacks minutes: `few`, by label and row.

    Of those that count alone: others are closed, and lack nothing. Two ends that together are one bucket
    (`is_split`) count as one where they agree.
    """
    there = list(compress(has_counts, counts))
    by_row = [any(row) for row in zip(*few, strict=True)] if few else [False] * len(counts)
    lacks = list(compress(by_row, counts))
    if is_split and counts[0] and counts[-1] and there[0] == there[-1]:
        there.pop()
        lacks[0] |= lacks.pop()
    return Completeness(sum(there), len(there)), sum(lacks)


def _is_split(starts: Sequence[datetime], range_: TimeRange, data: HistoryData) -> bool:
    """Whether the first and the last bucket are one, as of 24 hours from 18:06 on; but not of a year, whose
    first month may be missing at its end a year ago and be there now.
    """
    return data.granularity is not Granularity.MONTH and ends_are_one(starts, range_, data.timezone)


def _few(few: int, own: Completeness) -> str:
    """Of how many of the buckets that have counts minutes are missing."""
    some = f"{few} of them " if own.present > 1 else ""
    return f"{some}with minutes missing"


def _of_other(data: HistoryData, own: Completeness, own_few: int, formats: Formats) -> str:
    """A clause on the period that it is compared with; of all of its whole buckets, as its totals are."""
    data = with_all_earlier(data)
    # Where nobody came time inside has no value, and what was counted then is not asked for.
    is_untold = data.earlier is None or data.earlier.columns.empty or data.metrics == [MetricKey.TIME_SPENT]
    if data.earlier is None or data.earlier_range is None or is_untold:
        return ""
    told = zip(data.earlier_starts, earlier_rows_that_count(data), strict=True)
    by_start = sorted((start, row) for row, (start, is_there) in enumerate(told) if start and is_there)
    if not by_start:
        is_closed = any(data.earlier_starts) and data.earlier_open_time is not None
        return "; in the other period it is closed" if is_closed else ""
    starts, rows = [start for start, _ in by_start], [row for _, row in by_start]
    lacks = [few_earlier_minutes(data, label) for label in data.labels]
    drawn = [[one[index] for index in rows] for one in lacks]
    is_split = _is_split(starts, data.earlier_range, data)
    lacks = [] if holds_nights(data) else drawn
    has_counts = data.earlier.iloc[rows].notna().any(axis="columns").tolist()
    there, few = _counted(has_counts, lacks, [True] * len(rows), is_split=is_split)
    less = f", {_few(few, there)}" if few else ""
    if not there.present:
        return "; in the other period none"
    if not there.is_complete or there.expected != own.expected:
        all_, present = formats.number(there.expected), formats.number(there.present)
        part = f"all {all_}" if there.is_complete and there.expected > 1 else f"{present} of {all_}"
        return f"; in the other period {part}{less}"
    if own.is_complete and (few or not own_few):
        return f"; in the other period too{less}"
    one = "all of it" if own.present else "it has"
    return f"; in the other period {'all' if there.expected > 1 else one}{less}"


def portion(there: Completeness, kind: str, formats: Formats) -> str:
    """`57 of 60 minutes`, `all 24 hours`, `the day`: how complete a figure is, everywhere in these words."""
    unit = kind if there.expected == 1 else f"{kind}s"
    if there.is_complete:
        return f"all {formats.number(there.expected)} {unit}" if there.expected > 1 else f"the {unit}"
    return f"{formats.number(there.present)} of {formats.number(there.expected)} {unit}"


def portion_first(there: Completeness, kind: str, formats: Formats) -> str:
    """As `portion`, at the beginning of a sentence."""
    said = portion(there, kind, formats)
    return f"{said[0].upper()}{said[1:]}"


def counted_in_part(half: Iterable[tuple[_Named, Completeness]], formats: Formats) -> list[str]:
    """A sentence for each place that is counted in clearly fewer minutes than others beside it."""
    unit = Granularity.MINUTE
    return [
        f"{one_line(place.label, LONGEST_NAME)} is counted in {portion(counted, unit, formats)} only."
        for place, counted in half
    ]


def average_words(average: AverageInside, formats: Formats, *, beside: AverageInside | None = None) -> str:
    """`12 inside over the 3 of 24 hours in which somebody was`, and on how few minutes that rests.

    `beside` is that of the other period, where it is shown.
    """
    said = f"{people_words(average, formats, beside)} inside"
    if not average.hours.is_complete:
        said = f"{said} over the {portion(average.hours, Granularity.HOUR, formats)} in which somebody was"
    apart = [
        f"those {who} in {formats.number(hours)} {'hour' if hours == 1 else 'hours'} {why}"
        for hours, who, why in (
            (average.left_over, "left over", "when nobody came or went"),
            (average.unknown, "inside", "of which minutes are missing, when nobody was seen to come or go"),
        )
        if hours
    ]
    if apart:
        said = f"{said}, not counting {' nor '.join(apart)}"
    return said + few_words(average.minutes, formats)


def people_words(average: AverageInside, formats: Formats, beside: AverageInside | None = None) -> str:
    """With decimals where whole people would hide a difference; somebody is not rounded to nobody.

    With more of them `beside` another average, so that both bear out the percentage that they differ by.
    """
    people = average.people
    if 0 < people < _LEAST_PEOPLE:
        return f"under {formats.number(_LEAST_PEOPLE, 1)}"
    if beside is None:
        return formats.number(people, 0 if people >= _WHOLE_PEOPLE else 1)
    least = min(people, beside.people)
    return formats.number(people, next((more for most, more in _DECIMALS if least < most), 0))


def few_words(minutes: Completeness, formats: Formats) -> str:
    """A clause; empty where nearly all are counted."""
    if is_nearly_all(minutes):
        return ""
    return f", counted in {portion(minutes, Granularity.MINUTE, formats)}"
