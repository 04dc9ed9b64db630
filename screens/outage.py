"""Noticing that the saved screens cannot be read: one line in the log when it begins, one when it is over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

import structlog

from screens.store import ScreenStoreError

_log = structlog.get_logger("screens.outage")


class StoreOutage:
    """Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._lasts = False

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """Around every read; what it raises goes on. A defect is logged with its traceback."""
        try:
            yield
        except Exception as error:
            if self._turns(lasts=True):
                is_defect = not isinstance(error, ScreenStoreError)
                _log.error("screens cannot be shown", reason=str(error), exc_info=is_defect)
            raise
        if self._turns(lasts=False):
            _log.info("screens can be shown again")

    def _turns(self, *, lasts: bool) -> bool:
        with self._lock:
            turned, self._lasts = self._lasts != lasts, lasts
        return turned
