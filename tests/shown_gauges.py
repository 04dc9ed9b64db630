"""What a page handed to the live gauge, as AppTest sees it."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest


def gauge_data(app: AppTest) -> dict[str, Any]:
    """Raises LookupError when the page shows no live gauge."""
    for element in app.main:
        proto = getattr(element, "proto", None)
        if proto is not None and getattr(proto, "component_name", "") == "headroom_live_gauge":
            data: dict[str, Any] = json.loads(proto.json)
            return data
    raise LookupError("the page shows no live gauge")


def gauge_items(app: AppTest) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = gauge_data(app)["items"]
    return items
