"""The tables of what lies in an archive; `METADATA`, from here, has all tables that there are."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, LargeBinary, Table

from service.store.column_types import TEXT, WHOLE
from service.store.schema import METADATA, PASSAGE_MINUTES, ZONE_MINUTES

__all__ = [
    "ARCHIVED_SITES",
    "FORMER_RESETS",
    "LAST_PASSAGE_MINUTES",
    "LAST_ZONE_MINUTES",
    "LATE_COUNTS",
    "METADATA",
    "RETURNED_DAYS",
    "VOID_SHIPMENTS",
]

# What is before minute `until`, a daily reset, of a site lies in the archive.
ARCHIVED_SITES = Table(
    "archived_sites",
    METADATA,
    Column("site_id", ForeignKey("sites.id"), primary_key=True),
    Column("until", WHOLE, nullable=False),
    # grows with each copy that is made of days of the site: of two the later one holds
    Column("shipment", WHOLE, nullable=False),
    # minutes that are being copied; null where none are, or where something of them has changed meanwhile
    Column("copied_from", WHOLE, nullable=True),
    Column("copied_to", WHOLE, nullable=True),
)

# Shipments `first` to `last` of a site that did not come to their end, or have not yet: what the archive has
# of them is read by nobody, whenever it arrives there.
VOID_SHIPMENTS = Table(
    "void_shipments",
    METADATA,
    Column("site_id", ForeignKey("sites.id"), primary_key=True),
    Column("first", WHOLE, primary_key=True, autoincrement=False),
    Column("last", WHOLE, nullable=False),
)

# Minutes [start, end) before the end of the archive whose levels begin at 0 at other resets than those that
# the site has now.
FORMER_RESETS = Table(
    "former_resets",
    METADATA,
    Column("site_id", ForeignKey("sites.id"), primary_key=True),
    Column("start", WHOLE, primary_key=True, autoincrement=False),
    Column("end", WHOLE, nullable=False),
    Column("daily_reset_hour", WHOLE, nullable=False),
    Column("timezone", TEXT, nullable=False),
)


def _last(minutes: Table) -> Table:
    columns = [Column(column.name, WHOLE, nullable=False) for column in minutes.c if column.name != "number"]
    number = Column("number", WHOLE, primary_key=True, autoincrement=False)
    return Table(f"last_{minutes.name}", METADATA, number, *columns)


# Of each series that lies in the archive, its last row there.
LAST_PASSAGE_MINUTES = _last(PASSAGE_MINUTES)
LAST_ZONE_MINUTES = _last(ZONE_MINUTES)

# Minutes [start, end) that were taken out of the archive again, because something of them came late.
RETURNED_DAYS = Table(
    "returned_days",
    METADATA,
    Column("site_id", ForeignKey("sites.id"), primary_key=True),
    Column("start", WHOLE, primary_key=True, autoincrement=False),
    Column("end", WHOLE, nullable=False),
)

# Taken, of days that lie in the archive; counted once those are back.
LATE_COUNTS = Table(
    "late_counts",
    METADATA,
    # as `STAGED_COUNTS`
    Column("number", WHOLE, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    Column("day", WHOLE, nullable=False),
    Column("minutes", WHOLE, nullable=False),
    Column("passage", ForeignKey("passages.number"), nullable=False),
    Column("mode", TEXT, nullable=False),
    Column("counts", LargeBinary, nullable=False),
    Index("late_counts_of_days", "site_id", "day", "passage"),
)
