"""What a page handed to its components, as AppTest sees it."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest


def gauge_data(app: AppTest) -> dict[str, Any]:
    """Raises LookupError when the page shows no live gauge."""
    return component_data(app, "headroom_live_gauge")


def site_data(app: AppTest) -> dict[str, Any]:
    """Raises LookupError when the page shows no live site."""
    return component_data(app, "headroom_live_site")


def door_rows(app: AppTest) -> list[dict[str, Any]]:
    """Raises LookupError when the page ranks no doors."""
    rows: list[dict[str, Any]] = component_data(app, "headroom_door_ranking")["rows"]
    return rows


def component_data(app: AppTest, name: str) -> dict[str, Any]:
    """Raises LookupError when the page shows no such component."""
    for element in app.main:
        proto = getattr(element, "proto", None)
        if proto is not None and getattr(proto, "component_name", "") == name:
            data: dict[str, Any] = json.loads(proto.json)
            return data
    raise LookupError(f"the page shows no {name}")


def order_of(app: AppTest) -> list[str]:
    """What components and what is folded are called, from the top of the page downwards."""
    names = (getattr(one, "label", "") or getattr(one.proto, "component_name", "") for one in app.main)
    return [name for name in names if name]


def gauge_items(app: AppTest) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = gauge_data(app)["items"]
    return items
