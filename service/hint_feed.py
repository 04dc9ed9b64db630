"""How it stands with hints between services that something was stored, for whoever watches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contract.resources import Resource, UtcDatetime
from service.broker_feed import BrokerFeed


class HintFeedTold(Resource):
    """As `/healthz` tells it."""

    is_connected: bool
    since: UtcDatetime
    trouble: str | None
    told: int
    heard: int


@dataclass(slots=True)
class HintFeed(BrokerFeed):
    not_allowed: str = ""
    hints_told: int = 0
    """Since the start; what is stored at about the same time is told once."""
    hints_heard: int = 0

    def told(self) -> dict[str, Any]:
        return HintFeedTold(
            is_connected=self.is_connected,
            since=self.since,
            trouble=self.not_connected or self.not_allowed or None,
            told=self.hints_told,
            heard=self.hints_heard,
        ).model_dump(mode="json", by_alias=True)
