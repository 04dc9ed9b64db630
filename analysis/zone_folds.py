"""A site of more zones than can be read, as one of a few: one for each category."""

from __future__ import annotations

from collections import defaultdict
from typing import Final, NamedTuple

from analysis.names import LONGEST_NAME, one_line
from contract import Passage, Site, Zone

MOST_FOLDED: Final = 200
"""Zones: so many are live on a page, and a sum that lacks some would be wrong."""
_FEWEST: Final = 2
"""Categories; one alone would say no more than the whole site does."""
_NO_CATEGORY: Final = "Without category"


class Fold(NamedTuple):
    title: str
    """In English, with the number of its zones."""
    zone_ids: tuple[str, ...]
    category: str = ""
    """Empty: of those that have none."""


class Folded(NamedTuple):
    site: Site
    """Its zones are the folds, whose ids are their places."""
    folds: tuple[Fold, ...]
    within: int
    """Passages that lead from one zone of a fold to another."""


def folded(site: Site) -> Folded | None:
    """By category, the largest first; None: the zones have none that would help, or are too many."""
    by_category: defaultdict[str, list[str]] = defaultdict(list)
    for zone in site.zones:
        by_category[one_line(zone.category or "", LONGEST_NAME)].append(zone.id)
    if len([one for one in by_category if one]) < _FEWEST or len(site.zones) > MOST_FOLDED:
        return None
    ordered = sorted(by_category.items(), key=lambda one: (not one[0], -len(one[1]), one[0]))
    folds = tuple(Fold(_title(category, len(ids)), tuple(ids), category) for category, ids in ordered)
    places = {zone_id: str(place) for place, fold in enumerate(folds) for zone_id in fold.zone_ids}
    listed = [one for one in site.passages if _ends(one) <= {None, *places}]
    moved = [_moved(passage, places) for passage in listed]
    between = tuple(one for one in moved if one.from_zone_id != one.to_zone_id)
    zones = tuple(Zone(id=str(place), name=fold.title) for place, fold in enumerate(folds))
    within = sum(one.from_zone_id == one.to_zone_id is not None for one in moved)
    return Folded(site.model_copy(update={"zones": zones, "passages": between}), folds, within)


def _title(category: str, zones: int) -> str:
    return f"{category or _NO_CATEGORY} ({zones} {'zone' if zones == 1 else 'zones'})"


def _ends(passage: Passage) -> set[str | None]:
    return {passage.from_zone_id, passage.to_zone_id}


def _moved(passage: Passage, places: dict[str, str]) -> Passage:
    ends = {
        "from_zone_id": None if passage.from_zone_id is None else places[passage.from_zone_id],
        "to_zone_id": None if passage.to_zone_id is None else places[passage.to_zone_id],
    }
    return passage.model_copy(update=ends)
