"""Past minutes of all sites of a service, with one memory of failures: where they cannot be read for one site
after another, or the service asks for peace, no other site's are asked for meanwhile.

The newest values are asked for by themselves, so that one that comes well says nothing about the past.
"""

from __future__ import annotations

from typing import Final

import structlog

from api_client import ApiClientError, Client, Forbidden, MetricsAnswer, NotFound
from contract import MetricsQuery
from runtime.respite import Respite

_FAILURES_BEFORE: Final = 3
_log: Final = structlog.get_logger("runtime.past_minutes")


class PastMinutes:
    """Of the service that `client` asks. Safe to use from any thread."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._respite = Respite(_FAILURES_BEFORE)

    def read(self, query: MetricsQuery) -> MetricsAnswer:
        """Raises ApiClientError: without asking, what came last, as long as the service is let alone."""
        if pause := self._respite.pause:
            raise pause.not_asked()
        try:
            answer = self._client.metrics(query)
        except (NotFound, Forbidden):
            raise  # of this site alone
        except ApiClientError as error:
            if self._respite.failed(error):
                _log.warning(
                    "past minutes cannot be read",
                    site=query.site_id,
                    status=error.status,
                    code=error.code,
                    request_id=error.request_id,
                )
            raise
        if self._respite.worked():
            _log.info("past minutes can be read again", site=query.site_id)
        return answer
