"""How sure the number inside is, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from analysis.error_part import ErrorPart
from analysis.inside_band import FEWEST_DAYS, SureHour
from components.number_format import Formats
from components.sentences.trust_words import people_text


def sure_words(
    part: ErrorPart | None,
    hours: Sequence[SureHour],
    timezone: ZoneInfo,
    formats: Formats,
    *,
    is_mostly_spoilt: bool = False,
) -> str:
    """`By the end of a usual day with 764 entrances the number inside is 2 to 12 too high, as on …`.

    `is_mostly_spoilt`: whether past days have no `part` because the number means nothing on most of them.
    """
    if part is None and is_mostly_spoilt:
        return "How sure the number is today cannot be told: on most past days it cannot be trusted at all."
    if part is None:
        return (
            f"How sure the number is today cannot be told: that takes {FEWEST_DAYS} past days that are"
            " counted whole and not much less busy than usual."
        )
    said = _by_past_days(part, formats)
    return f"{said} {_now(hours[-1], timezone, formats)}" if hours else said


def _by_past_days(part: ErrorPart, formats: Formats) -> str:
    days = formats.number(part.days)
    those = f"all {days}" if part.held == part.days else f"at least {formats.number(part.held)} of {days}"
    if part.low == part.high == 0:
        those = f"all {days}" if part.were_right else those
        return f"The number inside was right at the end of {those} past days{_left_out(part, formats)}."
    came = formats.number(part.came)
    error = _error(round(part.came * part.low), round(part.came * part.high), formats)
    return (
        f"By the end of a usual day with {came} entrances the number inside is {error}, as on {those} past"
        f" days{_left_out(part, formats)}."
    )


def _left_out(part: ErrorPart, formats: Formats) -> str:
    """Other sentences tell of these days, too, and of more days than this one."""
    if not part.left_out:
        return ""
    return (
        f", leaving out {formats.number(part.left_out)} on which nobody came or less than half as many as"
        " usual"
    )


def band_words(part: ErrorPart) -> str:
    """What the band is; where it lies wholly on one side of the line, why."""
    if part.low > 0 or part.high < 0:
        return (
            "how many were probably inside. The line is not within it, as by past days the number is"
            f" {_way(part.low)}."
        )
    return "between how many may really have been inside."


def _error(low: int, high: int, formats: Formats) -> str:
    if low == high:
        return f"{formats.number(abs(low))} {_way(low)}" if low else "less than 1 person off"
    if low < 0 < high:
        return f"between {formats.number(-low)} too low and {formats.number(high)} too high"
    near, far = sorted((abs(low), abs(high)))
    from_ = f"{formats.number(near)} to" if near else "up to"
    return f"{from_} {formats.number(far)} {_way(low + high)}"


def _way(people: float) -> str:
    return "too low" if people < 0 else "too high"


def _now(hour: SureHour, timezone: ZoneInfo, formats: Formats) -> str:
    when = formats.time(hour.start.astimezone(timezone))
    low, high = formats.number(hour.low), formats.number(hour.high)
    told = people_text(hour.inside, formats)
    between = f"{low} to {high}" if low != high else low
    return f"In the hour from {when} it told {told} inside on average: by that, {between} were."


def sure_hour_words(hour: SureHour, timezone: ZoneInfo, formats: Formats) -> str:
    """Of a point of the chart."""
    when = formats.time(hour.start.astimezone(timezone))
    low, high = formats.number(hour.low), formats.number(hour.high)
    return f"{when}: {formats.number(hour.inside)} inside on average, {low} to {high} by past days"
