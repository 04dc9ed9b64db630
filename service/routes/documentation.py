"""What the OpenAPI document says about answers that routes share: the failures and the metrics body."""

from __future__ import annotations

from typing import Any, Final

from contract import Envelope

_MEANINGS: Final = {
    400: "Something about the request is wrong; `meta.errors` lists all of it.",
    401: "The key is missing, malformed or revoked.",
    403: "The key may not read or write this.",
    404: "There is no such site.",
    408: "The body took too long to arrive.",
    409: "The Idempotency-Key came before with a different body.",
    413: "The body is larger, or has more counts, than is allowed.",
    415: "The body is not declared as JSON, or has an encoding other than gzip.",
    503: "The service cannot answer now; `Retry-After` says in how many seconds to ask again.",
}

METRICS_TEXT: Final = """Historical metrics, the newest value, and live updates.

* **Batch** (`live` false or left out): one point per bucket that holds at least one counted minute, in
  chronological order. A minute belongs to the range when `from` <= minute < `to`. Bucket edges are local to
  `timezone`; a point's `timestamp` is the first instant of its bucket, in UTC. Only minutes that ended at
  least a minute ago are read. Missing is never 0: a bucket without a counted minute has no point, and a
  metric without a value in a bucket (timeSpent without entrances) is left out of the point.
* **Newest value** (`from` and `to` both `now`): one point, as far as its bucket is filled, with
  `matchingFilters`; no point before the first count. Poll it where SSE cannot be used.
* **Live** (`live` true, with `Accept: text/event-stream`): the newest point at once, then each change of it,
  at most one a second. A later event with the same timestamp replaces the earlier one. With `from`, `to` and
  `granularity` all given, the points of that range come first; with only some of them, only updates come.
  Comments are heartbeats. Without that Accept header the stream is empty and closes at once. Revoking the key
  ends the stream; so does its longest lifetime: connect again.

Times are `now`, a count with a unit and `ago` (second, minute, hour, day, week, month, year; plural or not),
or `YYYY-MM-DDTHH:MM:SS` or `YYYY-MM-DD HH:MM:SS`, local to `timezone`. Granularity left out is minute up to
6 hours, hour up to 7 days, day up to 92 days, month beyond. Aggregation left out is sum for entrances and
exits, average for visitorsInside and timeSpent. Several zones are summed. `filter.zoneIds` left out is the
site's top zone; an empty array is refused. `filter.passageIds` restricts entrances and exits to those
passages. timeSpent is in seconds: person-seconds inside per entrance, whatever the aggregation. Null means
left out. `inferredParams` holds what was filled in, except the aggregation, which differs by metric.

The query parameters `limit` and `offset` are accepted and have no effect."""

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


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """`responses` of an operation: the same envelope for every failure, 500 always among them."""
    unexpected: dict[int | str, dict[str, Any]] = {
        500: {"description": "The service failed.", "model": Envelope[None]}
    }
    return unexpected | {
        status: {"description": _MEANINGS[status], "model": Envelope[None]} for status in statuses
    }
