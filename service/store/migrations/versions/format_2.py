"""Counters, mappings, levels, corrections, the audit log, imports and folded minutes; keys that expire, read
some sites or are rotated; what was told in the derived tables.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    for name, type_ in (
        ("expires_at", sa.Integer()),
        ("site_ids", sa.Text()),
        ("replaced_by", sa.Text()),
        ("last_used_at", sa.Integer()),
        ("last_used_from", sa.Text()),
    ):
        op.add_column("keys", sa.Column(name, type_, nullable=True))
    for table in ("zone_minutes", "zone_quarters"):
        for name in ("adjusted", "uncounted"):
            op.add_column(table, sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "count_imports",
        sa.Column("number", sa.Integer(), primary_key=True),
    )
    op.create_table(
        "sensor_reports",
        sa.Column("day", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("line", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("identity", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("forward", sa.Integer(), nullable=False),
        sa.Column("backward", sa.Integer(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "zone_levels",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("minute", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("inside", sa.Integer(), nullable=False),
        sa.CheckConstraint("inside >= 0"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "audit_log",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.Column("key_id", sa.Text()),
        sa.Column("key_name", sa.Text(), nullable=False),
        sa.Column("acting_for", sa.Text()),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("before", sa.Text()),
        sa.Column("after", sa.Text()),
    )
    op.create_index("ix_audit_log_organization_id", "audit_log", ["organization_id"])
    op.create_table(
        "mappings",
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), primary_key=True),
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("written", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.Integer(), nullable=False),
    )
    op.create_table(
        "sensors",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("maker", sa.Text(), nullable=False),
        sa.Column("serial", sa.Text(), nullable=False),
        sa.Column("last_heard", sa.Integer(), nullable=False),
        sa.Column("usual_silence", sa.Integer(), nullable=False),
        sa.Column("said_online", sa.Boolean()),
        sa.Column("said_at", sa.Integer()),
        sa.UniqueConstraint("organization_id", "maker", "serial"),
    )
    op.create_table(
        "folded_sites",
        sa.Column("site_id", sa.Text(), sa.ForeignKey("sites.id"), primary_key=True),
        sa.Column("until", sa.Integer(), nullable=False),
    )
    op.create_table(
        "corrections",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("zone", sa.Integer(), sa.ForeignKey("zones.number"), nullable=False),
        sa.Column("minute", sa.Integer(), nullable=False),
        sa.Column("inside", sa.Integer(), nullable=False),
        sa.Column("inside_before", sa.Integer()),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_at", sa.Integer(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("key_name", sa.Text(), nullable=False),
        sa.Column("acting_for", sa.Text()),
        sa.Column("withdrawn_at", sa.Integer()),
        sa.Column("withdrawn_key_id", sa.Text()),
        sa.Column("withdrawn_key_name", sa.Text()),
        sa.Column("withdrawn_acting_for", sa.Text()),
    )
    op.create_index("corrections_by_minute", "corrections", ["zone", "minute"])
    op.create_table(
        "sensor_lines",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("sensor", sa.Integer(), sa.ForeignKey("sensors.number"), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("passage", sa.Integer(), sa.ForeignKey("passages.number")),
        sa.Column("swapped", sa.Boolean(), nullable=False),
        sa.Column("first_heard", sa.Integer(), nullable=False),
        sa.Column("last_heard", sa.Integer(), nullable=False),
        sa.Column("total_at", sa.Integer()),
        sa.Column("total_forward", sa.Integer()),
        sa.Column("total_backward", sa.Integer()),
        sa.Column("total_since", sa.Text()),
        sa.Column("newest_end", sa.Integer()),
        sa.Column("clock_ahead", sa.Integer()),
        sa.Column("clock_trusted", sa.Boolean()),
        sa.Column("conflicts", sa.Integer(), nullable=False),
        sa.UniqueConstraint("sensor", "line"),
    )
    op.create_table(
        "spread_minutes",
        sa.Column(
            "passage", sa.Integer(), sa.ForeignKey("passages.number"), primary_key=True, autoincrement=False
        ),
        sa.Column("first", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "staged_counts",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("site_id", sa.Text(), sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("passage", sa.Integer(), sa.ForeignKey("passages.number"), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("counts", sa.LargeBinary(), nullable=False),
    )
    op.create_index("staged_counts_of_days", "staged_counts", ["site_id", "day", "passage"])
    op.create_table(
        "waiting_reports",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("line", sa.Integer(), sa.ForeignKey("sensor_lines.number"), nullable=False),
        sa.Column("arrived", sa.Integer(), nullable=False),
        sa.Column("told", sa.Text(), nullable=False),
    )
    op.create_index("ix_waiting_reports_line", "waiting_reports", ["line"])
