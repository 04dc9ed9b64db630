"""When a site is open in sentences: now, in a week, on days that differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import groupby
from typing import Final
from zoneinfo import ZoneInfo

from analysis.hours_text import clock_of_day, text_of_spans
from analysis.opening_hours import MINUTES_A_DAY, OpeningHours, OtherDay, Span, holidays_of, open_within
from analysis.public_holidays import countries, parts_of
from analysis.special_days import ChangedDay, changed_days, special_days
from analysis.time_range import TimeRange, whole_day
from components.number_format import Formats
from components.sentences.rhythm_words import weekday_name
from contract.buckets import local_midnight

_AHEAD: Final = timedelta(days=8)
_DAY: Final = timedelta(days=1)
_SHORT: Final = 3
"""Letters of a weekday."""
_MOST_NAMED: Final = 6
"""Days that differ, of those to come."""


def state_words(hours: OpeningHours, now: datetime, timezone: ZoneInfo, formats: Formats) -> str:
    """`Open until 20:00.`, `Closed (Christmas Day), opens Mon 28 Dec, 09:00.`; by the local clock."""
    range_ = TimeRange(now, now + _AHEAD)
    open_ = open_within(hours, range_, timezone)
    if open_ and open_[0].start <= now:
        until = open_[0].end
        if until >= range_.end:
            return "Open day and night."
        if until == local_midnight(now.astimezone(timezone).date() + _DAY, timezone):
            return "Open until midnight."
        return f"Open until {formats.moment(until.astimezone(timezone))}."
    named = _name_of(now.astimezone(timezone).date(), hours, range_, timezone)
    closed = f"Closed ({named})" if named else "Closed"
    if not open_:
        return f"{closed}, also in the next seven days."
    return f"{closed}, opens {formats.moment(open_[0].start.astimezone(timezone))}."


def today_words(hours: OpeningHours, now: datetime, timezone: ZoneInfo, formats: Formats) -> str:
    """How it stands today: `Open until 20:00.`, `Opens at 10:00.`, `Closed since 20:00, opens again …`,
    `Closed today (Christmas Day), opens Mon 28 Dec, 09:00.`; by the local clock.
    """
    today = now.astimezone(timezone).date()
    midnight, after = whole_day(today, timezone)
    range_ = TimeRange(midnight, now + _AHEAD)
    open_ = open_within(hours, range_, timezone)
    if any(one.start <= now < one.end for one in open_):
        return state_words(hours, now, timezone, formats)
    was = [one.end for one in open_ if one.end <= now]
    following = next((one.start for one in open_ if one.start > now), None)
    opens = formats.moment(following.astimezone(timezone)) if following else ""
    if following and following < after:
        return f"Closed until {opens}." if was else f"Opens at {opens}."
    if was:
        closed = f"Closed since {formats.time(was[-1].astimezone(timezone))}"
        again = f"opens again {opens}" if opens else "also in the next seven days"
    else:
        named = _name_of(today, hours, range_, timezone)
        closed = f"Closed today ({named})" if named else "Closed today"
        again = f"opens {opens}" if opens else "and in the next seven days"
    return f"{closed}, {again}."


def _name_of(day: date, hours: OpeningHours, range_: TimeRange, timezone: ZoneInfo) -> str | None:
    """Of a day that differs, or of a holiday on which it is closed."""
    named = next((other.name for other in hours.others if other.day == day), None)
    if named is None and hours.is_closed_on_holidays:
        return holidays_of(hours, range_, timezone).get(day)
    return named


def spans_words(spans: Sequence[Span], formats: Formats) -> str:
    """As `text_of_spans`, by the reader's clock: `9:00 AM–6:00 PM`."""
    return text_of_spans(spans, partial(_clock, formats))


def week_words(hours: OpeningHours, formats: Formats) -> str:
    """`Mon to Fri 09:00–12:00 and 13:00–18:00, Sat 09:00–18:00, Sun closed`."""
    days = [(day, spans_words(spans, formats)) for day, spans in enumerate(hours.week)]
    said = []
    for text, group in groupby(days, key=lambda one: one[1]):
        numbers = [day for day, _ in group]
        first, last = (weekday_name(day)[:_SHORT] for day in (numbers[0], numbers[-1]))
        name = first if first == last else f"{first} to {last}"
        said.append(f"{name} {text.replace(', ', ' and ')}")
    return ", ".join(said)


def other_days_words(hours: OpeningHours, now: datetime, timezone: ZoneInfo, formats: Formats) -> str:
    """The next days that differ; empty: none is to come."""
    today = now.astimezone(timezone).date()
    coming = sorted((other for other in hours.others if other.day >= today), key=lambda other: other.day)
    said = [_other_day(other, timezone, formats) for other in coming[:_MOST_NAMED]]
    more = len(coming) - len(said)
    return "; ".join([*said, *([f"{formats.number(more)} more"] if more else [])])


def special_day_words(
    opening: OpeningHours | None, country_name: str, range_: TimeRange, timezone: ZoneInfo, formats: Formats
) -> str:
    """Which days of the range are not as others: `Closed on Sun 1 Nov (All Saints' Day).`; empty: none is.

    Where nobody has said when it is open, public holidays of the country in which it lies.
    """
    if opening is None:
        days = special_days(None, country_name, range_, timezone).holidays
        said = [_named_day(day, name, timezone, formats) for day, name in days.items()]
        many = "Public holidays" if len(said) > 1 else "A public holiday"
        return f"{many}: {_some(said, formats)}." if said else ""
    changed = changed_days(opening, range_, timezone)
    closed = [_named_day(one.day, one.name, timezone, formats) for one in changed if not one.spans]
    other = [_other_day(one, timezone, formats) for one in changed if one.spans]
    both = (("Closed on", closed), ("Other hours on", other))
    return " ".join(f"{lead} {_some(said, formats)}." for lead, said in both if said)


def _some(said: Sequence[str], formats: Formats) -> str:
    more = len(said) - _MOST_NAMED
    return ", ".join(said[:_MOST_NAMED]) + (f" and {formats.number(more)} more" if more > 0 else "")


def _named_day(day: date, name: str, timezone: ZoneInfo, formats: Formats) -> str:
    at = datetime(day.year, day.month, day.day, 12, tzinfo=timezone)
    return formats.day(at) + (f" ({name})" if name else "")


def _other_day(other: OtherDay | ChangedDay, timezone: ZoneInfo, formats: Formats) -> str:
    named = f" ({other.name})" if other.name else ""
    day = _named_day(other.day, "", timezone, formats)
    return f"{day} {spans_words(other.spans, formats).replace(', ', ' and ')}{named}"


def holiday_words(hours: OpeningHours) -> str:
    """Such as `Public holidays of Switzerland, Zürich: closed`."""
    country = countries().get(hours.country)
    if country is None:
        return "Public holidays are as other days."
    how = "closed" if hours.is_closed_on_holidays else "as other days"
    part = parts_of(hours.country).get(hours.part)
    if hours.part and part is None:
        return (
            f"Public holidays of the whole of {country} (of its part “{hours.part}” none are known): {how}."
        )
    return f"Public holidays of {country}{f', {part}' if part else ''}: {how}."


def _clock(formats: Formats, minute: int) -> str:
    pattern = formats.clock_pattern
    if minute == MINUTES_A_DAY and not re.search("[abBhK]", pattern):
        return clock_of_day(minute)
    return formats.time(datetime(2000, 1, 1, tzinfo=UTC) + timedelta(minutes=minute))
