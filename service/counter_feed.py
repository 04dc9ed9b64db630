"""How a way in stands over which counters report by way of a third, such as a broker, for whoever watches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contract.resources import Resource, UtcDatetime
from service.broker_feed import BrokerFeed


class FeedTold(Resource):
    """As `/healthz` tells it."""

    is_connected: bool
    since: UtcDatetime
    trouble: str | None
    taken: int
    refused: int
    held: int


@dataclass(slots=True)
class CounterFeed(BrokerFeed):
    not_stored: str = ""
    taken: int = 0
    """Messages since the start, also those that came before."""
    refused: int = 0
    """Messages since the start that told nothing, or could not be kept."""
    held: int = 0
    """Messages that are not acknowledged, as too many of their line wait to be placed."""

    def told(self) -> dict[str, Any]:
        trouble = self.not_connected or self.not_stored or self.not_subscribed
        return FeedTold(
            is_connected=self.is_connected,
            since=self.since,
            trouble=trouble or None,
            taken=self.taken,
            refused=self.refused,
            held=self.held,
        ).model_dump(mode="json", by_alias=True)
