"""Hours of a day as people write them: `9–12:30, 13:30–18`, `9 AM - 8 PM`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from analysis.opening_hours import MINUTES_A_DAY, MINUTES_AN_HOUR, MOST_SPANS, Span

_CLOSED: Final = frozenset({"", "closed", "-", "–"})
_TIME: Final = r"(\d{1,2})(?:[:.h]([0-5]\d)?)?(?:\s*([ap])\.?\s?m\.?)?"
_SPAN: Final = re.compile(rf"{_TIME}\s*(?:-|–|—|to)\s*{_TIME}", re.IGNORECASE)
_NOON: Final = 12
_HALF_A_DAY: Final = _NOON * MINUTES_AN_HOUR


class _Time(NamedTuple):
    """As it is written."""

    hour: int
    minute: int
    half: str
    """`a`, `p`; empty: it is not said."""
    is_padded: bool
    """As `05`, which nobody writes who means the afternoon."""

    @property
    def readings(self) -> tuple[int, ...]:
        """Minutes after midnight that may be meant, where an end of a span says which half of a day it is."""
        at = self.hour * MINUTES_AN_HOUR + self.minute
        if self.half:
            return (at % _HALF_A_DAY + (_HALF_A_DAY if self.half == "p" else 0),)
        return (at % _HALF_A_DAY, at % _HALF_A_DAY + _HALF_A_DAY) if 0 < self.hour <= _NOON else (at,)


def spans_of_text(text: str) -> tuple[Span, ...]:
    """Nothing and `closed` are a closed day. Raises ValueError, with what to write."""
    if text.strip().lower() in _CLOSED:
        return ()
    spans = sorted((_span_of(part.strip()) for part in text.split(",")), key=lambda span: span.opens)
    if len(spans) > MOST_SPANS:
        raise ValueError(f"“{text}” has more than {MOST_SPANS} spans; write fewer.")
    for before, after in pairwise(spans):
        if after.opens < before.closes:
            raise ValueError(f"In “{text}” one span begins within another; write each minute once.")
    return tuple(spans)


def clock_of_day(minute: int) -> str:
    """`09:00`; the midnight at which a day ends is `24:00`."""
    at = minute if minute == MINUTES_A_DAY else minute % MINUTES_A_DAY
    return f"{at // MINUTES_AN_HOUR:02}:{at % MINUTES_AN_HOUR:02}"


def text_of_spans(spans: Sequence[Span], clock: Callable[[int], str] = clock_of_day) -> str:
    """`09:00–12:30, 13:30–18:00`; `closed`. `clock` writes a minute of the day; `spans_of_text` reads it."""
    return ", ".join(f"{clock(span.opens)}–{clock(span.closes)}" for span in spans) or "closed"


def _span_of(text: str) -> Span:
    found = _SPAN.fullmatch(text)
    wrong = ValueError(f"“{text}” is no span of time; write for example 09:00–18:30, or closed.")
    if found is None:
        raise wrong
    opens, closes = (_time(*found.groups()[place : place + 3]) for place in (0, 3))
    if any(one.half and not 0 < one.hour <= _NOON for one in (opens, closes)):
        raise wrong
    if opens.half or closes.half:
        # `9–5pm` is the shorter of what it may be.
        spans = [_span(a, b) for a in opens.readings for b in closes.readings]
        if any(span is None for span in spans):
            raise wrong
        return min((span for span in spans if span), key=lambda span: span.closes - span.opens)
    span = _span(*(one.hour * MINUTES_AN_HOUR + one.minute for one in (opens, closes)))
    if span is None:
        raise wrong
    _check_halves(text, opens, closes, span)
    return span


def _time(hour: str, minute: str | None, half: str | None) -> _Time:
    return _Time(int(hour), int(minute or 0), (half or "").lower(), is_padded=hour.startswith("0"))


def _span(opens: int, closes: int) -> Span | None:
    if opens >= MINUTES_A_DAY or closes > MINUTES_A_DAY:
        return None
    return Span(opens=opens, closes=closes if closes > opens else closes + MINUTES_A_DAY)


def _check_halves(text: str, opens: _Time, closes: _Time, span: Span) -> None:
    """`9 to 5` is eight hours for who writes it, and twenty by a clock of 24 hours. Raises ValueError."""
    if span.closes <= MINUTES_A_DAY or opens.hour > _NOON or closes.is_padded or not closes.hour:
        return
    meant = Span(opens=span.opens, closes=span.closes - _HALF_A_DAY)
    ways = " or ".join(text_of_spans((one,)) for one in (meant, span) if one.closes > one.opens)
    raise ValueError(f"“{text}” may be meant in two ways; write {ways}.")
