"""Sites, keys, counts and what is derived from them: the first, made before there were steps."""

from __future__ import annotations

revision = "1"
down_revision = None


def upgrade() -> None:
    """Nothing: the file is there."""
