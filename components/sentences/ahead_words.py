"""What the rest of a day will probably be like, in sentences; how wrong that was lately; what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import ceil
from typing import Final
from zoneinfo import ZoneInfo

from analysis.ahead_answer import Ahead
from analysis.drift import Drift
from analysis.forecast import BACK_WEEKS, WEEKS, Expected, PastError
from analysis.quieter import quieter_from
from analysis.reporting_rate import EACH_MINUTE
from analysis.time_to_full import LONGEST, OVER, Pace
from components.number_format import Formats
from components.sentences.drift_words import drift_reason
from components.sentences.rhythm_words import amount, amounts, rate_words, weekday_name
from contract import METRICS, MetricKey

_HOUR: Final = timedelta(hours=1)
_NUMBERS: Final = {4: "four", 5: "five"}

KnownHours = Sequence[tuple[datetime, Expected]]


def expected_words(found: Ahead, metric: MetricKey, timezone: ZoneInfo, formats: Formats) -> str:
    """When it will be busiest, how busy, and from when on quieter; or why nothing is expected. Empty where it
    is not open any more: when it is open is said beside.
    """
    if found.is_over:
        return ""
    weekday = weekday_name(found.to_come[0].start.astimezone(timezone).weekday()) if found.to_come else ""
    if found.is_today_spoilt:
        return (
            "The number inside cannot be trusted today, so nothing is told of the rest of it. Choose"
            " Entrances to see how many will come in: that does not rest on it."
        )
    if found.forecast.is_unlike:
        return (
            "Nobody has been counted yet today, though by this hour somebody was on each of"
            f" {formats.number(found.forecast.days)} {weekday}s of the last {_weeks(WEEKS)} weeks. So nothing"
            " is told of the rest of it: it is closed, or not counted."
        )
    if not found.known:
        return _why_unknown(found, weekday, formats)
    untold, partial = _untold(found, weekday, timezone, formats), _partial(found, timezone, formats)
    if any(band.high for _, band in found.known):
        said = _busiest(found, metric, timezone, formats)
    elif found.untold:
        said = f"In the other hours nobody is expected: on the last {weekday}s nobody was counted then."
        return f"{untold} {said}"
    else:
        said = f"Nobody is expected any more today: on the last {weekday}s nobody was counted at these hours."
    return " ".join(filter(None, [said, untold, partial]))


def _untold(found: Ahead, weekday: str, timezone: ZoneInfo, formats: Formats) -> str:
    """Of which hours nothing can be told, and why; empty: of none."""
    if not found.untold:
        return ""
    when = _spans(found.untold, timezone, formats)
    return (
        f"Nothing can be told {when}: too few {weekday}s have counts then that can be used,"
        " or too few days had anybody then."
    )


def _partial(found: Ahead, timezone: ZoneInfo, formats: Formats) -> str:
    """Which hours that are told lack minutes on such days; empty: none does."""
    lacking = [one for one in found.to_come if one.minutes and one.expected and one.expected.high]
    if not lacking:
        return ""
    missing = [one.minutes.expected - one.minutes.present for one in lacking if one.minutes]
    few, many = min(missing), max(missing)
    some = formats.number(many) if few == many else f"{formats.number(few)} to {formats.number(many)}"
    when = _spans([one.start for one in lacking], timezone, formats)
    return (
        f"{when[0].upper()}{when[1:]} some {some} minutes of an hour usually have no counts: what is told is"
        " of the others."
    )


def _why_unknown(found: Ahead, weekday: str, formats: Formats) -> str:
    if not found.spoilt:
        return f"Too few {weekday}s have counts that can be used to tell the rest of today."
    days = f"{formats.number(found.spoilt)} past {weekday if found.is_of_weekday else 'day'}"
    return (
        f"Nothing is told of the rest of today: on {days}{'' if found.spoilt == 1 else 's'} the number inside"
        " cannot be trusted, so too few are left to tell it by. Choose Entrances, which do not rest on it, or"
        " see the page Trust."
    )


def _busiest(found: Ahead, metric: MetricKey, timezone: ZoneInfo, formats: Formats) -> str:
    known = found.known
    start, band = max(known, key=lambda one: one[1].median)
    low, median, high = amounts(band, metric, formats)
    where = "inside on average" if metric is MetricKey.VISITORS_INSIDE else "to come in"
    when = hour_text(start, timezone, formats)
    is_one = sum(band.high > 0 for _, band in known) == 1
    lead = (
        f"From {when}" if is_one else f"{_until(known, found.untold, timezone, formats)} busiest from {when}"
    )
    said = f"{lead}: {median} expected {where}, {low} to {high} on eight days of ten."
    quieter = quieter_from(found)
    return f"{said} Quieter from {_clock(quieter, timezone, formats)}." if quieter else said


def _until(known: KnownHours, untold: Sequence[datetime], timezone: ZoneInfo, formats: Formats) -> str:
    if untold:
        return "Of the hours that can be told it is"
    return f"Until {_end(known, timezone, formats)} it is"


def _end(known: KnownHours, timezone: ZoneInfo, formats: Formats) -> str:
    last = max(start for start, band in known if band.high)
    after = (last + _HOUR).astimezone(timezone)
    return "midnight" if after.date() != last.astimezone(timezone).date() else formats.time(after)


def full_words(found: Ahead, full: float, timezone: ZoneInfo, formats: Formats) -> str:
    """Whether so many, at which it is full, may be inside in some hour to come."""
    if not any(band.high for _, band in found.known):
        return ""
    expected = [start for start, band in found.known if band.median >= full]
    possible = [start for start, band in found.known if band.high >= full]
    if not possible:
        where = "In the hours that can be told it" if found.untold else "It"
        said = formats.number(full)
        return f"{where} is not expected to be full (from {said} inside, on average over an hour)."
    when = _spans(expected or possible, timezone, formats)
    verb = "is expected to be" if expected else "may be"
    return f"It {verb} full: {formats.number(full)} inside or more on average {when}."


def _spans(starts: Sequence[datetime], timezone: ZoneInfo, formats: Formats) -> str:
    """Of hours, ascending: `from 15:00 to 17:00 and from 19:00 to 20:00`."""
    spans = [
        f"from {_clock(start, timezone, formats)} to {_clock(end, timezone, formats)}"
        for start, end in _runs_of(starts)
    ]
    return f"{', '.join(spans[:-1])} and {spans[-1]}" if len(spans) > 1 else spans[0]


def _runs_of(starts: Sequence[datetime]) -> list[tuple[datetime, datetime]]:
    """Of hours, ascending, from when to when those that follow each other are."""
    runs: list[tuple[datetime, datetime]] = []
    for start in starts:
        if runs and runs[-1][1] == start:
            runs[-1] = runs[-1][0], start + _HOUR
        else:
            runs.append((start, start + _HOUR))
    return runs


def pace_words(pace: Pace | None, full: float | None, timezone: ZoneInfo, formats: Formats) -> str:
    """How the number inside changes now, and when it is full at that pace."""
    if pace is None:
        minutes = formats.number(OVER / timedelta(minutes=1))
        return f"Too few of the last {minutes} minutes have counts to tell the present pace."
    at = formats.time(pace.at.astimezone(timezone))
    if not pace.inside and not pace.more:
        return f"At {at}, nobody was inside."  # and of nobody there is no pace that fills anything
    verb = "was" if pace.inside == 1 else "were"
    more = formats.number(abs(pace.more))
    way = f"{more} more came in than went out" if pace.more > 0 else f"{more} more went out than came in"
    said = (
        f"At {at}, {formats.number(pace.inside)} {verb} inside; in the {formats.number(pace.minutes)} minutes"
        f" until then, {way if pace.more else 'as many came in as went out'}."
    )
    if full is None:
        return said
    when = pace.until(full)
    if when == pace.at:
        return f"{said} It is full."
    if when is None:
        hours = formats.number(LONGEST / _HOUR)
        return f"{said} At this pace it is not full within {hours} hours."
    count = (when - pace.at) // timedelta(minutes=1)
    left = f"{formats.number(count)} {'minute' if count == 1 else 'minutes'}"
    clock = formats.time(when.astimezone(timezone))
    return f"{said} At this pace it is full ({formats.number(full)} inside) in {left}, at {clock}."


def no_pace_words(spoilt: Drift, timezone: ZoneInfo, formats: Formats) -> str:
    """In the place of the pace, where the number inside means nothing now."""
    reason = drift_reason(spoilt, timezone, formats)
    return f"The number inside cannot be trusted now: {reason}. So no present pace is told."


def error_words(error: PastError | None, metric: MetricKey, formats: Formats) -> str:
    """How wrong such forecasts were, and how often the band held."""
    weeks = _weeks(BACK_WEEKS)
    if error is None:
        return f"Too few days lie before the last {weeks} weeks to tell how wrong this was in them."
    return (
        f"In the last {weeks} weeks, told at this time of day, this was off by"
        f" {amount(error.mean, metric, formats)} people on average;"
        f" {formats.part(100 * error.within / error.hours)} of the hours lay inside the band"
        f" ({formats.number(error.hours)} hours of {formats.number(error.days)} days)."
    )


def rests_on(found: Ahead, timezone: ZoneInfo, formats: Formats) -> list[str]:
    """On how many days it rests, and which are left out."""
    if not found.to_come or found.is_over:
        return []
    weekday = weekday_name(found.to_come[0].start.astimezone(timezone).weekday())
    said = []
    if found.known:
        said.append(
            f"It rests on {formats.number(found.forecast.days)} {weekday}s of the last {_weeks(WEEKS)} weeks,"
            " on how today runs, and on how far all days of these weeks were from what was expected of them."
        )
        if found.rate != EACH_MINUTE:
            said.append(rate_words(found.rate, formats))
    if found.spoilt:
        # Where too few of the weekday are left, others were not looked at.
        kind = weekday if found.is_of_weekday else "day"
        said.append(
            f"{_days(found.spoilt, formats, kind)} left out because the number inside cannot be trusted."
        )
    if found.unread:
        said.append(f"{_days(found.unread, formats)} left out because their minutes could not be read.")
    if found.forecast.closed:
        said.append(f"{_days(found.forecast.closed, formats)} left out because nobody was counted.")
    return said


def staff_of(people: float, ratio: int) -> int:
    """One for each `ratio` people begun."""
    return ceil(people / ratio - 1e-9)


def staff_words(found: Ahead, ratio: int, metric: MetricKey, timezone: ZoneInfo, formats: Formats) -> str:
    """The hour that needs most."""
    busy = [(start, band) for start, band in found.known if band.high]
    if not busy:
        return ""
    start, band = max(busy, key=lambda one: one[1].median)
    unit = "inside" if metric is MetricKey.VISITORS_INSIDE else "who come in within the hour"
    needed, most = (formats.number(staff_of(people, ratio)) for people in (band.median, band.high))
    said = f"Staff, one for each {formats.number(ratio)} {unit}: at most {needed}, from"
    said = f"{said} {hour_text(start, timezone, formats)}"
    if found.untold:
        said = f"{said}, of the hours that can be told"
    return f"{said}." if needed == most else f"{said}; {most} for the upper end of the band."


def hour_text(start: datetime, timezone: ZoneInfo, formats: Formats) -> str:
    """`15:00 to 16:00`."""
    return f"{_clock(start, timezone, formats)} to {_clock(start + _HOUR, timezone, formats)}"


def told(start: datetime, value: float, metric: MetricKey, timezone: ZoneInfo, formats: Formats) -> str:
    """Of an hour that is over: `Today 09:00 to 10:00: 31 came in`."""
    counted = METRICS[metric].counted
    return f"Today {hour_text(start, timezone, formats)}: {amount(value, metric, formats)} {counted}"


def band_words(
    start: datetime, band: Expected, metric: MetricKey, timezone: ZoneInfo, formats: Formats
) -> str:
    """Of an hour to come: `15:00 to 16:00: 61 expected, 48 to 70 on eight days of ten`."""
    low, median, high = amounts(band, metric, formats)
    return f"{hour_text(start, timezone, formats)}: {median} expected, {low} to {high} on eight days of ten"


def _clock(moment: datetime, timezone: ZoneInfo, formats: Formats) -> str:
    return formats.time(moment.astimezone(timezone))


def _days(count: int, formats: Formats, kind: str = "day") -> str:
    return f"{formats.number(count)} {f'{kind} is' if count == 1 else f'{kind}s are'}"


def _weeks(count: int) -> str:
    return _NUMBERS.get(count, str(count))
