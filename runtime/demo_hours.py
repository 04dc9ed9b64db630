"""When the demo's simulated shop is open, kept once as if somebody had written it.

Of the recorded sites none are kept: a station never closes, and of the rooms no source says when they do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import structlog

from analysis.opening_hours import OpeningHours, Span
from contract import SiteSummary
from runtime.site_knowledge import keep_first_hours
from runtime.site_knowledge_store import SiteKnowledgeError

_DAY: Final = (Span(opens=9 * 60, closes=20 * 60),)
SHOP_HOURS: Final = OpeningHours(
    week=(*(_DAY,) * 6, ()), is_closed_on_holidays=False, country="CH", part="ZH"
)
"""By which its visitors come and go (`service/simulator`): from Monday to Saturday, holidays among them."""
SHOP: Final = "shop"
_log: Final = structlog.get_logger("runtime.demo_hours")


def keep_demo_hours(sites: Iterable[SiteSummary]) -> None:
    """Those of the shop, where it is among all `sites` of the service in use; once, in the place of none."""
    if not any(site.id == SHOP and site.is_simulated for site in sites):
        return
    try:
        keep_first_hours(SHOP, SHOP_HOURS)
    except SiteKnowledgeError as error:
        _log.warning("the demo's opening hours cannot be kept", reason=str(error))
