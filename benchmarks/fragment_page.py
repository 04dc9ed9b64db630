"""The Live page as one would build it with Streamlit alone: a fragment that runs every second.

It reads the same hub and draws the same things: a gauge, entrances and exits, the last two hours as a line,
state and age. Only for the comparison in live_pages.py.
"""

from __future__ import annotations

import os
import time

import plotly.graph_objects as go
import streamlit as st

from contract import MetricKey
from live import FeedKey, Subscription
from runtime import get_hub

KEY = FeedKey(os.environ["BENCHMARK_SITE"])
CAPACITY = 100


@st.cache_resource
def subscription() -> Subscription:
    return get_hub().subscribe(KEY, timezone="Europe/Zurich")


@st.fragment(run_every=1)
def live() -> None:
    subscription()
    snapshot = get_hub().snapshot(KEY)
    readings = snapshot.readings[-120:]
    if not readings:
        st.write(snapshot.state)
        return
    newest = readings[-1]
    inside = newest.values[MetricKey.VISITORS_INSIDE]
    st.plotly_chart(
        go.Figure(go.Indicator(mode="gauge+number", value=inside, gauge={"axis": {"range": [0, CAPACITY]}})),
        key="gauge",
    )
    entered, left = st.columns(2)
    entered.metric("Entrances today", sum(r.values.get(MetricKey.ENTRANCES, 0) for r in snapshot.readings))
    left.metric("Exits today", sum(r.values.get(MetricKey.EXITS, 0) for r in snapshot.readings))
    levels = [reading.values.get(MetricKey.VISITORS_INSIDE) for reading in readings]
    st.plotly_chart(go.Figure(go.Scatter(x=[r.measured_at for r in readings], y=levels)), key="line")
    st.caption(f"{snapshot.state} · {time.time() - newest.measured_at.timestamp():.0f} s old")


live()
