"""How it stands with telling others how many are inside, for whoever watches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contract.resources import Resource, UtcDatetime
from service.broker_feed import BrokerFeed


class ZoneFeedTold(Resource):
    """As `/healthz` tells it."""

    is_connected: bool
    since: UtcDatetime
    trouble: str | None
    zones: int
    unavailable: int


@dataclass(slots=True)
class ZoneFeed(BrokerFeed):
    not_read: str = ""
    not_there: str = ""
    """Of sites that are to be published and are not there."""
    zones: int = 0
    """That are published."""
    unavailable: int = 0
    """Of which no number is told, as there is none or it is old."""

    def told(self) -> dict[str, Any]:
        trouble = self.not_connected or self.not_read or self.not_subscribed or self.not_there
        return ZoneFeedTold(
            is_connected=self.is_connected,
            since=self.since,
            trouble=trouble or None,
            zones=self.zones,
            unavailable=self.unavailable,
        ).model_dump(mode="json", by_alias=True)
