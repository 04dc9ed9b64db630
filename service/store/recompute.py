"""What a count changes, also a late one: zone minutes and quarters, computed again from passage minutes and
from what was told of zones.

From the first changed minute to the next daily reset of the site, up to which its levels depend on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from sqlalchemy import Connection, delete, func, select

from contract.minutes import MINUTES_A_DAY
from service.store.archived_days import Span, kept_minutes, note_change, stretches
from service.store.batched import batched
from service.store.bucket_keys import date_number
from service.store.protocol import Numbers
from service.store.raw_minutes import levels_before, read_counts
from service.store.schema import (
    PASSAGE_MINUTES,
    PASSAGE_QUARTERS,
    PASSAGES,
    ZONE_MINUTES,
    ZONE_QUARTERS,
    ZONES,
)
from service.store.series_rows import replace_series
from service.store.told_minutes import first_told_minutes, told_minutes
from service.store.topology import Flow, Topology
from service.store.zone_series import (
    NONE_TOLD,
    PassageMinutes,
    ZoneMinutes,
    passage_quarters,
    quarter_ceiling,
    quarter_floor,
    zone_minutes,
    zone_quarters,
)

_ROWS_TOGETHER: Final = 100_000
"""Minutes of zones that are made, and written, at once."""
_ALWAYS: Final = 2**62
_DAYS_AT_ONCE: Final = 32
"""Bounds the memory of a large import or rebuild."""


def recompute(
    connection: Connection,
    topology: Topology,
    passages: Collection[int],
    first_changes: Iterable[int],
    zones: Collection[int] = (),
) -> None:
    """Compute again all that depends on these passages, and these zones, of which something was told.

    `first_changes` has, for every UTC day in which one of them changed, the first changed minute.
    """
    site_id = topology.record.site.id
    kept = kept_minutes(connection, site_id)
    zone_ids = topology.zones_fed_by(passages)
    if zones:
        zone_ids = [id_ for id_, number in topology.zones.items() if number in zones or id_ in zone_ids]
    needed = {flow.passage for zone_id in zone_ids for flow in topology.flows[zone_id]}.union(passages)
    for span in _here(connection, topology, _spans(topology, first_changes), kept.archived_until):
        counts = read_counts(connection, needed, *span)
        changed = ((number, passage_quarters(*counts[number].T)) for number in counts.keys() & passages)
        replace_series(connection, PASSAGE_QUARTERS, changed)
        if kept.is_being_copied:
            note_change(connection, site_id, *span)
        # Of a day that has returned from the archive the whole is here.
        until = kept.settled_until if span.start >= kept.archived_until else kept.folded_until
        begin = max(topology.reset_minutes(span.start, span.start)[0], until)
        before = levels_before(connection, [topology.zones[id_] for id_ in zone_ids], begin, span.start)
        for some in batched(zone_ids, max(1, _ROWS_TOGETHER // (span.end - span.start))):
            made = _zones(connection, topology, some, counts, span, before=before)
            replace_series(connection, ZONE_MINUTES, made.items())
            quarters = ((number, zone_quarters(zone)) for number, zone in made.items())
            replace_series(connection, ZONE_QUARTERS, quarters)


def rebuild(connection: Connection, topology: Topology) -> None:
    """Forget all that is derived for the site and make it again from its raw rows.

    Quarters of folded minutes, and what lies in an archive, stay as they are: they follow from the site as it
    was then.
    """
    site_id, passages = topology.record.site.id, list(topology.passages.values())
    until = kept_minutes(connection, site_id).settled_until
    for table, owner in ((ZONE_MINUTES, ZONES), (ZONE_QUARTERS, ZONES), (PASSAGE_QUARTERS, PASSAGES)):
        numbers = select(owner.c.number).where(owner.c.site_id == site_id)
        connection.execute(delete(table).where(table.c.number.in_(numbers), table.c.minute >= until))
    note_change(connection, site_id, until, _ALWAYS)
    zones = list(topology.zones.values())
    recompute(connection, topology, passages, _first_minutes(connection, topology), zones)


class Derived(NamedTuple):
    """What follows from the counts of a span."""

    span: Span
    passage_quarters: Mapping[int, Sequence[Numbers]]
    """Number of a passage -> columns; only of those with counts."""
    zone_minutes: Mapping[int, ZoneMinutes]
    """Number of a zone -> its minutes."""
    zone_quarters: Mapping[int, Sequence[Numbers]]


def derived(connection: Connection, topology: Topology) -> Iterator[Derived]:
    """All that follows from the raw rows of a site, ascending in spans; nothing derived is read."""
    passages = set(topology.passages.values())
    inside: dict[int, int] = {}
    end = None
    for span in _spans(topology, _first_minutes(connection, topology)):
        if span.start != end:
            inside, end = {}, span.start  # a reset lies between
        counts = read_counts(connection, passages, *span)
        zones = _zones(connection, topology, topology.zones, counts, span, before=inside)
        inside |= {number: int(zone.inside[-1]) for number, zone in zones.items() if len(zone.inside)}
        end = span.end
        yield Derived(
            span,
            {number: passage_quarters(*rows.T) for number, rows in counts.items()},
            zones,
            {number: zone_quarters(zone) for number, zone in zones.items()},
        )


def _first_minutes(connection: Connection, topology: Topology) -> list[int]:
    """Of each UTC day the first minute that was counted, and the first that was told, of those that are
    neither folded nor archived.
    """
    minute = PASSAGE_MINUTES.c.minute
    # Not the numbers themselves: a site may have more of them than a statement takes parameters.
    site_id = topology.record.site.id
    chosen = select(PASSAGES.c.number).where(PASSAGES.c.site_id == site_id, PASSAGES.c.present)
    until = kept_minutes(connection, site_id).settled_until
    counted = PASSAGE_MINUTES.c.number.in_(chosen) & (minute >= until)
    firsts = select(func.min(minute)).where(counted).group_by(date_number(minute))
    return [*connection.execute(firsts).scalars(), *first_told_minutes(connection, site_id, until)]


def _spans(topology: Topology, first_changes: Iterable[int]) -> Iterator[Span]:
    """What to compute again: from each change to the daily reset after its UTC day, in pieces, no overlaps.

    Changes less than a day apart share a span: closing hours would cut an import into single days. Spans
    and pieces are made of whole quarters.
    """
    current: Span | None = None
    for first in sorted(first_changes):
        day_end = first - first % MINUTES_A_DAY + MINUTES_A_DAY
        end = quarter_ceiling(topology.reset_minutes(first, day_end - 1)[-1])
        if current is None or first > current.end + MINUTES_A_DAY:
            if current is not None:
                yield from _pieces(topology, current)
            current = Span(quarter_floor(first), end)
        else:
            current = Span(current.start, max(current.end, end))
    if current is not None:
        yield from _pieces(topology, current)


def _here(
    connection: Connection, topology: Topology, spans: Iterable[Span], archived_until: int
) -> Iterator[Span]:
    """What of the spans lies here: the counts of days in the archive do not, and what was set by hand of them
    does. Days from where the archive ends begin there at 0, also where that is a reset no more.
    """
    for span in spans:
        if span.start >= archived_until:
            yield span
            continue
        for stretch in stretches(connection, topology.record.site.id, *span, archived_until):
            if not stretch.is_archived:
                yield Span(stretch.start, stretch.end)


def _pieces(topology: Topology, span: Span) -> Iterator[Span]:
    """The span in stretches of some days, cut at resets."""
    cuts = topology.reset_minutes(span.start, span.end - 1)[_DAYS_AT_ONCE::_DAYS_AT_ONCE]
    edges = [span.start, *(quarter_floor(cut) for cut in cuts if cut < span.end), span.end]
    return (Span(start, end) for start, end in pairwise(edges))


def _zones(
    connection: Connection,
    topology: Topology,
    zone_ids: Collection[str],
    counts: Mapping[int, Numbers],
    span: Span,
    *,
    before: Mapping[int, int],
) -> dict[int, ZoneMinutes]:
    """Number of a zone -> its minutes; `before` has how many were inside before the span, where not 0."""
    resets = topology.reset_minutes(span.start, span.end - 1)
    told = told_minutes(connection, [topology.zones[zone_id] for zone_id in zone_ids], *span)
    found = {}
    for zone_id in zone_ids:
        number = topology.zones[zone_id]
        found[number] = zone_minutes(
            [
                _as_seen(flow, counts[flow.passage])
                for flow in topology.flows[zone_id]
                if flow.passage in counts
            ],
            *span,
            resets=resets,
            inside_before=before.get(number, 0),
            told=told.get(number, NONE_TOLD),
        )
    return found


def _as_seen(flow: Flow, counts: Numbers) -> PassageMinutes:
    minutes, forward, backward = counts.T
    entrances, exits = (forward, backward) if flow.forward_enters else (backward, forward)
    return PassageMinutes(minutes, entrances, exits)
