"""Which days lie in an archive, and counts of them that came late."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "4"
down_revision = "3"

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "archived_sites",
        sa.Column("site_id", TEXT, sa.ForeignKey("sites.id"), primary_key=True),
        sa.Column("until", WHOLE, nullable=False),
        sa.Column("shipment", WHOLE, nullable=False),
        sa.Column("copied_from", WHOLE),
        sa.Column("copied_to", WHOLE),
    )
    op.create_table(
        "returned_days",
        sa.Column("site_id", TEXT, sa.ForeignKey("sites.id"), primary_key=True),
        sa.Column("start", WHOLE, primary_key=True, autoincrement=False),
        sa.Column("end", WHOLE, nullable=False),
    )
    op.create_table(
        "late_counts",
        sa.Column("number", WHOLE, primary_key=True),
        sa.Column("site_id", TEXT, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("day", WHOLE, nullable=False),
        sa.Column("minutes", WHOLE, nullable=False),
        sa.Column("passage", WHOLE, sa.ForeignKey("passages.number"), nullable=False),
        sa.Column("mode", TEXT, nullable=False),
        sa.Column("counts", sa.LargeBinary(), nullable=False),
    )
    op.create_index("late_counts_of_days", "late_counts", ["site_id", "day", "passage"])
