"""A site of any size, for what must not grow with it."""

from __future__ import annotations

import itertools

from contract import Passage, Site, Zone


def wide_site(zones: int, passages: int) -> Site:
    """`zones` rooms and `passages` different ways between them.

    The first ways make a tree from the outside; the others lead from each zone to its neighbours.
    """
    names = [f"zone-{number}" for number in range(zones)]
    tree = [(None if number == 0 else names[(number - 1) // 2], name) for number, name in enumerate(names)]
    known = set(tree)
    steps = itertools.product(range(1, zones), range(zones))
    across = ((names[place], names[(place + step) % zones]) for step, place in steps)
    ways = itertools.islice(itertools.chain(tree, (way for way in across if way not in known)), passages)
    return Site(
        id="wide",
        name="Wide",
        timezone="Europe/Zurich",
        organization_id="wide",
        zones=tuple(Zone(id=name, name=name.capitalize(), capacity=50, area=80) for name in names),
        passages=tuple(
            Passage(id=f"passage-{number}", name=f"Passage {number}", from_zone_id=start, to_zone_id=end)
            for number, (start, end) in enumerate(ways)
        ),
    )
