"""How sure the number inside is, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

from analysis.inside_band import ENOUGH_DAYS, FEWEST_DAYS, ErrorPart, SureHour
from components.number_format import Formats
from components.sentences.range_words import clock_words
from components.sentences.trust_words import people_text

_THOUSAND: Final = 1000


def sure_words(
    part: ErrorPart | None, hours: Sequence[SureHour], timezone: ZoneInfo, formats: Formats
) -> str:
    """`With 1,000 who have come in, the number inside is between 3 too low and 8 too high, on eight …`."""
    if part is None:
        return (
            f"Fewer than {FEWEST_DAYS} days have counts enough, or the number cannot be trusted on most of"
            " them: how sure it is today cannot be told."
        )
    if part.days < ENOUGH_DAYS:
        often = f"on all {part.days} days with counts enough"
    else:
        often = f"on eight days of ten, by {formats.number(part.days)} past days"
    said = f"With 1,000 who have come in, the number inside is {_error(part, formats)}, {often}."
    return f"{said} {_now(hours[-1], timezone, formats)}" if hours else said


def _error(part: ErrorPart, formats: Formats) -> str:
    low, high = (round(_THOUSAND * end) for end in (part.low, part.high))
    if low == high:
        return "right" if not low else f"{formats.number(abs(low))} {_way(low)}"
    if low < 0 < high:
        return f"between {formats.number(-low)} too low and {formats.number(high)} too high"
    near, far = sorted((abs(low), abs(high)))
    return f"{formats.number(near)} to {formats.number(far)} {_way(low + high)}"


def _way(people: float) -> str:
    return "too low" if people < 0 else "too high"


def _now(hour: SureHour, timezone: ZoneInfo, formats: Formats) -> str:
    when = clock_words(hour.start.astimezone(timezone), formats)
    low, high = formats.number(hour.low), formats.number(hour.high)
    told = people_text(hour.inside, formats)
    between = f"{low} to {high}" if low != high else low
    return f"In the hour from {when} it told {told} inside on average: by that, {between} were."


def sure_hour_words(hour: SureHour, timezone: ZoneInfo, formats: Formats) -> str:
    """Of a point of the chart."""
    when = clock_words(hour.start.astimezone(timezone), formats)
    low, high = formats.number(hour.low), formats.number(hour.high)
    return f"{when}: {formats.number(hour.inside)} inside on average, {low} to {high} by past days"
