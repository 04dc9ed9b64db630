"""What Alembic runs: on the connection, and in the transaction, of whoever asks for an upgrade."""

from __future__ import annotations

from alembic import context

from service.store.archive_tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
