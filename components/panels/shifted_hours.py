"""Hours that are not those of the local clock: that nothing can be told by the hour of the day then."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.granularity import past_the_hour
from components.number_format import zone_words
from components.plain_text import plain
from contract import MetricPoint


def has_shifted_hours(points: Sequence[MetricPoint], timezone: ZoneInfo, what: str) -> bool:
    """Whether hours begin at another minute than those of `timezone`; then it is said that `what` follows."""
    minutes = past_the_hour(points, timezone)
    if minutes:
        text = f"The hours of this service begin {minutes} minutes past those of {zone_words(timezone.key)}"
        st.info(plain(f"{text}, so {what}. It may not know the time zone that it is asked in."))
    return minutes > 0
