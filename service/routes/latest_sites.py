"""`GET /live/sites`: the newest value of every site that the key may read. Ours, beside v3."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from contract import Envelope
from contract.latest_sites import LATEST_SITES_PATH, LatestKind, LatestOfSite
from service.application_state import ApplicationState, application_state_of
from service.envelope import print_json, success
from service.event_stream import HEARTBEAT, MEDIA_TYPE, EventStream, StreamLimits, headers_alone, live_events
from service.latest_values import latest_of_site, listed_sites
from service.live_sites import Form
from service.openapi import error_responses
from service.routes.access import CurrentKey
from service.routes.key_limits import check_open_streams
from service.store.protocol import KeyRecord

router = APIRouter(tags=["live"])

_EVENTS: Final = Form(MEDIA_TYPE, b"data: ", b"\n\n", HEARTBEAT)
_LINES: Final = Form("application/x-ndjson", b"", b"\n", print_json({"kind": LatestKind.HEARTBEAT}) + b"\n")
_JSON: Final = "application/json"
_CHOICES: Final = {MEDIA_TYPE: _EVENTS, _LINES.media_type: _LINES, _JSON: None}
"""Media type -> the form of a stream; None: one answer, and no stream."""

_EXAMPLE: Final = {
    "kind": "site",
    "siteId": "corner-shop",
    "name": "Corner shop",
    "timezone": "Europe/Zurich",
    "topZoneId": "shop",
    "capacity": 40,
    "devicesOffline": 0,
    "newest": {
        "timestamp": "2025-03-30T01:00:00+00:00",
        "metrics": {"visitorsInside": 12, "entrances": 3, "exits": 2},
    },
}
_ANSWER: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The newest value of every site, and what changes.",
        "content": {
            MEDIA_TYPE: {
                "schema": {"type": "string"},
                "example": _EVENTS.framed([print_json(_EXAMPLE)]).decode(),
            },
            _LINES.media_type: {
                "schema": {"type": "string"},
                "example": _LINES.framed([print_json(_EXAMPLE)]).decode(),
            },
            _JSON: {"example": {"data": [_EXAMPLE], "meta": {"requestId": "", "serverTag": ""}}},
        },
    }
}


@router.get(
    LATEST_SITES_PATH,
    summary="The newest value of every site, in one stream (an extension, not v3)",
    response_model=Envelope[tuple[LatestOfSite, ...]],
    responses=_ANSWER | error_responses(401, 403, 429, 503),
)
async def latest_of_all_sites(request: Request, key: CurrentKey) -> Response:
    """An extension of this service beside v3: the newest value of every site that the key may read, archived
    ones left out, in one stream instead of one for each. Nobody needs it: `POST /v3/metrics` tells the same.

    Server-Sent Events unless `Accept` prefers `application/x-ndjson`, the same objects by the line, or
    `application/json`, one answer with those of all sites, which is no stream. Each object has a `kind`:

    * `site`: the newest value of a site, with what a list compares it by. `newest` is what `POST /v3/metrics`
      answers to `now` for the top zone: its timestamp is that of the newest stored minute, whenever the
      stream was opened; null before the first count. A later object of the same site replaces the earlier.
    * `complete`: each site was told once; `sites` is how many. What follows are changes, each site at most
      once a second. A site that is added or renamed is told like any other.
    * `gone`: the site `siteId` is not listed any more.
    * `heartbeat`: nothing new, in NDJSON; in an event stream a comment.

    Kinds and members to come are to be ignored. A reader that is slow gets the newest object of each site,
    not those in between. Older minutes that change are not told. It counts as one stream of its key; revoking
    the key ends it, and so does its longest lifetime: connect again, and all is told anew.
    """
    state = application_state_of(request)
    form = chosen_form(",".join(request.headers.getlist("accept")))
    if form is None:
        return await state.reads.run(key.organization_id, _answer, request, state, key)
    check_open_streams(state, key)
    if request.state.is_head:
        return headers_alone(form.media_type)
    reader = await state.live_sites.reader(key.organization_id, key.site_ids, form)
    # Again, for those that were opened meanwhile.
    check_open_streams(state, key)
    settings = state.settings
    limits = StreamLimits(settings.heartbeat, settings.send_timeout, settings.stream_lifetime)
    subscription = state.broadcast.subscribe(None, key.id)
    events = live_events(subscription, b"", reader, limits, form.beat)
    return EventStream(events, settings.send_timeout, form.media_type)


def chosen_form(accept: str) -> Form | None:
    """What an Accept header prefers of the three, events where it says nothing; None: one answer."""
    wanted: dict[str, float] = {}
    for part in accept.lower().replace(" ", "").split(","):
        name, *parameters = part.split(";")
        wanted.setdefault(name, _weight(parameters))
    named = {name: wanted[name] for name in wanted if name in _CHOICES and wanted[name] > 0}
    any_ = max(wanted.get("*/*", 0.0), wanted.get("text/*", 0.0))
    if not named or (any_ > max(named.values()) and wanted.get(MEDIA_TYPE) != 0):
        return _EVENTS
    return _CHOICES[max(named, key=named.__getitem__)]


def _weight(parameters: list[str]) -> float:
    """Of `q=0.5`; 1 where there is none, or none that can be read."""
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return float(parameter.removeprefix("q="))
            except ValueError:
                return 1.0
    return 1.0


def _answer(request: Request, state: ApplicationState, key: KeyRecord) -> Response:
    listed = listed_sites(state.store, key.organization_id, state.clock(), state.listening_since)
    told = [
        latest_of_site(state.store.metrics, site) for site_id, site in listed.items() if key.reads(site_id)
    ]
    return success(request, told)
