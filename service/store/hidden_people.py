"""What visitorsInside does not show: people whom the daily reset forgot, and people added to stop at 0.

A count goes from one daily reset to the next. What was added in it (`hidden` of its minutes) is the level at
its end less the sum of entrances - exits + adjusted, and those sums are in the quarters: a month takes a
millisecond.
"""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import pairwise
from typing import Final

from sqlalchemy import Connection

from contract.minutes import minute_ceiling, minute_number, minute_start
from service.store.archived_days import kept_minutes
from service.store.bucket_rows import SummedSeries
from service.store.prepared import Prepared, rows_of_json
from service.store.protocol import BucketQuery, HiddenPeople
from service.store.topology import Topology
from service.store.zone_series import quarter_ceiling, quarter_floor

MOST_COUNTS: Final = 100
"""Daily counts of zones about which a query is told: 100 days of one zone, ten days of ten. They take a
millisecond."""

_TAKEN_APART: Final = rows_of_json("counts", 6)
_COUNTS: Final = Prepared(
    """
    WITH counts(zone, position, start, first, last, stop) AS MATERIALIZED ({taken_apart})
    SELECT position,
        (SELECT inside FROM zone_minutes WHERE number = zone AND minute >= start AND minute < stop
         ORDER BY minute DESC LIMIT 1),
        (SELECT CAST(COALESCE(SUM(entrances - exits + adjusted), 0) AS BIGINT) FROM zone_minutes
         WHERE number = zone AND minute >= start AND minute < first),
        (SELECT CAST(COALESCE(SUM(entrances - exits + adjusted), 0) AS BIGINT) FROM zone_quarters
         WHERE number = zone AND minute >= first AND minute < last),
        (SELECT CAST(COALESCE(SUM(entrances - exits + adjusted), 0) AS BIGINT) FROM zone_minutes
         WHERE number = zone AND minute >= last AND minute < stop)
    FROM counts""",
    taken_apart=_TAKEN_APART,
)
"""Of each zone and count the last level, and the sums before, in and after its whole quarters."""


def hidden_people(connection: Connection, query: BucketQuery, topology: Topology) -> list[HiddenPeople]:
    """See `MetricStore.hidden`."""
    # A day has up to 25 hours; there is no need to find the resets of centuries.
    if query.end - query.start > timedelta(days=MOST_COUNTS + 1):
        return []
    asked = (minute_number(minute_ceiling(query.start)), minute_number(minute_ceiling(query.end)))
    series = SummedSeries.asked(query, topology)
    if not series.zones or asked[0] >= asked[1]:
        return []
    until = kept_minutes(connection, query.site_id).settled_until
    # Quarters do not tell how many were inside at the end.
    resets = [reset for reset in topology.reset_minutes(asked[0], asked[1] - 1) if reset >= until]
    # A count that began before the range is told beside them: from midnight on ten days meet eleven.
    begun = sum(reset >= asked[0] for reset in resets[:-1])
    if max(1, begun) * len(series.zones) > MOST_COUNTS:
        return []
    spans = [_span(begin, min(reset, asked[1])) for begin, reset in pairwise(resets)]
    counts = [(zone, position, *span) for zone in series.zones for position, span in enumerate(spans)]
    left, hidden = dict[int, int](), dict[int, int]()
    for position, level, *sums in _COUNTS.run(connection, counts=json.dumps(counts)):
        if level is not None:
            left[position] = left.get(position, 0) + level
            hidden[position] = hidden.get(position, 0) + level - sum(sums)
    return [
        HiddenPeople(
            minute_start(resets[position]),
            minute_start(spans[position][-1]),
            is_reset=spans[position][-1] == resets[position + 1],
            left_over=left[position],
            unentered=hidden[position],
        )
        for position in sorted(left)
    ]


def _span(begin: int, end: int) -> tuple[int, int, int, int]:
    first, last = quarter_ceiling(begin), quarter_floor(end)
    # Without a whole quarter all is read by the minute.
    return (begin, first, last, end) if first < last else (begin, end, end, end)
