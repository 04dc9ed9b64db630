"""The answers about a week in sentences: when it is fullest, when quietest, which hours bring most people."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from analysis.bands import FEWEST_TENTHS, Band
from analysis.bucket_table import Completeness
from analysis.reporting_rate import EACH_MINUTE, ReportingRate
from analysis.rhythm import (
    DAYS_A_WEEK,
    FEWEST_DAYS,
    HOURS_A_DAY,
    Cell,
    Hour,
    PowerHours,
    Rhythm,
)
from analysis.rhythm_answer import HourOfDay
from analysis.time_inside import FEWEST_VISITS
from components.number_format import Formats
from components.sentences.coverage_words import portion_first
from contract import METRICS, Granularity, MetricKey, MetricKind, Unit

TIME_OF_AN_HOUR: Final = (
    "Time inside of an hour is that of all who are inside, divided by those who come in. Left out are hours"
    f" in which fewer than {FEWEST_VISITS} come, in which a place fills or empties, or in which people who"
    " left uncounted may have made much of it."
)
_MONDAY: Final = datetime(2024, 1, 1, tzinfo=UTC)
"""Any: weekdays and hours are written as of its week."""
_WHOLE_FROM: Final = 20
_LEAST: Final = 0.1
_A_MINUTE: Final = 60
_MOST_NAMED: Final = 3
"""Days by their dates; stretches of hours."""


def extremes(found: Rhythm, metric: MetricKey, formats: Formats, *, is_all: bool = False) -> str:
    """`Most on Saturdays from 14:00 to 15:00: 61 inside on average, of 4 days. Fewest …`.

    Of hours that are left out it says which: the fullest may be one of them. `is_all`: nothing was counted
    before these weeks.
    """
    busiest, quietest = found.extreme(busiest=True), found.extreme(busiest=False)
    if busiest is None or quietest is None:
        return _why_not(found, is_all=is_all)
    most, fewest = ("Longest", "Shortest") if METRICS[metric].unit is Unit.SECONDS else ("Most", "Fewest")
    said = [f"{most} on {_extreme(*busiest, found, metric, formats)}."]
    if busiest != quietest:
        said.append(f"{fewest} on {_extreme(*quietest, found, metric, formats)}.")
    if left_out := found.left_out:
        hours = f"{formats.number(len(left_out))} {'hour' if len(left_out) == 1 else 'hours'} of the week"
        said.append(
            f"Not in this: {hours} of which too few days can be used, {named_hours(left_out, formats)}."
        )
    return " ".join(said)


def _why_not(found: Rhythm, *, is_all: bool) -> str:
    cells = found.cells.values()
    if sum(cell.spoilt for cell in cells) > sum(cell.days.present for cell in cells):
        return (
            "The number inside cannot be trusted on most of these days, so nothing is told of it. Choose"
            " Entrances, which do not rest on it, or see the page Trust."
        )
    if any(cell.value and cell.days.present >= FEWEST_DAYS for cell in cells):
        return "Of each hour most days of these weeks have no counts that can be used. Choose fewer weeks."
    why = "No hour of the week has counts of enough days to say when it is busy."
    if not is_all:
        return f"{why} Choose more weeks."
    is_young = all(cell.days.expected < FEWEST_DAYS for cell in cells)
    return f"{why} Come back when a second week is counted." if is_young else why


def power_words(
    found: PowerHours, formats: Formats, *, is_drawn: bool = True, named: Collection[Hour] = ()
) -> str:
    """How concentrated the week is. `is_drawn`: a map marks these hours; `named` are those of which has been
    said that they are left out.
    """
    dots = " (dots)" if is_drawn else ""
    which = "" if set(named) == set(found.left_out) else f": {named_hours(found.left_out, formats)}"
    if not found.are_told:
        few = f"{formats.number(len(found.left_out))} of the {found.open_hours + len(found.left_out)} hours"
        return (
            "Which hours bring most of the entrances of a week cannot be told: too few days can be used of"
            f" {few} in which anybody comes{which}."
        )
    said = (
        f"{formats.part(100 * found.share)} of the entrances of a week come in"
        f" {len(found.hours)}{dots} of the {found.open_hours} hours in which anybody comes"
    )
    if not found.left_out:
        return f"{said}."
    hours = f"{formats.number(len(found.left_out))} {'hour' if len(found.left_out) == 1 else 'hours'}"
    return f"{said}, without {hours} of which too few days can be used{which}."


def named_hours(hours: Iterable[Hour], formats: Formats) -> str:
    """`on Mondays from 08:00 to 10:00, on Saturdays`; of many stretches, the weekdays alone. They ascend."""
    spans: dict[tuple[int, int], list[int]] = {}
    for first, last in stretches_of_hours(hours):
        spans.setdefault((first.hour, last.hour + 1), []).append(first.weekday)
    if len(spans) > _MOST_NAMED:
        return f"on {named_weekdays(sorted({day for days in spans.values() for day in days}))}"
    return _listed([
        f"on {named_weekdays(days)}"
        + ("" if after - first == HOURS_A_DAY else f" from {hours_text(first, after, formats)}")
        for (first, after), days in spans.items()
    ])  # fmt: skip


def stretches_of_hours(hours: Iterable[Hour]) -> list[tuple[Hour, Hour]]:
    """The first and the last hour of each, which end with their day; `hours` ascend."""
    found: list[tuple[Hour, Hour]] = []
    for hour in hours:
        if found and found[-1][1] == hour._replace(hour=hour.hour - 1):
            found[-1] = (found[-1][0], hour)
        else:
            found.append((hour, hour))
    return found


def named_weekdays(days: Sequence[int]) -> str:
    """`Mondays to Fridays`, `all weekdays`; they ascend."""
    if len(days) == DAYS_A_WEEK:
        return "all weekdays"
    names = [f"{weekday_name(day)}s" for day in days]
    if len(days) >= _MOST_NAMED and days[-1] - days[0] == len(days) - 1:
        return f"{names[0]} to {names[-1]}"
    return _listed(names)


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(", ".join(parts).rsplit(", ", 1)) if len(parts) > 1 else "".join(parts)


def began_words(since: datetime, formats: Formats) -> str:
    """Of weeks that are not all that were chosen; `since` is local."""
    return f"Counting began on {formats.day(since)}, so these are not all weeks that were chosen."


def rests_on(cells: Mapping[Hour, Cell], rate: ReportingRate, formats: Formats) -> str:
    """On how many of its hours the week rests, and what is left out of it."""
    days = [cell.days for cell in cells.values()]
    hours = Completeness(sum(own.present for own in days), sum(own.expected for own in days))
    spoilt = sum(cell.spoilt for cell in cells.values())
    are = "is" if 1 in {hours.expected, hours.present} else "are"
    said = f"{portion_first(hours, Granularity.HOUR, formats)} {are} counted and used."
    if rate != EACH_MINUTE:
        said = f"{said} {rate_words(rate, formats)}"
    if not spoilt:
        return said
    left_out = f"{formats.number(spoilt)} {'is' if spoilt == 1 else 'are'} left out"
    return f"{said} {left_out} because the number inside cannot be trusted then."


def rate_words(rate: ReportingRate, formats: Formats) -> str:
    """Of counters that do not report each minute."""
    return f"Of a whole hour, {formats.number(round(rate.mean))} of the 60 minutes have counts."


def usual_words(
    weekday: int,
    bands: Mapping[int, Band],
    metric: MetricKey,
    formats: Formats,
    *,
    left_out: Collection[int] = (),
    is_closed: bool = False,
) -> str:
    """When such a day is highest: `Saturdays are highest from 14:00 to 15:00: median 61 inside …`.

    `left_out`: its hours in which somebody is counted, or may be, on too few days to tell how many: none of
    them is the highest. `is_closed`: by the opening hours that are kept.
    """
    name = f"{weekday_name(weekday)}s"
    if not bands and is_closed:
        return f"The site is closed on {name}, by the opening hours that are kept for it."
    bands = {hour: band for hour, band in bands.items() if hour not in left_out}
    hours = f"{formats.number(len(left_out))} {'hour' if len(left_out) == 1 else 'hours'}"
    if left_out and not any(band.median for band in bands.values()):
        return (
            f"Too little is known of {name} to say what is usual: of {hours} in which somebody may come, too"
            " few days can be used."
        )
    if bands and not any(band.high for band in bands.values()):
        return f"Nobody is usually counted on {name}."
    if not any(band.median for band in bands.values()):
        return f"{name} have too few days that can be used to say what is usual."
    hour = max(bands, key=lambda one: (bands[one].median, -one))
    band = bands[hour]
    said = band_text(band, metric, formats)
    said = f"{name} are highest from {hours_text(hour, hour + 1, formats)}: {said}."
    if not left_out:
        return said
    spans = stretches_of_hours(Hour(weekday, hour) for hour in sorted(left_out))
    named = _listed([f"from {hours_text(one.hour, last.hour + 1, formats)}" for one, last in spans])
    which = f", {named}" if len(spans) <= _MOST_NAMED else ""
    return f"{said} Not in this: {hours} of which too few days can be used{which}."


def band_text(band: Band, metric: MetricKey, formats: Formats) -> str:
    """`median 31 came in, between 24 and 40 on eight days of ten`."""
    low, median, high = amounts(band[:3], metric, formats)
    return f"median {median} {METRICS[metric].counted}, between {low} and {high} on {of_days(band)}"


def of_days(band: Band) -> str:
    """Of which days a band holds."""
    return f"eight days of ten ({band.days} days)" if band.days >= FEWEST_TENTHS else f"all {band.days} days"


def usual_words_today(
    day: Sequence[HourOfDay], usual: Band | None, metric: MetricKey, formats: Formats
) -> str | None:
    """Today against `usual`, which `usual_today` tells; None: nothing is counted to be held against it."""
    counted = [one for one in day if one.value is not None]
    if not counted or usual is None:
        return None
    if METRICS[metric].kind is MetricKind.FLOW:
        value = sum(one.value or 0 for one in counted)
        hours = f"{len(counted)} hours" if len(counted) > 1 else "its first hour"
        when = (
            f"Today in {hours}"
            if len(counted) == len(day)
            else f"Today in {len(counted)} of {len(day)} hours"
        )
    else:
        value = counted[-1].value or 0
        when = f"Today from {hours_text(counted[-1].hour, counted[-1].hour + 1, formats)}"
    told, low, median, high = amounts([value, *usual[:3]], metric, formats)
    said = (
        f"{when}: {told} {METRICS[metric].counted}, {_beside(value, usual)}"
        f" (median {median}, between {low} and {high} on {of_days(usual)})."
    )
    # Of a time inside an hour without a number may be one in which visits tell little.
    if day[-1].value is not None or METRICS[metric].kind is MetricKind.MEAN:
        return said
    last = max(index for index, one in enumerate(day) if one.value is not None)
    since = clock_name(day[last + 1].hour, formats)
    untold = f"Nothing can be told of today since {since}: no counts since then can be used."
    return f"{said} {untold}" if value else untold


def _beside(value: float, usual: Band) -> str:
    if value < usual.low:
        return "less than usual"
    return "more than usual" if value > usual.high else "as usual"


def named_days(days: Sequence[date], formats: Formats) -> str:
    """`Mon 1 Jun; Tue 9 Jun`; of many, the first and the last. They ascend."""
    named = [formats.day(datetime.combine(day, time(12), UTC)) for day in days]
    if len(named) <= _MOST_NAMED:
        return "; ".join(named)
    return f"{formats.number(len(named))} days from {named[0]} to {named[-1]}"


def minutes_words(minutes: float, formats: Formats) -> str:
    """`1 h 12 min`, `1 min`, `under 1 min`; of a mean."""
    if 0 < minutes < 1:
        return "under 1 min"
    whole = round(minutes)
    return f"{whole} min" if whole <= 1 else formats.duration(whole * _A_MINUTE)


def in_units(value: float, metric: MetricKey) -> float:
    """As it is shown: minutes of a time inside."""
    return value / _A_MINUTE if METRICS[metric].unit is Unit.SECONDS else value


def amount(value: float, metric: MetricKey, formats: Formats) -> str:
    """A mean as it is written before `METRICS[metric].counted`; somebody is not rounded to nobody."""
    shown = in_units(value, metric)
    if 0 < shown < _LEAST:
        return f"under {formats.number(_LEAST, 1)}"
    return formats.number(shown, decimals=0 if shown >= _WHOLE_FROM else 1)


def amounts(values: Sequence[float], metric: MetricKey, formats: Formats) -> list[str]:
    """Each as `amount` writes it, but all to the same place: those of a band are held against each other."""
    shown = [float(in_units(value, metric)) for value in values]
    are_whole = all(one == 0 or (round(one, 1) and round(one, 1).is_integer()) for one in shown)
    decimals = 0 if are_whole or max(shown) >= _WHOLE_FROM else 1
    return [
        f"under {formats.number(_LEAST if decimals else 1, 1)}"
        if one > 0 and not round(one, decimals)
        else formats.number(one, decimals, are_all_written=True)
        for one in shown
    ]


def weekday_name(weekday: int) -> str:
    """`Monday`, of 0."""
    return f"{_MONDAY + timedelta(days=weekday):%A}"


def hours_text(first: int, after: int, formats: Formats) -> str:
    """`09:00 to 10:00`."""
    return f"{clock_name(first, formats)} to {clock_name(after % HOURS_A_DAY, formats)}"


def clock_name(hour: int, formats: Formats) -> str:
    return formats.time(_MONDAY + timedelta(hours=hour))


def hour_name(hour: int, formats: Formats) -> str:
    """As `clock_name`, as short as an axis on a phone wants it."""
    return formats.hour(_MONDAY + timedelta(hours=hour))


def _extreme(hour: Hour, value: float, found: Rhythm, metric: MetricKey, formats: Formats) -> str:
    days = found.cells[hour].days.present
    return (
        f"{weekday_name(hour.weekday)}s from {hours_text(hour.hour, hour.hour + 1, formats)}:"
        f" {amount(value, metric, formats)} {METRICS[metric].counted} on average, of {days} days"
    )
