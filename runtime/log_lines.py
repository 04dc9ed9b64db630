"""How the dashboard tells its operator: one line per event on stderr, in key-value pairs."""

from __future__ import annotations

import sys

import structlog


def configure_logging() -> None:
    """As the service writes its own, so that one reading serves both; tracebacks follow their line."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
