"""Buckets that are not those of the local clock: that nothing can be told by its hours or days then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.granularity import minutes_past
from components.number_format import zone_words
from components.plain_text import plain
from components.sentences.range_words import past_words
from contract import Granularity, MetricPoint

SHIFTED: Final = "nothing can be told by them. Choose minutes, of a day at most, under “More choices”"
"""What follows for whoever can look at minutes instead."""


def has_shifted_hours(
    points: Sequence[MetricPoint],
    timezone: ZoneInfo,
    what: str,
    unit: Granularity = Granularity.HOUR,
) -> bool:
    """Whether hours, or days or months, begin at another minute than those of `timezone`; then `what`
    follows is said. Minutes are the same everywhere.
    """
    minutes = minutes_past(points, unit, timezone)
    if minutes:
        text = f"The {unit}s of this service {past_words(minutes)} of {zone_words(timezone.key)}"
        st.info(plain(f"{text}, so {what}. It may not know the time zone that it is asked in."))
    return minutes > 0
