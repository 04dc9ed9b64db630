"""How a connection with a broker stands, whatever goes through it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(slots=True)
class BrokerFeed:
    """Belongs to the event loop."""

    since: datetime
    """When it was connected, or was not any more."""
    is_connected: bool = False
    not_connected: str = "it has not connected yet"
    """Why it is not connected; empty while it is. Other `not_` fields: what is amiss although it is."""
    not_subscribed: str = ""

    def connected(self, now: datetime) -> None:
        self.is_connected, self.since = True, now
        self.not_connected = ""

    def disconnected(self, reason: str, now: datetime) -> bool:
        """Whether the reason is another than the one that is known: attempts go on failing alike."""
        if self.is_connected:
            self.is_connected, self.since = False, now
        is_news, self.not_connected = reason != self.not_connected, reason
        return is_news

    def subscribed(self, told: str) -> bool:
        """Whether `told`, what is amiss with it, is something, and another than what is known."""
        is_news, self.not_subscribed = bool(told) and told != self.not_subscribed, told
        return is_news
