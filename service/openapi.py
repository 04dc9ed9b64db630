"""The OpenAPI document at /openapi.json, what it says of answers that routes share, and its page at /docs.

The page is Swagger UI, whose files come from the package fastapi-offline; it asks no other host for anything.
"""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from contract import METRICS, Aggregation, Envelope
from service.ingest.count_batch import CountElement
from service.ingest.level_batch import LevelElement
from service.ingest.site_entries import SiteEntry
from service.query.metrics_body import MetricsBody

_PAGE: Final = Path(__file__).parent / "openapi_page"
_SWAGGER_UI: Final = Path(str(files("fastapi_offline"))) / "static"
_PAGE_FILES: Final = {
    "/docs": _PAGE / "index.html",
    "/docs/page.css": _PAGE / "page.css",
    "/docs/page.js": _PAGE / "page.js",
    "/docs/swagger-ui.css": _SWAGGER_UI / "swagger-ui.css",
    "/docs/swagger-ui-bundle.js": _SWAGGER_UI / "swagger-ui-bundle.js",
}
_PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy: a browser does not let the page ask another host, whatever its scripts do."""

_DESCRIPTION: Final = """Read access to an organization's sites and to the metrics that its passages produce
(/v3), which is the specification's; what counters report (/ingest), what an administrator sets up (/admin)
and the newest values of all sites in one stream (/live/sites), which are this service's own.

Every answer is `{data, meta}`; `meta.requestId` names the request, in the header `x-request-id` too. A failed
request has `data` null and everything that is wrong in `meta.errors` (`code`, `message`, `details` by field),
under the HTTP status of the most severe: 500, 507, 503, 401, 429, 403, 404, 405, 408, 431, 413, 415, 412,
409, 400. Switch on `code`; messages may change. What is not HTTP at all, and a request whose headers do not
arrive in time, are answered in the same form before the connection is closed.

Bodies are JSON (`Content-Type: application/json`, any other `+json` type, or none), plain or with
`Content-Encoding: gzip`; limits apply to what is unpacked. `Retry-After` comes with every 503 and 429: the
service takes counts first and refuses reads that would wait too long.

**visitorsInside** is the running sum of entrances minus exits since the site's daily reset (by default 04:00,
local), never below 0, minute by minute; where a level was told or it was set by hand, it is that, and counts
go on from there. **entrances** of a zone are people through its passages towards it; where nobody counted
they have no value.
The top zone is the whole site: its passages are those that open to the outside."""

_MEANINGS: Final = {
    400: "Something about the request is wrong; `meta.errors` lists all of it.",
    401: "The key is missing, malformed, revoked or expired.",
    403: "The key may not read or write this.",
    404: "There is no such site, counter or key.",
    408: "The body took too long to arrive.",
    409: "It contradicts what is stored, as an Idempotency-Key does that came with a different body.",
    412: "Somebody changed it since it was read: read it again.",
    413: "The body is larger, or has more counts, than is allowed.",
    415: "The body is not declared as JSON, or has an encoding other than gzip.",
    429: "The key asks too often, or has too many streams open; `Retry-After` says in how many seconds to ask"
    " again.",
    503: "The service cannot answer now; `Retry-After` says in how many seconds to ask again.",
    507: "The service's disk has no space left; `Retry-After` says in how many seconds to ask again.",
}


def _default_aggregations() -> str:
    """`average for visitorsInside and timeSpent, sum for entrances and exits`."""
    defaults = {
        aggregation: [spec.key for spec in METRICS.values() if spec.default_aggregation is aggregation]
        for aggregation in Aggregation
    }
    return ", ".join(
        f"{aggregation} for {' and '.join(keys)}" for aggregation, keys in defaults.items() if keys
    )


def _means() -> str:
    """What is divided by what, and that no aggregation changes it."""
    means = [spec for spec in METRICS.values() if spec.quotient]
    return " ".join(
        f"{spec.key} is in {spec.unit}: {spec.quotient}, whatever the aggregation." for spec in means
    )


METRICS_TEXT: Final = f"""Historical metrics, the newest value, and live updates.

* **Batch** (`live` false or left out): one point per bucket that holds at least one counted minute, in
  chronological order. A minute belongs to the range when `from` <= minute < `to`. Bucket edges are local to
  `timezone`; a point's `timestamp` is the first instant of its bucket, in UTC. Only minutes that have ended
  are read, so a range that starts one minute ago has no data. Missing is never 0: a bucket without a counted
  minute has no point, and a metric without a value in a bucket (timeSpent without entrances) is left out of
  the point.
* **Newest value** (`from` and `to` both `now`): one point, as far as its bucket is filled, with
  `matchingFilters`; no point before the first count. Poll it where SSE cannot be used.
* **Live** (`live` true, with `Accept: text/event-stream`): the newest point at once, then every bucket that
  changes, at most one update a second. A count that comes late changes older buckets, and those are sent
  again. The events of an update come in the order of their timestamps; the newest bucket, as far as it is
  filled, is always the last, after older ones even when it did not change. A later event with the same
  timestamp replaces the earlier one: what a reader has merged by timestamp is what a batch query answers.
  That holds for buckets with a minute of the last 26 hours; of a change further back nothing is sent, nor of
  what changed while nobody was connected, nor that a change of the site left a bucket without counts: ask for
  those with a batch query. No bucket of the future is sent. With `from`, `to` and `granularity` all given,
  the points of the buckets that the range touches come first, whole ones; with only some of them, only
  updates come. Comments are heartbeats. Without that Accept header the stream is empty and closes at once.
  Revoking the key ends the stream; so does its longest lifetime: connect again.

