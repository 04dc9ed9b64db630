"""The floor plans on which walls draw a place; whoever keeps them is asked again for each page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from analysis.floor_plan import FloorPlan, KeptPlan, PlanImage
from api_client.trouble_log import TroubleLog
from screens.definition import Screen
from screens.shown import ShownView

_log = TroubleLog("screens.floor_plans")


class PlanSource(NamedTuple):
    """All may block, and raise RuntimeError with a sentence for people."""

    read_plan: Callable[[str], KeptPlan]
    """Of the site of an id."""
    read_picture: Callable[[str, str], PlanImage | None]
    """Of the site of an id, by its name; None: it is not that of the site's plan."""
    changed_at: Callable[[], Mapping[str, str]]
    """By site id, of sites that have a plan: another text as soon as another plan is kept."""

    def of(self, screen: Screen) -> dict[str, FloorPlan]:
        """By the ids of sites of which a view is drawn on a plan: their plans, where they can be read."""
        found = {site_id: self._plan(site_id) for site_id in _drawn(screen)}
        return {site_id: plan for site_id, plan in found.items() if plan}

    def marks(self, screen: Screen) -> dict[str, str]:
        """Likewise what tells each plan from another, empty where none is kept. To be read before the plans:
        what is changed between is noticed. None of any where it cannot be told: then no change of theirs is.
        """
        site_ids = _drawn(screen)
        try:
            changed = self.changed_at()
        except RuntimeError as error:
            _log.warning("whether floor plans are changed is not known", reason=str(error))
            return {}
        return {site_id: changed.get(site_id, "") for site_id in site_ids}

    def _plan(self, site_id: str) -> FloorPlan | None:
        try:
            return self.read_plan(site_id).plan
        except RuntimeError as error:
            _log.warning("no floor plan for a screen", site=site_id, reason=str(error))
            return None

    def picture(self, views: Iterable[ShownView], name: str) -> PlanImage | None:
        """That of a view of the screen alone."""
        places = (view.place for view in views if view.place)
        site_id = next((place.site_id for place in places if place.picture == name), "")
        try:
            return self.read_picture(site_id, name) if site_id else None
        except RuntimeError as error:
            _log.warning("no picture of a floor", site=site_id, reason=str(error))
            return None


def _drawn(screen: Screen) -> list[str]:
    """Ids of sites."""
    return sorted({view.site_id for view in screen.views if view.site_id and is_on_plan(screen)})


def is_on_plan(screen: Screen) -> bool:
    """Whether a view of it asks for a floor plan."""
    return any(view.on_plan for view in screen.views)


NO_PLANS = PlanSource(lambda _site: KeptPlan(), lambda _site, _name: None, dict)
