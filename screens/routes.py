"""What a browser on a wall opens: the page of a screen, its assets, its stream and what is read beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from html import escape
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from analysis.typical_day import TypicalDay
from api_client import Client
from api_client.trouble_log import TroubleLog
from live import STREAM, FeedStream, Hub, RelayLimits
from screens.changes import ChangeWatch, Shown
from screens.closed_hours import ClosedAnswers, ReadClosed, never_closed
from screens.curve_answer import CurveAnswers
from screens.day_curve import Day
from screens.definition import Language, digest_of
from screens.floor_plans import NO_PLANS, PlanSource, is_on_plan
from screens.known_of_day import ReadKnown, nothing_known
from screens.link_limits import LinkLimits, LinkUse
from screens.neutral import Circumstance, neutral_page, preferred_language
from screens.page import Bundle, asset_names, json_for_html, load_bundle, screen_config
from screens.plan_answer import picture_response
from screens.previews import PreviewSigner, until_over
from screens.remembered import UNCONFIRMED
from screens.resolved import Refused, Resolved, Resolver
from screens.shared_reads import SharedReads
from screens.shown import ShownView, view_at
from screens.store import ScreenStore, ScreenStoreError
from screens.troubles import ShownBook
from screens.viewers import Openings, ViewerRegistry

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'"
)
"""Who may show the page in a frame is the dashboard's to add."""
_PRIVATE: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_ENDLESS: Final = "public, max-age=31536000, immutable"
_SOON: Final = (60.0, 120.0)
"""How many seconds a stream lives whose screen could not be resolved whole: its return tries again."""
_SOMETIMES: Final = (300.0, 600.0)
"""How many seconds a stream of all sites, or on a floor plan, lives: its return brings what was changed."""
_PREVIEW_OVER: Final = b'event: screen\ndata: {"status":"over"}\n\n'
_LASTING: Final = frozenset({Circumstance.NOT_IN_USE, Circumstance.PREVIEW_OVER})
_ASK_AGAIN: Final = {"Retry-After": "10"}
_log = TroubleLog("screens.routes")


class _ScreenStream(Response):
    """A feed stream that ends when its screen changes, and whose reader counts as a viewer."""

    def __init__(self, stream: FeedStream, enter: Callable[[ExitStack], None]) -> None:
        super().__init__()
        self._stream = stream
        self._enter = enter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with ExitStack() as stack:
            self._enter(stack)
            await self._stream(scope, receive, send)


