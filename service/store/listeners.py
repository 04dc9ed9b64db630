"""Who hears of what was stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import structlog

Listener = Callable[[Mapping[str, int]], None]
"""Called with the first changed minute of each changed site."""


class Listeners:
    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def add(self, listener: Listener) -> Callable[[], None]:
        """What ends it."""
        self._listeners = [*self._listeners, listener]

        def remove() -> None:
            self._listeners = [other for other in self._listeners if other is not listener]

        return remove

    def tell(self, changes: Mapping[str, int]) -> None:
        """It was committed: a listener that fails is logged, and undoes nothing."""
        for listener in self._listeners:
            try:
                listener(changes)
            except Exception:  # noqa: BLE001 - the edge between what is stored and who hears of it
                structlog.get_logger().exception("listener failed")
