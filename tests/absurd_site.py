"""A site as a service may rightly tell it, and that nobody has."""

from __future__ import annotations

from typing import Any

LONG = 5_000

ABSURD: dict[str, Any] = {
    "id": "absurd",
    "name": "N" * LONG,
    "category": "category " * (LONG // 9),
    "timezone": "Mars/Olympus",
    "organizationId": "o" * LONG,
    "address": {"street": "street " * (LONG // 7), "city": "c" * LONG, "postCode": "", "country": ""},
    "zones": [
        {"id": "long", "name": f"Zone {'x' * LONG}", "capacity": 0, "category": "k" * LONG},
        {"id": "huge", "name": "word " * (LONG // 5), "capacity": 10**15, "area": None},
        {"id": "nameless", "name": "", "capacity": None, "area": 0},
        {
            "id": "many",
            "name": "Many devices",
            "capacity": 5,
            "area": 0.001,
            "devices": [
                {"id": f"device-{one}", "name": f"Device {one}", "status": "Online" if one % 7 else "Offline"}
                for one in range(10_000)
            ],
        },
        {"id": "wide", "name": "z" * LONG, "capacity": 1e300, "area": 1e300},
    ],
    "passages": [
        {"id": "long", "name": "P" * LONG, "fromZoneId": None, "toZoneId": "long"},
        {"id": "nameless", "name": "", "fromZoneId": "long", "toZoneId": "nowhere" * 300},
        {"id": "in", "name": "In", "fromZoneId": "long", "toZoneId": "huge"},
    ],
}
EMPTY: dict[str, Any] = {"id": "empty", "name": "No zones", "zones": [], "passages": []}
