"""`insert` with `on_conflict_do_...`: PostgreSQL's own, which SQLAlchemy compiles for SQLite, too.

Not the other way round. PostgreSQL wants the columns named that conflict.
"""

from __future__ import annotations

from sqlalchemy.dialects.postgresql import insert

__all__ = ["insert"]
