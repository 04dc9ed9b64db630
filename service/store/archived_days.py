"""Which days of a site lie in an archive, and not in the store's own tables.

What is before a daily reset, `archived_until`, is the archive's, but for days that have returned: something
of them came late. Whatever the tables still have of an archived day is read by nobody. What is derived is not
made again of days before that reset, unless they have returned.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select

from contract.minutes import MINUTES_A_DAY
from service.store.archive_tables import ARCHIVED_SITES, RETURNED_DAYS
from service.store.folded_minutes import NEVER
from service.store.prepared import Prepared
from service.store.schema import FOLDED_SITES, SITES

_CARRIED: Final = 2 * MINUTES_A_DAY
"""For so long a level is carried at most: from one reset to the next."""
_KEPT: Final = Prepared(
    select(FOLDED_SITES.c.until, ARCHIVED_SITES.c.until.label("archived"), ARCHIVED_SITES.c.copied_to)
    .select_from(SITES)
    .outerjoin(FOLDED_SITES, FOLDED_SITES.c.site_id == SITES.c.id)
    .outerjoin(ARCHIVED_SITES, ARCHIVED_SITES.c.site_id == SITES.c.id)
    .where(SITES.c.id == bindparam("site_id"))
)
_RETURNED: Final = Prepared(
    select(RETURNED_DAYS.c.start, RETURNED_DAYS.c.end)
    .where(
        RETURNED_DAYS.c.site_id == bindparam("site_id"),
        RETURNED_DAYS.c.start < bindparam("end"),
        RETURNED_DAYS.c.end > bindparam("start"),
    )
    .order_by(RETURNED_DAYS.c.start)
)
_NOTE_CHANGE: Final = Prepared("""
    UPDATE archived_sites SET copied_from = NULL, copied_to = NULL
    WHERE site_id = :site_id AND copied_from < :end AND copied_to > :start""")


class Span(NamedTuple):
    """Minutes [start, end)."""

    start: int
    end: int


class KeptMinutes(NamedTuple):
    """Of a site; `NEVER` where nothing is."""

    folded_until: int
    archived_until: int
    is_being_copied: bool
    """Whether some days are being copied to the archive."""

    @property
    def settled_until(self) -> int:
        """The first minute of which all that is derived may be made again."""
        return max(self.folded_until, self.archived_until)


class Stretch(NamedTuple):
    """Minutes [start, end) of a range that lie in one place, together with those from `begin` on."""

    is_archived: bool
    begin: int
    start: int
    end: int


def kept_minutes(connection: Connection, site_id: str) -> KeptMinutes:
    """Of a site that there is."""
    row = _KEPT.run(connection, site_id=site_id).fetchone()
    folded, archived, copied_to = row or (None, None, None)
    return KeptMinutes(
        NEVER if folded is None else folded, NEVER if archived is None else archived, copied_to is not None
    )


def returned_days(connection: Connection, site_id: str, start: int, end: int) -> list[Span]:
    """Those that have minutes of [start, end), ascending."""
    return [Span(*row) for row in _RETURNED.run(connection, site_id=site_id, start=start, end=end)]


def stretches(
    connection: Connection, site_id: str, start: int, end: int, archived_until: int
) -> Iterator[Stretch]:
    """[start, end) by where it lies, ascending; none of them is empty."""
    begin = back = NEVER
    if start < archived_until:
        # Of days that returned one after another levels go on from one to the next: from where they begin.
        earlier = start - _CARRIED
        for returned in returned_days(connection, site_id, earlier, min(end, archived_until)):
            yield from _within(Stretch(True, begin, begin, returned.start), start, end)
            if returned.start != begin:
                back = returned.start
            yield from _within(Stretch(False, back, *returned), start, end)
            begin = returned.end
        yield from _within(Stretch(True, begin, begin, archived_until), start, end)
        begin = archived_until
    yield from _within(Stretch(False, begin, begin, end), start, end)


def note_change(connection: Connection, site_id: str, start: int, end: int) -> None:
    """Rows of [start, end) have changed: a copy of them that is being made does not hold."""
    _NOTE_CHANGE.run(connection, site_id=site_id, start=start, end=end)


def _within(stretch: Stretch, start: int, end: int) -> Iterator[Stretch]:
    found = stretch._replace(start=max(stretch.start, start), end=min(stretch.end, end))
    if found.start < found.end:
        yield found
