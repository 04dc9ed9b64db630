"""The tables of what lies in an archive; `METADATA`, from here, has all tables that there are."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, LargeBinary, Table

from service.store.column_types import TEXT, WHOLE
from service.store.schema import METADATA

__all__ = ["ARCHIVED_SITES", "LATE_COUNTS", "METADATA", "RETURNED_DAYS"]

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
