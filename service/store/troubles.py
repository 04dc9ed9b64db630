"""What a database cannot be used for now, as far as attempts have shown; the log says it once."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from service.store.errors import ArchiveAwayError, StoreError


class Troubles:
    """`lasts` says of an error whether it still holds, although an attempt has been fine since."""

    def __init__(self, lasts: Callable[[StoreError], bool] = lambda _: False) -> None:
        self._lasts = lasts
        self._known: dict[str, StoreError] = {}
        """What the last attempt to read, and the last to write, failed for."""

    def failed(self, doing: str, error: StoreError) -> None:
        """`doing` is what could not be done: `read`, `written`."""
        if isinstance(error, ArchiveAwayError):
            return  # the database itself is well; of the archive its worker tells
        if type(self._known.get(doing)) is not type(error):
            structlog.get_logger().error(f"store cannot be {doing}", reason=str(error))
        self._known[doing] = error

    def went_well(self, doing: str) -> None:
        error = self._known.get(doing)
        if error and not self._lasts(error):
            del self._known[doing]
            structlog.get_logger().info(f"store can be {doing} again")

    def errors(self) -> tuple[StoreError, ...]:
        return tuple(self._known.values())
