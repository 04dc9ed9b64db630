"""How it stands with the archive of days of long ago, for whoever watches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contract.resources import Resource, UtcDatetime
from service.store.protocol import Store


class ArchiveFeedTold(Resource):
    """As `/healthz` tells it."""

    is_connected: bool
    since: UtcDatetime | None
    """When it began to be away; None while it is not."""
    trouble: str | None
    late_minutes_waiting: int


@dataclass(slots=True)
class ArchiveFeed:
    store: Store
    late_minutes: int = 0
    trouble_since: UtcDatetime | None = None

    def told(self) -> dict[str, Any]:
        trouble = self.store.archiving.trouble()
        return ArchiveFeedTold(
            is_connected=trouble is None,
            since=self.trouble_since,
            trouble=str(trouble) if trouble else None,
            late_minutes_waiting=self.late_minutes,
        ).model_dump(mode="json", by_alias=True)
