"""The tables, as SQLAlchemy Core sees them; how an older store gets them is in `migrations`.

Counts live in `passage_minutes` (those of an import that goes on wait in `staged_counts`), levels in
`zone_levels` and what was set by hand in `corrections`, and nowhere else; `zone_minutes` and the `*_quarters`
tables can be made again from them, but for what is folded. Minutes are whole minutes since the epoch, UTC; a
quarter is named by its first minute.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

from service.store.column_types import FEW, LEVEL, MINUTE, SERIES, TEXT, WHOLE

VERSION: Final = 5
"""Of the tables: in `ALEMBIC_VERSION`, and of a file in `PRAGMA user_version` (0: not made yet), too. A store
of a later version is refused."""

METADATA = MetaData()

# Alembic's own: the last step that was taken, which is the format.
ALEMBIC_VERSION = Table("alembic_version", METADATA, Column("version_num", String(32), primary_key=True))

ORGANIZATIONS = Table(
    "organizations",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("name", TEXT, nullable=False),
)

SITES = Table(
    "sites",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False, index=True),
    Column("name", TEXT, nullable=False),
    Column("archived", Boolean, nullable=False),
    Column("top_zone_id", TEXT, nullable=False),
    Column("daily_reset_hour", WHOLE, nullable=False),
    # the public resource as JSON
    Column("resource", TEXT, nullable=False),
    # grows with each save of the site
    Column("version", WHOLE, nullable=False),
    # grows with each change of the site's metrics, so that other processes see what to read again
    Column("revision", WHOLE, nullable=False),
)

# TEXT ids become small numbers once, because every stored minute carries one.
ZONES = Table(
    "zones",
    METADATA,
    Column("number", WHOLE, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    Column("id", TEXT, nullable=False),
    UniqueConstraint("site_id", "id"),
)

PASSAGES = Table(
    "passages",
    METADATA,
    Column("number", WHOLE, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False, index=True),
    Column("id", TEXT, nullable=False, unique=True),
    # a passage that left the site keeps its counts, in case it comes back
    Column("present", Boolean, nullable=False),
)


def _series_table(name: str, *columns: Column[Any]) -> Table:
    """One row per series and minute or quarter, stored in the order in which ranges are read.

    PostgreSQL keeps those of a month in a table of their own (`postgresql.months`). Sums are wide: how often
    something is added to a minute nobody bounds.
    """
    return Table(
        name,
        METADATA,
        Column("number", SERIES, primary_key=True, autoincrement=False),
        Column("minute", MINUTE, primary_key=True, autoincrement=False),
        *columns,
        sqlite_with_rowid=False,
        postgresql_partition_by="RANGE (minute)",
    )


def _integers(*names: str, kind: TypeEngine[int] = WHOLE) -> list[Column[int]]:
    return [Column(name, kind, nullable=False) for name in names]


def _of_levels() -> list[Column[int]]:
    """Columns that tables of an earlier format get, with 0 in every row."""
    kinds = {"adjusted": WHOLE, "uncounted": FEW}
    return [Column(name, kind, nullable=False, server_default="0") for name, kind in kinds.items()]


PASSAGE_MINUTES = _series_table("passage_minutes", *_integers("forward", "backward"))
PASSAGE_MINUTES.append_constraint(CheckConstraint("forward >= 0 AND backward >= 0"))

PASSAGE_QUARTERS = _series_table(
    "passage_quarters", *_integers("minutes", kind=FEW), *_integers("forward", "backward")
)

# hidden: people added to keep visitors inside from going below 0 in that minute
# adjusted: people added, or taken away, to be as many as a level or a correction told
# uncounted: 1 where no passage has a count, so that entrances and exits have no value
ZONE_MINUTES = _series_table(
    "zone_minutes", *_integers("entrances", "exits", "inside", "hidden"), *_of_levels()
)

ZONE_QUARTERS = _series_table(
    "zone_quarters",
    *_integers("minutes", kind=FEW),
    *_integers("entrances", "entrances_minimum", "entrances_maximum"),
    *_integers("exits", "exits_minimum", "exits_maximum"),
    *_integers("inside", "inside_minimum", "inside_maximum"),
    *_of_levels(),
)

IDEMPOTENCY_KEYS = Table(
    "idempotency_keys",
    METADATA,
    Column("key", TEXT, primary_key=True),
    Column("digest", TEXT, nullable=False),
    # seconds of running time, see `idempotency_keys`; it goes on from what older versions wrote
    Column("stored_at", WHOLE, nullable=False, index=True),
)

KEYS = Table(
    "keys",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("name", TEXT, nullable=False),
    Column("scope", TEXT, nullable=False),
    # hexadecimal
    Column("salt", TEXT, nullable=False),
    Column("digest", TEXT, nullable=False),
    # seconds since the epoch
    Column("created_at", WHOLE, nullable=False),
    Column("revoked_at", WHOLE, nullable=True),
    # those below since version 2
    Column("expires_at", WHOLE, nullable=True),
    # JSON list of the only sites that it reads
    Column("site_ids", TEXT, nullable=True),
    # id of the key that rotation made in its place
    Column("replaced_by", TEXT, nullable=True),
    Column("last_used_at", WHOLE, nullable=True),
    Column("last_used_from", TEXT, nullable=True),
)

# Who changed what; rows are added, and none is ever changed.
AUDIT_LOG = Table(
    "audit_log",
    METADATA,
    Column("number", WHOLE, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False, index=True),
    # seconds since the epoch
    Column("at", WHOLE, nullable=False),
    # no foreign key: an entry outlives what it names
    Column("key_id", TEXT, nullable=True),
    Column("key_name", TEXT, nullable=False),
    Column("acting_for", TEXT, nullable=True),
    Column("action", TEXT, nullable=False),
    Column("target", TEXT, nullable=False),
    # JSON objects
    Column("before", TEXT, nullable=True),
    Column("after", TEXT, nullable=True),
)

# A counter, by the serial that its maker gave it.
SENSORS = Table(
    "sensors",
    METADATA,
    Column("number", WHOLE, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("maker", TEXT, nullable=False),
    Column("serial", TEXT, nullable=False),
    # seconds since the epoch, as all times below
    Column("last_heard", WHOLE, nullable=False),
    # seconds for which it is silent as a rule, at most
    Column("usual_silence", WHOLE, nullable=False),
    Column("said_online", Boolean, nullable=True),
    Column("said_at", WHOLE, nullable=True),
    UniqueConstraint("organization_id", "maker", "serial"),
)

SENSOR_LINES = Table(
    "sensor_lines",
    METADATA,
    Column("number", WHOLE, primary_key=True),
    Column("sensor", ForeignKey("sensors.number"), nullable=False),
    Column("line", TEXT, nullable=False),
    Column("passage", ForeignKey("passages.number"), nullable=True),
    Column("swapped", Boolean, nullable=False, default=False),
    Column("first_heard", WHOLE, nullable=False),
    Column("last_heard", WHOLE, nullable=False),
    # the last running total
    Column("total_at", WHOLE, nullable=True),
    Column("total_forward", WHOLE, nullable=True),
    Column("total_backward", WHOLE, nullable=True),
    Column("total_since", TEXT, nullable=True),
    # by its own clock
    Column("newest_end", WHOLE, nullable=True),
    Column("clock_ahead", WHOLE, nullable=True),
    Column("clock_trusted", Boolean, nullable=True),
    Column("conflicts", WHOLE, nullable=False, default=0),
    # null: not
    Column("ignored", Boolean, nullable=True),
    UniqueConstraint("sensor", "line"),
)

# Which reports came: `identity` is a hash of 63 bits of what names one.
SENSOR_REPORTS = Table(
    "sensor_reports",
    METADATA,
    # since the epoch; the oldest days are forgotten
    Column("day", WHOLE, primary_key=True, autoincrement=False),
    Column("line", WHOLE, primary_key=True, autoincrement=False),
    Column("identity", WHOLE, primary_key=True, autoincrement=False),
    *_integers("forward", "backward"),
    sqlite_with_rowid=False,
)

WAITING_REPORTS = Table(
    "waiting_reports",
    METADATA,
    Column("number", WHOLE, primary_key=True),
    Column("line", ForeignKey("sensor_lines.number"), nullable=False, index=True),
    Column("arrived", WHOLE, nullable=False),
    Column("told", TEXT, nullable=False),
)

# Minutes [first, end) of a passage of which a counter told a sum alone.
SPREAD_MINUTES = Table(
    "spread_minutes",
    METADATA,
    Column("passage", ForeignKey("passages.number"), primary_key=True, autoincrement=False),
    Column("first", WHOLE, primary_key=True, autoincrement=False),
    Column("end", WHOLE, nullable=False),
    sqlite_with_rowid=False,
)

# How bodies of counters are read that no adapter knows: JSON, in the field names of the API.
MAPPINGS = Table(
    "mappings",
    METADATA,
    Column("organization_id", ForeignKey("organizations.id"), primary_key=True),
    Column("name", TEXT, primary_key=True),
    Column("written", TEXT, nullable=False),
    # seconds since the epoch
    Column("changed_at", WHOLE, nullable=False),
)

# How many are inside a zone, as sources tell it that do not count who crosses. Raw, as passage_minutes are.
ZONE_LEVELS = _series_table("zone_levels", *_integers("inside", kind=LEVEL))
ZONE_LEVELS.append_constraint(CheckConstraint("inside >= 0"))

# visitorsInside as somebody set it. Kept when it is withdrawn.
CORRECTIONS = Table(
    "corrections",
    METADATA,
    Column("number", WHOLE, primary_key=True),
    Column("zone", ForeignKey("zones.number"), nullable=False),
    Column("minute", WHOLE, nullable=False),
    Column("inside", WHOLE, nullable=False),
    # what it was when it was set; null where nothing was counted since the reset
    Column("inside_before", WHOLE, nullable=True),
    Column("reason", TEXT, nullable=False),
    # seconds since the epoch, as below
    Column("made_at", WHOLE, nullable=False),
    Column("key_id", TEXT, nullable=False),
    Column("key_name", TEXT, nullable=False),
    Column("acting_for", TEXT, nullable=True),
    Column("withdrawn_at", WHOLE, nullable=True),
    Column("withdrawn_key_id", TEXT, nullable=True),
    Column("withdrawn_key_name", TEXT, nullable=True),
    Column("withdrawn_acting_for", TEXT, nullable=True),
    Index("corrections_by_minute", "zone", "minute"),
)


# A day of a passage out of a file that is being imported, see `series_import`; nobody else reads it.
STAGED_COUNTS = Table(
    "staged_counts",
    METADATA,
    Column("number", WHOLE, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    # UTC, since the epoch
    Column("day", WHOLE, nullable=False),
    Column("minutes", WHOLE, nullable=False),
    Column("passage", ForeignKey("passages.number"), nullable=False),
    Column("mode", TEXT, nullable=False),
    # minute, forward and backward as columns of whole numbers, packed
    Column("counts", LargeBinary, nullable=False),
    Index("staged_counts_of_days", "site_id", "day", "passage"),
)

# The one import of which all is staged; what is staged without it was never taken.
COUNT_IMPORTS = Table("count_imports", METADATA, Column("number", WHOLE, primary_key=True))


# Before minute `until`, a daily reset, a site has quarters alone: see `retention`.
FOLDED_SITES = Table(
    "folded_sites",
    METADATA,
    Column("site_id", ForeignKey("sites.id"), primary_key=True),
    Column("until", WHOLE, nullable=False),
)

# One row: a moment that is believed to have come, whatever the clock says, in seconds.
BELIEVED_TIME = Table(
    "believed_time",
    METADATA,
    Column("number", WHOLE, CheckConstraint("number = 1"), primary_key=True),
    Column("at", WHOLE, nullable=False),
)
