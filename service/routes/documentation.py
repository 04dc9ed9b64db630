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
    507: "The service's disk has no space left; `Retry-After` says in how many seconds to ask again.",
}

METRICS_TEXT: Final = """Historical metrics, the newest value, and live updates.

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
left out is sum for entrances and exits, average for visitorsInside and timeSpent. timeSpent is in seconds:
person-seconds inside per entrance, whatever the aggregation. Null means left out. `inferredParams` holds what
was filled in, except the aggregation, which differs by metric.

**Zones.** `filter.zoneIds` left out is the site's top zone; an empty array is refused. Several zones are
summed minute by minute, over the minutes in which at least one of them was counted: entrances and exits of
those that were; visitorsInside of all, each as in its last counted minute since the daily reset (0 before its
first). Sum, minimum, average and maximum are taken over those sums, so that minimum <= average <= maximum,
and a minute has one value whichever way it is asked.

**Passages.** `filter.passageIds` restricts entrances and exits to those passages, summed minute by minute in
the same way. With `zoneIds`, it is crossings into and out of those zones; without, each passage counts
forward (towards `toZoneId`) as entrances and backward as exits, a door to the outside inwards as entrances.
That includes passages between two zones: outer and inner doors asked for together count a person at each.

`metrics` takes up to 100 elements, `zoneIds` and `passageIds` up to 10,000 each. Of more than a hundred wrong
things the first hundred are named.

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