Times are `now`, a count with a unit and `ago` (second, minute, hour, day, week, month, year; plural or not),
or `YYYY-MM-DDTHH:MM:SS` or `YYYY-MM-DD HH:MM:SS`, local to `timezone`; one that the clocks skip is read with
the offset before the change, one that occurs twice is the first. Granularity left out is minute up to
6 hours, hour up to 7 days, day up to 92 days, month beyond. An answer has at most 50,000 buckets. Aggregation
left out is {_default_aggregations()}. {_means()}
Null means left out. `inferredParams` holds what was filled in, except the aggregation, which differs by
metric.

**Zones.** `filter.zoneIds` left out is the site's top zone; an empty array is refused. Several zones are
summed minute by minute, over the minutes in which at least one of them was counted: entrances and exits of
those that were; visitorsInside of all, each as in its last counted minute since the daily reset (0 before its
first). Sum, minimum, average and maximum are taken over those sums, so that minimum <= average <= maximum,
and a minute has one value whichever way it is asked.

**Levels.** A minute of which a source told how many are inside (`POST /ingest/levels`), or in which somebody
set it, has that as visitorsInside, beside which counts of the same minute change nothing. Where no passage
has a count in it, it has neither entrances nor exits, and a bucket with such a minute has no timeSpent. Where
visitorsInside was set by hand in the range, an entry LEVEL_SET in `meta.warnings` says so: `details` has a
hundred such settings at most, the zone and the minute, at the site's offset, and `set to 12: we counted`.

**What visitorsInside hides.** A batch answer with visitorsInside, over at most 100 days of one zone (ten days
of ten), has an entry PEOPLE_HIDDEN in `meta.warnings` where the daily reset forgot people who were still
inside, or people went out while nobody was. Its `details` have each count of the range, whole from its
beginning on and summed over the zones: by the reset that ended it, at the site's offset, as `17 left over, 12
exits found nobody inside`; a count that goes on at the end of the range by `since` and the reset at which it
began. Without that entry nothing of the range was hidden, or days and zones are too many. Entries of
`meta.warnings` have `code`, `message` and, where there is something to list, `details`, as those of
`meta.errors`.

**What is kept as quarters of an hour.** A service may fold minutes that are older than some days. Where a
range begins before that, MINUTES_FOLDED in `meta.warnings` says until when: sums and means come from the
quarters, and so do minimum and maximum of one zone; there are no points by the minute, of the extremes of
several zones or of passages, and none for a bucket that lacks a part of a quarter.

An answer about several zones or passages is made of at most 50 million stored values, one for each quarter of
an hour and zone, or one for each minute where that is needed, as for an extreme; beyond it is RANGE_TOO_LONG.

**Passages.** `filter.passageIds` restricts entrances and exits to those passages, summed minute by minute in
the same way. With `zoneIds`, it is crossings into and out of those zones; without, each passage counts
forward (towards `toZoneId`) as entrances and backward as exits, a door to the outside inwards as entrances.
That includes passages between two zones: outer and inner doors asked for together count a person at each.

`metrics` takes up to 100 elements, `zoneIds` and `passageIds` up to 10,000 each. Of more than a hundred wrong
things the first hundred are named.

The query parameters `limit` and `offset` are accepted and have no effect."""  # noqa: S608 - words for people, no SQL

METRICS_BODY: Final[dict[str, Any]] = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {"$ref": "#/components/schemas/MetricsBody"},
            "examples": {
                "day by hour": {
                    "value": {
                        "siteId": "corner-shop",
                        "metrics": ["entrances", "exits", "visitorsInside"],
                        "from": "1 day ago",
                        "to": "now",
                        "granularity": "hour",
                        "timezone": "Europe/Zurich",
                    }
                },
                "newest value": {
                    "value": {
                        "siteId": "corner-shop",
                        "metrics": ["visitorsInside"],
                        "from": "now",
                        "to": "now",
                    }
                },
                "live": {"value": {"siteId": "corner-shop", "metrics": ["visitorsInside"], "live": True}},
            },
        }
    },
}


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """`responses` of an operation: the same envelope for every failure, 500 always among them."""
    unexpected: dict[int | str, dict[str, Any]] = {
        500: {"description": "The service failed.", "model": Envelope[None]}
    }
    return unexpected | {
        status: {"description": _MEANINGS[status], "model": Envelope[None]} for status in statuses
    }


def body_of(
    schema: dict[str, Any], example: object = None, media_type: str = "application/json"
) -> dict[str, Any]:
    """`openapi_extra` of an operation whose body is read by hand: by default JSON, of this schema."""
    content = {"schema": schema} | ({} if example is None else {"example": example})
    return {"requestBody": {"required": True, "content": {media_type: content}}}


def add_documentation(application: FastAPI) -> None:
    """Serve the document and its page."""
    document: dict[str, Any] = {}

    async def openapi(request: Request) -> Response:
        del request
        if not document:
            document.update(openapi_document(application))
        return JSONResponse(document)

    application.add_route("/openapi.json", openapi, include_in_schema=False)
    for path, file in _PAGE_FILES.items():
        application.add_route(path, partial(_page_file, file), include_in_schema=False)


async def _page_file(file: Path, request: Request) -> Response:
    del request
    return FileResponse(file, headers={"Content-Security-Policy": _PAGE_POLICY})


def openapi_document(application: FastAPI) -> dict[str, Any]:
    """The routes' document, with the bodies that are read by hand and hold others added to its schemas."""
    document = get_openapi(
        title=application.title,
        version=application.version,
        description=_DESCRIPTION,
        routes=application.routes,
    )
    schemas = document["components"]["schemas"]
    for model in (MetricsBody, CountElement, LevelElement, SiteEntry):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    # Parameters are checked by the service itself, which never answers 422.
    for path in document["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    return document