class ScreenRoutes:
    """The routes of all screens, within one event loop. Getters are called at each request, in a thread."""

    def __init__(
        self,
        get_store: Callable[[], ScreenStore],
        get_client: Callable[[], Client],
        get_hub: Callable[[], Hub],
        get_viewers: Callable[[], ViewerRegistry],
        get_previews: Callable[[], PreviewSigner],
        *,
        get_shown: Callable[[], ShownBook],
        typical: SharedReads[Day, TypicalDay],
        plans: PlanSource = NO_PLANS,
        known: ReadKnown = nothing_known,
        closed: ReadClosed = never_closed,
        limits: LinkLimits | None = None,
        unconfirmed: float = UNCONFIRMED,
    ) -> None:
        self._get_store = get_store
        self._get_hub = get_hub
        self._get_viewers = get_viewers
        self._get_previews = get_previews
        self._openings = Openings(self._write_opened)
        self._limits = RelayLimits()
        self._bundle: Bundle = load_bundle()
        self._resolver = Resolver(
            get_store,
            get_client,
            get_previews,
            get_shown,
            plans=plans,
            bundle_version=self._bundle.version,
            unconfirmed=unconfirmed,
        )
        self._use = LinkUse(limits)
        self._changes = ChangeWatch(self._resolver.revisions, plans.changed_at, unconfirmed)
        self._curves = CurveAnswers(get_client, typical, known)
        self._plans = plans
        self._closed = ClosedAnswers(get_client, closed)

    def routes(self) -> list[Route]:
        """`{token}` is what a link ends in, or the ticket of a preview."""
        return [
            Route("/screen/{token}", self.page, methods=["GET"]),
            Route("/screen/{token}/stream", self.stream, methods=["GET"], name=STREAM),
            Route("/screen/{token}/day.json", self.day, methods=["GET"]),
            Route("/screen/{token}/hours.json", self.hours, methods=["GET"]),
            Route("/screen/{token}/floor-plan/{picture}", self.picture, methods=["GET"]),
            Route("/screen-assets/{version}/{name}", self.asset, methods=["GET"]),
        ]

    async def page(self, request: Request) -> Response:
        found = await self._resolved(request)
        if isinstance(found, Refused):
            return _neutral(found, request)
        is_still = "still" in request.query_params
        if is_still not in found.pages:
            found.pages[is_still] = self._made(found, request.path_params["token"], is_still=is_still)
        headers = _PRIVATE | {"Content-Security-Policy": _POLICY}
        return HTMLResponse(found.pages[is_still], headers=headers)

    def _made(self, found: Resolved, token: str, *, is_still: bool) -> bytes:
        screen, version = found.screen, self._bundle.version
        config = screen_config(screen, found.views, token=token, bundle=self._bundle)
        script, style = asset_names(view.kind for view in found.views)
        html = self._bundle.page.substitute(
            language=screen.language,
            theme=screen.theme,
            title=escape(screen.name),
            script=f"../screen-assets/{version}/{script}",
            style=f"../screen-assets/{version}/{style}",
            config=json_for_html(config | {"still": is_still}),
        )
        return html.encode()

    async def asset(self, request: Request) -> Response:
        """The asset as this process has it; kept for ever only under its own version.

        A page of a dashboard beside this one may ask for another version: then the one at hand serves, and
        the page learns from its stream that it is outdated.
        """
        found = self._bundle.assets.get(request.path_params["name"])
        if found is None:
            return JSONResponse({"error": "There is no such asset."}, status_code=404)
        own = request.path_params["version"] == self._bundle.version
        headers = {
            "Cache-Control": _ENDLESS if own else "no-store",
            "X-Content-Type-Options": "nosniff",
            "Vary": "Accept-Encoding",
        }
        # Who refuses it by a weight of 0 was heard before (`CompressedFiles`).
        is_small = "gzip" in request.headers.get("accept-encoding", "")
        content = found.compressed if is_small else found.content
        headers |= {"Content-Encoding": "gzip"} if is_small else {}
        return Response(content, media_type=f"{found.media_type}; charset=utf-8", headers=headers)

    async def day(self, request: Request) -> Response:
        found = await self._resolved(request)
        if isinstance(found, Refused):
            return _refusal(found.circumstance)
        try:
            return await self._curves.response(_asked_view(request, found), _PRIVATE)
        except asyncio.CancelledError:  # the server ends; the page asks the one that comes after it
            return _refusal(Circumstance.UNAVAILABLE)

    async def hours(self, request: Request) -> Response:
        found = await self._resolved(request)
        if isinstance(found, Refused):
            return _refusal(found.circumstance)
        try:
            return await self._closed.response(found.views, request, _PRIVATE)
        except asyncio.CancelledError:  # as in `day`
            return _refusal(Circumstance.UNAVAILABLE)

    async def picture(self, request: Request) -> Response:
        found = await self._resolved(request)
        if isinstance(found, Refused):
            return _refusal(found.circumstance)
        name: str = request.path_params["picture"]
        image = await run_in_threadpool(self._plans.picture, found.views, name)
        return picture_response(request, name, image)

    async def stream(self, request: Request) -> Response:
        found = await self._resolved(request)
        if isinstance(found, Refused):
            return _refusal(found.circumstance)
        screen, token = found.screen, request.path_params["token"]
        limits = self._limits
        if found.outage:
            limits = replace(limits, lifetime=_SOON)
        elif screen.shows_all_sites or is_on_plan(screen):
            limits = replace(limits, lifetime=_SOMETIMES)
        hub, viewers, previews = await run_in_threadpool(
            lambda: (self._get_hub(), self._get_viewers(), self._get_previews())
        )
        link = digest_of(token)
        if not self._use.has_room(link):
            _log.warning("too many streams are open by the link of a screen", screen=screen.id)
            return _refusal(Circumstance.TOO_OFTEN)
        if found.link is not None:
            self._openings.note(screen.id)
        stream = FeedStream(hub, found.grant, {"version": found.version}, limits)
        shown = Shown(screen.id, screen.revision, found.link, self._resolver.shown_until(token), found.plans)
        address = request.client.host if request.client else ""
        seat = partial(viewers.looking, screen.id, address, request.headers.get("user-agent", ""))

        def enter(stack: ExitStack) -> None:
            stack.enter_context(self._use.streaming(link))
            if screen.id:
                stack.enter_context(self._changes.watching(stream, shown))
            if found.link is not None:  # who composes the screen is no viewer of it
                stack.enter_context(seat())
            else:
                stack.enter_context(_ended_with(stream, until_over(previews, token)))

        return _ScreenStream(stream, enter)

    def _write_opened(self, screen_ids: Collection[str]) -> None:
        with suppress(ScreenStoreError):  # a full disk, say: the walls show their numbers all the same
            self._get_store().note_opened(screen_ids)

    async def _resolved(self, request: Request) -> Resolved | Refused:
        token = request.path_params["token"]
        link = digest_of(token)
        if self._use.is_spent(link):
            return Refused(Circumstance.TOO_OFTEN)
        # Before it is looked up: while a service hangs, those who wait for the answer add up.
        self._use.take(link)
        found = await self._resolver.resolved(token)
        if isinstance(found, Refused) and found.circumstance in _LASTING:
            self._use.forget(link)  # one that was guessed is not remembered
        if isinstance(found, Resolved) and self._use.is_spent(link):
            _log.warning("the link of a screen is asked too often", screen=found.screen.id)
        return found


def _asked_view(request: Request, found: Resolved) -> ShownView | None:
    return view_at(request.query_params.get("view", ""), found.views)


@contextmanager
def _ended_with(stream: FeedStream, over: Coroutine[None, None, None]) -> Iterator[None]:
    """End the stream of a preview as soon as its ticket is over."""

    async def end() -> None:
        await over
        stream.end(_PREVIEW_OVER)

    task = asyncio.create_task(end(), name="end of a preview")
    try:
        yield
    finally:
        task.cancel()


def _refusal(circumstance: Circumstance) -> Response:
    """The answer to what a page asks for beside itself, where there is nothing to show."""
    status = circumstance.value.status
    later = {} if circumstance in _LASTING else _ASK_AGAIN
    return JSONResponse({"error": circumstance.said_in(Language.ENGLISH)}, status, _PRIVATE | later)


def _neutral(refused: Refused, request: Request) -> Response:
    language = refused.language or preferred_language(request.headers.get("accept-language", ""))
    page = neutral_page(refused.circumstance, language, refused.since)
    headers = _PRIVATE | {
        "Content-Security-Policy": page.security_policy,
        "Retry-After": str(page.ask_again),
    }
    return HTMLResponse(page.html, page.status, headers)
