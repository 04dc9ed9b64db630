"""A range of time and a bucket in words: from when to when, why it cannot be shown, what is cut."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from analysis.first_count import FirstCount
from analysis.history_data import HistoryData, earlier_rows_that_count, with_all_earlier
from analysis.time_range import TimeRange
from components.number_format import Formats, zone_words
from contract import Granularity
from contract.buckets import bucket_starts, next_bucket_start
from contract.minutes import published_until

_WAIT: Final = "That takes up to two minutes: reload the page then."
_WAIT_FOR_DAY: Final = "That takes up to two minutes, and then it is shown here by itself."


def range_text(range_: TimeRange, timezone: ZoneInfo, formats: Formats) -> str:
    """`Sat 14 Nov, 18:06 to Sat 21 Nov, 18:06`; whole days without clocks, a date once: `Mon 9 Nov`."""
    first, last = (moment.astimezone(timezone) for moment in range_)
    if not range_.is_empty and _is_midnight(first) and _is_midnight(last):
        last -= timedelta(days=1)
        until = "" if first.date() == last.date() else f" to {formats.day(last)}"
        return f"{formats.day(first)}{until}"
    until = formats.time(last) if first.date() == last.date() else _dated(last, formats)
    return f"{_dated(first, formats)} to {until}"


def range_in_years(range_: TimeRange, timezone: ZoneInfo, formats: Formats) -> str:
    """When, for whoever reads it in another year: `Mon 9 Nov to Sun 15 Nov (2026)`."""
    text = range_text(range_, timezone, formats)
    ends = (range_.start, max(range_.start, range_.end - timedelta.resolution))
    years = dict.fromkeys(str(moment.astimezone(timezone).year) for moment in ends)
    missing = [year for year in years if year not in text]
    return f"{text} ({missing[0]})" if missing else text


def _dated(local: datetime, formats: Formats) -> str:
    return f"{formats.day(local)}, {formats.time(local)}"


def named_range_text(label: str, range_: TimeRange, timezone: ZoneInfo, formats: Formats) -> str:
    """When a range is that has a name: `Last week: Mon 9 Nov to Sun 15 Nov.`."""
    return f"{label}: {range_text(range_, timezone, formats)}."


def _is_midnight(local: datetime) -> bool:
    return local.time() == time()


def why_not_shown(
    asked: TimeRange, now: datetime, timezone: ZoneInfo, formats: Formats, label: str = ""
) -> str | None:
    """Why a range holds nothing to show, and what to do; None where it holds a minute that is counted.

    `label` is what the range is called (`Today`), empty for one that is given by its dates.
    """
    if label and asked.is_empty:
        return f"{label} has only begun, and its first minute is not counted yet. {_WAIT_FOR_DAY}"
    first, last = (formats.dated(moment.astimezone(timezone)) for moment in asked)
    if asked.start > asked.end:
        return f"This range ends before it begins: from {first} back to {last}. Exchange the two."
    if asked.is_empty:
        return f"This range begins and ends at {first}, so it holds not one minute. Choose a later end."
    if asked.start >= now:
        return f"This range lies in the future: it begins at {first}. Choose one that has begun."
    if asked.start >= published_until(now):
        return f"This range began at {first}, and its first minute is not counted yet. {_WAIT}"
    return None


def still_to_come(asked: TimeRange, now: datetime, timezone: ZoneInfo, formats: Formats) -> str | None:
    """That a range reaches into the future; None where it is over."""
    if asked.end <= now:
        return None
    first, last = (formats.moment(at.astimezone(timezone)) for at in (published_until(now), asked.end))
    return f"The range goes on until {last}; counted so far is what came before {first}."


def why_nothing_stored(
    range_: TimeRange,
    first: FirstCount | None,
    timezone: ZoneInfo,
    formats: Formats,
    *,
    if_later: str = "Choose a range from then on.",
    otherwise: str = "Choose another range.",
) -> str:
    """That nothing was counted in a range, and what to do: `if_later` where counting began after it.

    `first` is None where that is not known.
    """
    span = " and ".join(formats.dated(moment.astimezone(timezone)) for moment in range_)
    said = f"No counts are stored between {span} ({zone_words(timezone.key)})."
    if first is None:
        return f"{said} {otherwise}"
    if first.start is None:
        return (
            f"{said} Nothing is stored of any other time either: see whether its counters are connected, or"
            " choose another zone."
        )
    began = f"Counting began on {formats.day(first.start.astimezone(timezone))}"
    if first.start >= range_.end:
        return f"{said} {began}. {if_later}"
    return f"{said} {began}, but nothing arrived in this time. {otherwise}"


def past_words(minutes: int) -> str:
    """Of hours or days of a service that are not those of the local clock."""
    return f"begin {minutes} minute{'' if minutes == 1 else 's'} past those"


def held_in_part(
    starts: Sequence[datetime],
    range_: TimeRange,
    granularity: Granularity,
    timezone: ZoneInfo,
    formats: Formats,
) -> str | None:
    """Which of the buckets that begin at `starts` the range cuts, and where; None where it cuts none."""
    begins, ends = (_edge(moment, granularity, timezone, formats) for moment in range_)
    cut_first = starts[0] < range_.start
    cut_last = next_bucket_start(starts[-1], granularity, timezone) > range_.end
    if len(starts) == 1 and (cut_first or cut_last):
        return f"this {granularity} is counted from {begins} until {ends}."
    parts = [
        f"the first {granularity} is counted from {begins} on" if cut_first else "",
        f"the last {granularity} is counted until {ends}" if cut_last else "",
    ]
    return f"{', '.join(part for part in parts if part)}." if any(parts) else None


def other_period_text(data: HistoryData, other: TimeRange, formats: Formats) -> str:
    """From when to when the other period is, and how long where it is not as long as this one.

    Its total and its peak also hold the bucket that still runs, which is not drawn.
    """
    end = data.totals.earlier.range.end if data.totals else other.end
    if end <= other.end:
        return _drawn_text(data, other, formats)
    until = formats.moment(end.astimezone(data.timezone))
    return f"{_drawn_text(data, other, formats)} What is said of it above holds what came until {until}, too."


def _drawn_text(data: HistoryData, other: TimeRange, formats: Formats) -> str:
    count = len(list(bucket_starts(*other, data.granularity, data.timezone)))
    said = range_text(other, data.timezone, formats)
    if other.is_empty:
        return f"the other period, of which no whole {data.granularity} is counted yet."
    if count == len(data.table):
        return f"{said}.{_alone_text(data, formats)}"
    units = _units(count, data, formats)
    return f"{said}, which has {units}, not {formats.number(len(data.table))}.{_alone_text(data, formats)}"


def _alone_text(data: HistoryData, formats: Formats) -> str:
    """A sentence on what of the other period no line shows; empty: there is nothing."""
    count = sum(earlier_rows_that_count(with_all_earlier(data))[len(data.table) :])
    if not count:
        return ""
    lies, is_ = ("lies", "is") if count == 1 else ("lie", "are")
    told = f"{is_} not drawn, but {is_} in the totals and the table"
    return f" {_units(count, data, formats)} of it {lies} beside none of this period: {told}."


def _units(count: int, data: HistoryData, formats: Formats) -> str:
    return f"{formats.number(count)} {data.granularity}{'' if count == 1 else 's'}"


def _edge(moment: datetime, granularity: Granularity, timezone: ZoneInfo, formats: Formats) -> str:
    """The time of day; with its date where a bucket has several days."""
    local = moment.astimezone(timezone)
    return _dated(local, formats) if granularity is Granularity.MONTH else formats.time(local)


def bucket_words(local: datetime, granularity: Granularity, formats: Formats) -> str:
    """The bucket that begins at `local` (aware): `November 2026`, `Sat 21 Nov`, `Sat 21 Nov, 13:00`."""
    if granularity is Granularity.MONTH:
        return formats.month(local)
    if granularity is Granularity.DAY:
        return formats.day(local)
    return _dated(local, formats)


def span_words(start: datetime, end: datetime, granularity: Granularity, formats: Formats) -> str:
    """From when to when a bucket is, both aware: an hour is `Sat 21 Nov, 17:00–18:00`."""
    said = bucket_words(start, granularity, formats)
    return f"{said}–{formats.time(end)}" if granularity is Granularity.HOUR else said


def archive_words(held_from: datetime, timezone: ZoneInfo, formats: Formats) -> str:
    """What is to be known of a range of which a part lies in an archive that cannot be read now."""
    before = formats.dated(held_from.astimezone(timezone))
    return (
        f"What was counted before {before} lies in the service's archive, which it cannot read now: it is"
        " left out here, and is there again once the archive is."
    )


def folded_words(until: datetime, granularity: Granularity, timezone: ZoneInfo, formats: Formats) -> str:
    """What is to be known of a range of which a part is kept as quarters of an hour alone."""
    before = formats.dated(until.astimezone(timezone))
    kept = f"Before {before} the service keeps counts as quarters of an hour alone"
    if granularity is Granularity.MINUTE:
        return f"{kept}: it has no minutes of that time. See it by hour."
    return f"{kept}: where a value takes single minutes, as at an end within a quarter, there is none."
