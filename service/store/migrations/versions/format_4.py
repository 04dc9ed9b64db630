"""Which days lie in an archive, and counts of them that came late."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"


def upgrade() -> None:
    op.create_table(
        "archived_sites",
        sa.Column("site_id", sa.Text(), sa.ForeignKey("sites.id"), primary_key=True),
        sa.Column("until", sa.Integer(), nullable=False),
        sa.Column("shipment", sa.Integer(), nullable=False),
        sa.Column("copied_from", sa.Integer()),
        sa.Column("copied_to", sa.Integer()),
    )
    op.create_table(
        "returned_days",
        sa.Column("site_id", sa.Text(), sa.ForeignKey("sites.id"), primary_key=True),
        sa.Column("start", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("end", sa.Integer(), nullable=False),
    )
    op.create_table(
        "late_counts",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("site_id", sa.Text(), sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("passage", sa.Integer(), sa.ForeignKey("passages.number"), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("counts", sa.LargeBinary(), nullable=False),
    )
    op.create_index("late_counts_of_days", "late_counts", ["site_id", "day", "passage"])
