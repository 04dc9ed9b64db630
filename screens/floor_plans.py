"""The floor plans on which walls draw a place; whoever keeps them is asked again for each page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import structlog

from analysis.floor_plan import FloorPlan, KeptPlan, PlanImage
from screens.definition import Screen
from screens.shown import ShownView

_log = structlog.get_logger("screens.floor_plans")


class PlanSource(NamedTuple):
    """Both may block, and raise RuntimeError with a sentence for people."""

    read_plan: Callable[[str], KeptPlan]
    """Of the site of an id."""
    read_picture: Callable[[str, str], PlanImage | None]
    """Of the site of an id, by its name; None: it is not that of the site's plan."""

    def of(self, screen: Screen) -> dict[str, FloorPlan]:
        """By site id, of those of which a view is drawn on a plan; one that cannot be read is none."""
        site_ids = {view.site_id for view in screen.views if view.site_id and is_on_plan(screen)}
        found = {site_id: self._plan(site_id) for site_id in sorted(site_ids)}
        return {site_id: plan for site_id, plan in found.items() if plan}

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


def is_on_plan(screen: Screen) -> bool:
    """Whether a view of it asks for a floor plan."""
    return any(view.on_plan for view in screen.views)


NO_PLANS = PlanSource(lambda _site: KeptPlan(), lambda _site, _name: None)
