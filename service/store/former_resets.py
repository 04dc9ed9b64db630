"""At which resets the levels of archived days begin, where the site had others when they were made.

Days that lie in the archive stay as they were made when the hour of the reset, or the time zone, changes. A
sum over several zones carries the level of one that is silent up to the next reset, which is that of then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import chain
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, bindparam, delete, select
from sqlalchemy import insert as insert_rows

from contract import DEFAULT_TIMEZONE
from service.store.archive_tables import FORMER_RESETS
from service.store.archived_days import Span, Stretch, kept_minutes
from service.store.folded_minutes import NEVER
from service.store.prepared import Prepared
from service.store.site_protocol import SiteRecord
from service.store.topology import Topology, reset_minutes

_COLUMNS: Final = (
    FORMER_RESETS.c.start,
    FORMER_RESETS.c.end,
    FORMER_RESETS.c.daily_reset_hour,
    FORMER_RESETS.c.timezone,
)
_WITHIN: Final = Prepared(
    select(*_COLUMNS)
    .where(
        FORMER_RESETS.c.site_id == bindparam("site_id"),
        FORMER_RESETS.c.start < bindparam("end"),
        FORMER_RESETS.c.end > bindparam("start"),
    )
    .order_by(FORMER_RESETS.c.start)
)
_OF_SITES: Final = (
    select(FORMER_RESETS.c.site_id, *_COLUMNS)
    .where(FORMER_RESETS.c.site_id.in_(bindparam("site_ids", expanding=True)))
    .order_by(FORMER_RESETS.c.start)
)


class FormerResets(NamedTuple):
    """Of minutes [start, end)."""

    start: int
    end: int
    daily_reset_hour: int
    timezone: str

    def around(self, first: int, last: int) -> list[int]:
        """See `reset_minutes`."""
        return reset_minutes(first, last, ZoneInfo(self.timezone), self.daily_reset_hour)

    def of(self, topology: Topology) -> Topology:
        """The site, but for its resets."""
        site = topology.record.site.model_copy(update={"timezone": self.timezone})
        return replace(
            topology, record=replace(topology.record, site=site, daily_reset_hour=self.daily_reset_hour)
        )


def note_former_resets(connection: Connection, previous: SiteRecord, record: SiteRecord) -> None:
    """The site is another from now on: its archived days keep the resets that it had, or had before."""
    was, becomes = _resets(previous), _resets(record)
    until = kept_minutes(connection, record.site.id).archived_until
    if was == becomes or until == NEVER:
        return
    end = NEVER
    for former in [*former_resets(connection, record.site.id, NEVER, until), None]:
        start = former.start if former else until
        if end < start:
            _note(connection, record.site.id, FormerResets(end, start, *was))
        end = former.end if former else until
    own = (FORMER_RESETS.c.site_id == record.site.id) & (FORMER_RESETS.c.daily_reset_hour == becomes[0])
    connection.execute(delete(FORMER_RESETS).where(own, FORMER_RESETS.c.timezone == becomes[1]))


def former_resets(connection: Connection, site_id: str, start: int, end: int) -> list[FormerResets]:
    """Those of any minute of [start, end), ascending."""
    return [FormerResets(*row) for row in _WITHIN.run(connection, site_id=site_id, start=start, end=end)]


def former_resets_of_sites(
    connection: Connection, site_ids: Collection[str]
) -> dict[str, list[FormerResets]]:
    """By site id, ascending; only of those that have any."""
    found = defaultdict[str, list[FormerResets]](list)
    for site_id, *former in connection.execute(_OF_SITES, {"site_ids": list(site_ids)}):
        found[site_id].append(FormerResets(*former))
    return found


def forget_former_resets(connection: Connection, site_id: str, span: Span) -> None:
    """These days are made again, by the resets of now."""
    for former in former_resets(connection, site_id, *span):
        own = (FORMER_RESETS.c.site_id == site_id) & (FORMER_RESETS.c.start == former.start)
        connection.execute(delete(FORMER_RESETS).where(own))
        for start, end in ((former.start, span.start), (span.end, former.end)):
            if start < end:
                _note(connection, site_id, former._replace(start=start, end=end))


def by_resets(
    connection: Connection, topology: Topology, stretch: Stretch
) -> Iterator[tuple[Stretch, Topology]]:
    """The stretch in those that have the same resets each, with the site as it was then."""
    begin, start = stretch.begin, stretch.start
    formers = former_resets(connection, topology.record.site.id, start, stretch.end)
    for former in chain(formers, [None]):
        first = former.start if former else stretch.end
        if start < first:
            yield stretch._replace(begin=begin, start=start, end=first), topology
        if former:
            begin, start = max(former.start, stretch.begin), max(former.start, stretch.start)
            yield (
                stretch._replace(begin=begin, start=start, end=min(former.end, stretch.end)),
                former.of(topology),
            )
            begin = start = former.end


def _note(connection: Connection, site_id: str, former: FormerResets) -> None:
    connection.execute(insert_rows(FORMER_RESETS).values(site_id=site_id, **former._asdict()))


def _resets(record: SiteRecord) -> tuple[int, str]:
    return record.daily_reset_hour, record.site.timezone or DEFAULT_TIMEZONE
