"""Which shipments to the archive hold, at which resets its days begin, and what is the last that it has."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "5"
down_revision = "4"

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "void_shipments",
        sa.Column("site_id", TEXT, sa.ForeignKey("sites.id"), primary_key=True),
        sa.Column("first", WHOLE, primary_key=True, autoincrement=False),
        sa.Column("last", WHOLE, nullable=False),
    )
    op.create_table(
        "former_resets",
        sa.Column("site_id", TEXT, sa.ForeignKey("sites.id"), primary_key=True),
        sa.Column("start", WHOLE, primary_key=True, autoincrement=False),
        sa.Column("end", WHOLE, nullable=False),
        sa.Column("daily_reset_hour", WHOLE, nullable=False),
        sa.Column("timezone", TEXT, nullable=False),
    )
    _create_last("last_passage_minutes", "minute", "forward", "backward")
    zone = ("minute", "entrances", "exits", "inside", "hidden", "adjusted", "uncounted")
    _create_last("last_zone_minutes", *zone)


def _create_last(name: str, *columns: str) -> None:
    op.create_table(
        name,
        sa.Column("number", WHOLE, primary_key=True, autoincrement=False),
        *(sa.Column(column, WHOLE, nullable=False) for column in columns),
    )
