"""`GET /live/usual`: typical days of the feeds that a page shows, to compare with what its browser hears.

Asked beside the stream, so that neither a page nor a number waits for past weeks. An answer holds what is
known within a moment; the rest is read meanwhile, a few days at a time and once for all who look, and asked
for again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from analysis.typical_day import TypicalDay
from api_client import ApiClientError, Client
from live import StreamSigner, TokenError
from screens.day_curve import Day, TodaySoFar, read_time_inside, read_today
from screens.known_of_day import ReadKnown, nothing_known
from screens.shared_reads import SharedReads

PATH: Final = "/live/usual"
_TODAY_FRESH: Final = 300.0
_YOUNG: Final = timedelta(seconds=5)
"""What is younger is not read anew, whatever has changed."""
_FAILED: Final = 60.0
_AT_ONCE: Final = 2
"""Days under way together, each of six to twelve queries: nobody waits for them."""
_PATIENCE: Final = 2.0
"""Seconds that an answer waits for what is not known yet."""
_NO_STORE: Final = {"cache-control": "no-store"}

Content = TypeVar("Content")


def _read_today(client: Client, day: Day) -> TodaySoFar:
    """Raises ApiClientError; a service that tells no time inside has a curve nevertheless."""
    today = read_today(client, day)
    with suppress(ApiClientError):
        return today._replace(time_inside=read_time_inside(client, day, today))
    return today


def usual_routes(
    get_client: Callable[[], Client],
    get_signer: Callable[[], StreamSigner],
    typical_days: SharedReads[Day, TypicalDay],
    known: ReadKnown = nothing_known,
) -> list[Route]:
    """The route; `typical_days` are shared with walls, `known` is told with the curve of the day. Parameters
    are a page's `token`, and of the feeds that it grants each `feed` to be compared and each `today` of which
    the curve of the day so far is wanted, too; `since`, epoch seconds, is when something has changed of that.
    """
    turns = asyncio.Semaphore(_AT_ONCE)  # no wall waits for the many sites of a page
    days_so_far: SharedReads[Day, TodaySoFar] = SharedReads(
        lambda day: _read_today(get_client(), day), fresh=_TODAY_FRESH, failed=_FAILED, at_once=_AT_ONCE
    )

    async def usual(request: Request) -> Response:
        try:
            grant = await run_in_threadpool(lambda: get_signer().read(request.query_params.get("token", "")))
        except TokenError as error:
            return JSONResponse({"error": str(error)}, 403, _NO_STORE)
        present = (await run_in_threadpool(get_client)).service_time
        granted = {feed.key.name: Day.at(present, *feed) for feed in grant.feeds}
        asked = {
            name: {key: granted[key] for key in request.query_params.getlist(name) if key in granted}
            for name in ("feed", "today")
        }
        since = _since(request, present)
        for day in asked["today"].values():
            days_so_far.outdate(day, lambda so_far: so_far.as_of < min(since, present - _YOUNG))
        typical, today = await asyncio.gather(
            _known(partial(typical_days.get, turns=turns), asked["feed"]),
            _known(days_so_far.get, asked["today"]),
        )
        feeds = {
            name: _encoded(granted[name], typical.get(name), today.get(name)) for name in typical | today
        }
        for name, so_far in today.items():
            feeds[name] |= (await run_in_threadpool(known, granted[name])).body(so_far.by_hand)
        fresh = sum(so_far.as_of >= since for so_far in today.values())
        missing = len(asked["feed"]) + len(asked["today"]) - len(typical) - fresh
        return JSONResponse({"feeds": feeds, "missing": missing}, headers=_NO_STORE)

    return [Route(PATH, usual, methods=["GET"])]


def _since(request: Request, present: datetime) -> datetime:
    """From when on the day so far has to be of; the distant past where that is not asked for."""
    try:
        since = datetime.fromtimestamp(float(request.query_params.get("since", "0")), UTC)
    except (ValueError, OverflowError, OSError):
        since = datetime.fromtimestamp(0, UTC)
    return min(since, present)


async def _known(
    read: Callable[[Day], Coroutine[None, None, Content]], wanted: Mapping[str, Day]
) -> dict[str, Content]:
    """What could be read within _PATIENCE of the `wanted` days, by name."""
    tasks = {name: asyncio.create_task(read(day)) for name, day in wanted.items()}
    if not tasks:
        return {}
    done, slow = await asyncio.wait(tasks.values(), timeout=_PATIENCE)
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    return {name: task.result() for name, task in tasks.items() if task in done and _succeeded(task)}


def _succeeded(task: asyncio.Task[Content]) -> bool:
    """Raises what is a defect; that the service does not answer is none."""
    if task.cancelled():
        return False
    error = task.exception()
    if error is not None and not isinstance(error, ApiClientError):
        raise error
    return error is None


def _encoded(day: Day, typical: TypicalDay | None, today: TodaySoFar | None) -> dict[str, Any]:
    """One feed as JSON, times in epoch seconds; what is not known is absent. `until`: the day's end."""
    encoded: dict[str, Any] = {
        "timezone": day.timezone.key,
        "day_start": day.start.timestamp(),
        "until": day.end.timestamp(),
        "weekday": f"{day.date:%A}",
    }
    if typical:
        encoded |= {"typical": typical.points, "typical_days": typical.days, "spoilt_days": typical.spoilt}
    if today:
        encoded |= {"today": today.points, "as_of": today.as_of.timestamp()}
        encoded |= {"time_inside": today.time_inside}
    return encoded
