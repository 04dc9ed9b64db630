"""The answer to a wall that draws the curve of its day."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from analysis.typical_day import TypicalDay
from api_client import ApiClientError, Client
from api_client.trouble_log import TroubleLog
from screens.day_curve import Day, TodaySoFar, day_body, read_today
from screens.known_of_day import ReadKnown
from screens.shared_reads import SharedReads
from screens.shown import ShownView

_TODAY_FRESH: Final = 300.0
_FAILED: Final = 30.0
_log = TroubleLog("screens.curve_answer")


class CurveAnswers:
    """To be used within one event loop. Walls that show the same place read it once."""

    def __init__(
        self, get_client: Callable[[], Client], typical: SharedReads[Day, TypicalDay], known: ReadKnown
    ) -> None:
        self._get_client = get_client
        self._today: SharedReads[Day, TodaySoFar] = SharedReads(
            lambda day: read_today(get_client(), day), fresh=_TODAY_FRESH, failed=_FAILED
        )
        self._typical = typical
        self._known = known

    async def response(self, view: ShownView | None, headers: dict[str, str]) -> JSONResponse:
        """404 where `view` draws none, 502 where the service gives none.

        Raises CancelledError when the server ends.
        """
        if view is None or not view.kind.facts.draws_day or not view.feeds:
            return JSONResponse({"error": "This view has no curve."}, 404, headers)
        feed = view.feeds[0]
        day = Day.at((await run_in_threadpool(self._get_client)).service_time, feed.key, feed.timezone)
        try:
            today = await self._today.get(day)
            typical = await self._typical.get(day)
        except ApiClientError as error:
            _log.warning("no curve for a screen", reason=str(error), request_id=error.request_id)
            body = {"error": "There is no curve at the moment."}
            return JSONResponse(body, 502, headers | {"Retry-After": f"{_FAILED:.0f}"})
        known = await run_in_threadpool(self._known, day)
        return JSONResponse(day_body(day, today, typical) | known.of_everybody(), headers=headers)
