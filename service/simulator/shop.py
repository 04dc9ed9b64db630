"""The simulated shop as a site: its rooms, the doors between them, and the devices that hang there."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time
from typing import Final
from zoneinfo import ZoneInfo

from contract import Address, Device, Passage, Site, Zone
from contract.resources import SIMULATED
from service.store.protocol import SiteRecord

TIMEZONE: Final = ZoneInfo("Europe/Zurich")
OPENS: Final = time(9)
CLOSES: Final = time(20)
CLOSED_WEEKDAY: Final = 6
"""Sunday."""

WHOLE: Final = "shop"
HALL: Final = "shop-hall"
FASHION: Final = "shop-fashion"
HOME: Final = "shop-home"
SPORTS: Final = "shop-sports"
CAFE: Final = "shop-cafe"
FITTING_ROOM: Final = "shop-fitting-room"

ROOMS: Final = (HALL, FASHION, HOME, SPORTS, CAFE, FITTING_ROOM)
"""Every zone but the whole; each person inside is in exactly one of them."""

PASSAGES: Final[Mapping[str, tuple[str | None, str]]] = {
    "shop-main-entrance": (None, HALL),
    "shop-cafe-entrance": (None, CAFE),
    "shop-hall-fashion": (HALL, FASHION),
    "shop-hall-home": (HALL, HOME),
    "shop-hall-sports": (HALL, SPORTS),
    "shop-hall-cafe": (HALL, CAFE),
    "shop-fashion-home": (FASHION, HOME),
    "shop-fashion-fitting-room": (FASHION, FITTING_ROOM),
}
"""Passage -> the zones on its two sides; None is the street."""

_NAMES: Final = {
    "shop-main-entrance": "Main entrance",
    "shop-cafe-entrance": "Café terrace door",
    "shop-hall-fashion": "Hall to fashion",
    "shop-hall-home": "Hall to home",
    "shop-hall-sports": "Hall to sports",
    "shop-hall-cafe": "Hall to café",
    "shop-fashion-home": "Fashion to home",
    "shop-fashion-fitting-room": "Fitting room curtain",
}

_WIDE: Final = frozenset({"shop-main-entrance", "shop-hall-fashion"})
"""Passages with two pads side by side."""

_ROOM_FACTS: Final = (
    (HALL, "Entrance hall", "Hall", 60, 220),
    (FASHION, "Fashion", "Department", 100, 520),
    (HOME, "Home", "Department", 70, 480),
    (SPORTS, "Sports", "Department", 60, 390),
    (CAFE, "Café", "Café", 80, 160),
    (FITTING_ROOM, "Fitting room", "Fitting room", 22, 55),
)
"""Zone, name, category, capacity in people, area in square metres."""

_SHOP_CAPACITY: Final = 220


def shop_record(organization_id: str) -> SiteRecord:
    rooms = tuple(
        Zone(
            id=zone,
            name=name,
            category=category,
            capacity=capacity,
            area=area,
            devices=(_atmosphere_device(zone, name),),
        )
        for zone, name, category, capacity, area in _ROOM_FACTS
    )
    whole = Zone(
        id=WHOLE,
        name="Whole shop",
        category="Shop",
        capacity=_SHOP_CAPACITY,
        area=sum(area for *_, area in _ROOM_FACTS),
    )
    return SiteRecord(
        Site(
            id="shop",
            name="Linden department store",
            category=(
                f"{SIMULATED} a shop that does not exist, its visitors drawn at random from a fixed seed."
            ),
            address=Address(street="Musterstrasse 1", post_code="8000", city="Zürich", country="Switzerland"),
            timezone=TIMEZONE.key,
            organization_id=organization_id,
            created_at=datetime.fromisoformat("2024-01-01T00:00:00+00:00"),
            zones=(whole, *rooms),
            passages=tuple(_passage(passage) for passage in PASSAGES),
        ),
        top_zone_id=WHOLE,
    )


def _passage(passage_id: str) -> Passage:
    from_zone_id, to_zone_id = PASSAGES[passage_id]
    sides = ("left", "right") if passage_id in _WIDE else ("",)
    return Passage(
        id=passage_id,
        name=_NAMES[passage_id],
        from_zone_id=from_zone_id,
        to_zone_id=to_zone_id,
        devices=tuple(_pad(passage_id, side) for side in sides),
    )


def _pad(passage_id: str, side: str) -> Device:
    return Device(
        id="-".join(filter(None, (passage_id, "pad", side))),
        name=" ".join(filter(None, ("Pad", _NAMES[passage_id].lower(), side))),
        status="Online",
    )


def _atmosphere_device(zone: str, name: str) -> Device:
    """The fitting room's is the one that is broken: its pad counts on, so no count is wrong for it."""
    return Device(
        id=f"{zone}-atmosphere",
        name=f"Atmosphere {name.lower()}",
        status="Offline" if zone == FITTING_ROOM else "Online",
    )
