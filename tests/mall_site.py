"""A site of many zones as such sites are: halls in a row, each with shops of its own."""

from __future__ import annotations

from itertools import pairwise

from contract import Passage, Site, Zone


def mall_site(halls: int, shops: int) -> Site:
    """`halls` with `shops` each; doors at both ends and in the middle. Hall and shop are categories."""
    names = [f"Hall {hall}" for hall in range(1, halls + 1)]
    own = {hall: [f"{hall}, shop {shop}" for shop in range(1, shops + 1)] for hall in names}
    doors: list[tuple[str | None, str]] = [(None, hall) for hall in {names[0], names[halls // 2], names[-1]}]
    halls_to_halls = list(pairwise(names))
    to_shops = [(hall, shop) for hall, its in own.items() for shop in its]
    ways = [*sorted(doors, key=str), *halls_to_halls, *to_shops]
    zones = [(hall, "hall") for hall in names] + [(shop, "shop") for its in own.values() for shop in its]
    return Site(
        id="mall",
        name="Mall",
        timezone="Europe/Zurich",
        organization_id="mall",
        zones=tuple(Zone(id=name, name=name, category=kind, capacity=50, area=80) for name, kind in zones),
        passages=tuple(
            Passage(id=f"passage-{number}", name=f"Passage {number}", from_zone_id=start, to_zone_id=end)
            for number, (start, end) in enumerate(ways)
        ),
    )
