"""How it stands with a source that is pulled, for whoever watches."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from contract.resources import Resource, UtcDatetime


class PullFeedTold(Resource):
    """As `/healthz` tells it."""

    is_connected: bool
    since: UtcDatetime
    trouble: str | None
    next_try: UtcDatetime | None
    taken: int
    refused: int


@dataclass(slots=True)
class PullFeed:
    """Belongs to the event loop."""

    since: datetime
    """When it was read for the first time after it could not be, or could not be any more."""
    is_connected: bool = False
    trouble: str = "it has not been read yet"
    """Empty: none."""
    next_try: datetime | None = None
    taken: int = 0
    """Answers or files since the start, also those that came before."""
    refused: int = 0
    """Of which nothing can be taken."""

    def told(self) -> dict[str, Any]:
        return PullFeedTold(
            is_connected=self.is_connected,
            since=self.since,
            trouble=self.trouble or None,
            next_try=self.next_try,
            taken=self.taken,
            refused=self.refused,
        ).model_dump(mode="json", by_alias=True)

    def read(self, now: datetime) -> None:
        """It could be read, whatever becomes of what was read."""
        if not self.is_connected:
            self.is_connected, self.since = True, now

    def not_read(self, now: datetime, trouble: str) -> None:
        if self.is_connected:
            self.is_connected, self.since = False, now
        self.trouble = trouble
