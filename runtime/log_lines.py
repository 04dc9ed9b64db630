"""How the dashboard tells its operator: one line per event on stderr, in key-value pairs."""

from __future__ import annotations

import io
import os
from contextlib import suppress
from typing import TextIO, cast

import structlog


def configure_logging() -> None:
    """As the service writes its own, so that one reading serves both; tracebacks follow their line."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
        ],
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _LastingStderr())),
    )


class _LastingStderr(io.TextIOBase):
    """Standard error that never fails: a full disk under the log, or a reader of it that vanished, ends no
    feed, and no watch over the service.
    """

    def write(self, text: str) -> int:
        with suppress(OSError):
            os.write(2, text.encode(errors="backslashreplace"))
        return len(text)
