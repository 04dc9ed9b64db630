"""Which days of a site are brought to the archive next, and which have to be back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from contract.minutes import MINUTES_A_DAY
from service.store.archive_tables import RETURNED_DAYS
from service.store.archived_days import Span, Stretch, kept_minutes, stretches
from service.store.archived_rows import first_row
from service.store.folded_minutes import NEVER
from service.store.former_resets import former_resets
from service.store.late_counts import LateCounts
from service.store.retention import last_stored, newest_reset
from service.store.topology import Topology
from service.store.zone_series import QUARTER, quarter_ceiling

_MINUTES_TOGETHER: Final = 60_000
"""Minutes of series that are copied, and deleted, at once; but for a day of a site that has more."""
FEWEST_DAYS: Final = 7
"""Of a site that are brought there at once, unless they are too many: ClickHouse wants few large pieces."""


class NextSpan(NamedTuple):
    span: Span
    is_returned: bool
    """They have been there before."""


def next_span(connection: Connection, topology: Topology, days: int, present: datetime) -> NextSpan | None:
    """What is to be copied next; None where there is nothing."""
    site_id = topology.record.site.id
    series = max(len(topology.passages) + len(topology.zones), 1)
    days_together = max(1, _MINUTES_TOGETHER // (MINUTES_A_DAY * series))
    if returned := _returned(connection, site_id, days_together):
        return NextSpan(returned, is_returned=True)
    until = kept_minutes(connection, site_id).archived_until
    first, newest = first_row(connection, site_id, until), last_stored(connection, site_id)
    last = newest_reset(topology, days, present)
    if newest is not None:
        last = min(last, topology.reset_minutes(newest, newest)[0])
    if first is None or first >= last:
        return None
    # A reset within a quarter, as of an offset of a century ago, would cut it.
    resets = [reset for reset in topology.reset_minutes(first, last)[1:] if reset % QUARTER == 0]
    ends = list(takewhile(lambda reset: reset <= last, resets))
    together = ends[:days_together]
    if len(together) < min(FEWEST_DAYS, days_together):
        return None
    # The first time from `NEVER` on: what comes meanwhile of before all that is there changes the copy, too.
    return NextSpan(Span(until, together[-1]), is_returned=False)


def _returned(connection: Connection, site_id: str, most: int) -> Span | None:
    """The first of the days that have returned, with those that follow it without a gap."""
    own = select(RETURNED_DAYS.c.start, RETURNED_DAYS.c.end).where(RETURNED_DAYS.c.site_id == site_id)
    rows = [Span(*row) for row in connection.execute(own.order_by(RETURNED_DAYS.c.start).limit(most))]
    found: Span | None = None
    for row in rows:
        if found is not None and row.start != found.end:
            break
        found = Span(found.start if found else row.start, row.end)
    return found


def archived_stretches(
    connection: Connection, topology: Topology, late: Sequence[LateCounts]
) -> Iterator[Stretch]:
    """What has to be back before these are counted: whole days, up to the reset after each UTC day, since all
    up to there is made again.
    """
    site_id, end = topology.record.site.id, NEVER
    until = kept_minutes(connection, site_id).archived_until
    for first in sorted({int(counts.columns[0][0]) for counts in late}):
        day_end = first - first % MINUTES_A_DAY + MINUTES_A_DAY
        resets = topology.reset_minutes(first, day_end - 1)
        start, last = resets[0], resets[-1]
        # Whole days of then, too: those beside them begin, and end, as they did.
        for former in former_resets(connection, site_id, start, last):
            if former.start < start:
                start = max(former.around(start, start)[0], former.start)
            if former.end > last:
                last = min(former.around(last - 1, last - 1)[-1], former.end)
        start, end = max(start, end), max(quarter_ceiling(last), end)
        within = stretches(connection, site_id, start, min(end, until), until)
        yield from (stretch for stretch in within if stretch.is_archived)
