"""The time that is believed to have come, and which lines of counters are ignored."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    op.create_table(
        "believed_time",
        sa.Column("number", sa.Integer(), sa.CheckConstraint("number = 1"), primary_key=True),
        sa.Column("at", sa.Integer(), nullable=False),
    )
    op.add_column("sensor_lines", sa.Column("ignored", sa.Boolean(), nullable=True))
