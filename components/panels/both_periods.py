"""Days of History that are not as others; of two periods what sets them apart before anybody came."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from analysis.history_data import HistoryData
from analysis.opening_hours import OpeningHours
from analysis.special_days import special_days
from components.number_format import Formats
from components.panels.opening_hours_panel import Read
from components.plain_text import plain, plain_sentences
from components.sentences.opening_words import special_day_words
from components.sentences.period_words import missing_words, special_words
from contract import Site


def both_periods_panel(site: Site, data: HistoryData, read_hours: Read, formats: Formats) -> None:
    """Where no other period is compared, days of this one that are not as others. The opening hours say whose
    public holidays these are.
    """
    opening: OpeningHours | None = None
    with suppress(RuntimeError):  # said above, where closed time is drawn
        opening = read_hours(site.id)
    if data.earlier_range is None or data.earlier_range.is_empty:
        if alone := special_day_words(opening, site.address.country, data.range, data.timezone, formats):
            st.caption(plain(alone, longest=2_000))
        return
    own, other = (
        special_days(opening, site.address.country, range_, data.timezone)
        for range_ in (data.range, data.totals.earlier.range if data.totals else data.earlier_range)
    )
    said = [special_words(own, other, data.timezone, formats), *missing_words(data, formats)]
    st.caption(plain_sentences(said))
