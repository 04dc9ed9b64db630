"""One feed's part in the stream of all sites, from joining it to its end.

The value that it begins with is believed as an answer to `now` is, what follows as what the feed's own stream
would bring. It has no past minutes: those are read beside it.
"""

from __future__ import annotations

from api_client import MetricsAnswer
from live import queries
from live.events import ValueConfirmed
from live.freshness import Asking, meaning
from live.latest_view import LatestView
from live.session import Session
from live.snapshot import Reading

_AS_ASKED = Asking(
    was_fresh=False,
    is_overtaken=False,
    is_confirmed=False,
    replay=None,
    is_replaying=False,
    polling=False,
    retry_at=None,
)


class JoinedSession(Session):
    """Applies what a view brings to `status`. Its replay never begins, and it has no event ids."""

    def joined(self, view: LatestView) -> None:
        """The feed has joined: apply its newest value."""
        self.opened()
        self._status.drop_future()
        event = meaning(view.first, _AS_ASKED, self._status.known, self._context.client.service_time)
        self._status.heard()
        self._check.answered(is_trusted=isinstance(event, ValueConfirmed))
        if event:
            self._status.apply(event)
        if isinstance(event, ValueConfirmed):
            self._past.hurry_if_back(event.reading)

    async def read(self, view: LatestView) -> None:
        """Apply what comes. Raises ApiClientError when the stream has ended."""
        while True:
            await self._apply(*_usable(await view.next()))


def _usable(answers: tuple[MetricsAnswer, ...]) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """The readings among what came, and the reasons why the rest is none."""
    readings, reasons = queries.usable(point for answer in answers for point in answer.points)
    left_out = [reason for answer in answers for reason in answer.left_out]
    return readings, (*reasons, *left_out)
