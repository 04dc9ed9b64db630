"""Stores in files that wait for no disk: half of what it takes to write, where many tests do."""

from __future__ import annotations

from unittest.mock import patch

from service.store.sqlite import connections


def never_synced() -> None:
    """From now on in this process, whose end, by a kill or not, loses nothing that is acknowledged either."""
    patch.object(connections, "SYNCHRONOUS", "OFF").start()
