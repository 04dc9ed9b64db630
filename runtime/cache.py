"""A cache of what was read: values are kept for a moment, and shared by all who ask for the same at once.

`st.cache_data` lets one caller compute while all others wait for its lock, one after another: behind a read
that hangs they would hang, and after it each would try in turn. Here those who wait share what comes of a
read, and one that takes too long is overtaken by another: as soon as the service is well, so is the page.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from datetime import timedelta
from threading import Lock, Thread
from typing import Final, Generic, NamedTuple, TypeVar

_PATIENCE: Final = 5.0
"""Seconds after which a read under way is no longer waited for, and another one is begun."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class _Kept(NamedTuple, Generic[Value]):
    value: Value
    begun_at: float
    until: float
    weight: int


class _Reading(NamedTuple, Generic[Value]):
    outcome: Future[Value]
    begun_at: float


class Cache(Generic[Key, Value]):
    """Values by key, each at most `age` old, or as old as that says of it; an error is raised and never kept.

    There are at most `most` of them, or as many as `weigh` together so much, and the newest however heavy.
    `keeps_old`: as long as there is room for them, those that are too old stay for `last`.
    Safe to use from any thread. Values are shared, not copied: they must not be changed.
    """

    def __init__(
        self,
        age: timedelta | Callable[[Value], timedelta],
        *,
        most: int,
        weigh: Callable[[Value], int] = lambda _: 1,
        patience: float = _PATIENCE,
        keeps_old: bool = False,
    ) -> None:
        self._age = age if callable(age) else lambda _: age
        self._most = most
        self._weigh = weigh
        self._weight = 0
        self._patience = patience
        self._keeps_old = keeps_old
        self._lock = Lock()
        self._kept: OrderedDict[Key, _Kept[Value]] = OrderedDict()
        self._under_way: dict[Key, _Reading[Value]] = {}
        self._to_keep: dict[Future[Value], Key] = {}
        """What is read, also what was overtaken meanwhile, but for what was to be forgotten since."""

    def get(self, key: Key, read: Callable[[], Value]) -> Value:
        """The value that is known, or what `read` gives. Raises what a read raised."""
        while True:
            found, is_mine = self._found(key)
            if is_mine:
                return self._read(key, read, found)
            try:
                return found.outcome.result(found.begun_at + self._patience - time.monotonic())
            except (TimeoutError, CancelledError):
                if found.outcome.done() and not found.outcome.cancelled():
                    return found.outcome.result()  # raises what the read raised

    def known(self, key: Key) -> Value | None:
        """The value that is kept, as far as it is not too old; nothing is read."""
        with self._lock:
            kept = self._kept.get(key)
            return kept.value if kept and time.monotonic() < kept.until else None

    def last(self, key: Key) -> Value | None:
        """The value that was read last, however old; None: there was none, or it was forgotten since."""
        with self._lock:
            kept = self._kept.get(key)
            return kept.value if kept else None

    def age(self, key: Key) -> timedelta:
        """How long ago what is kept was asked for; none where nothing is."""
        with self._lock:
            kept = self._kept.get(key)
            return timedelta(seconds=time.monotonic() - kept.begun_at) if kept else timedelta()

    def forget(self, is_meant: Callable[[Key], bool] = lambda _: True) -> None:
        """What is kept by the keys that are meant. What of them is under way was asked for before: it is not
        waited for any more by who asks from now on, and not kept.
        """
        with self._lock:
            for outcome in [one for one, key in self._to_keep.items() if is_meant(key)]:
                del self._to_keep[outcome]
            for key in [one for one in self._kept if is_meant(one)]:
                self._weight -= self._kept.pop(key).weight
            for key in [one for one in self._under_way if is_meant(one)]:
                del self._under_way[key]

    def begin(self, key: Key, read: Callable[[], Value]) -> Future[Value]:
        """`get` as a future, for a caller who waits for a limited time: read in a thread of its own.

        However often this is called, there is one more thread for each time that a read is overtaken. The
        future may be cancelled where it is somebody's who was interrupted.
        """
        return self._begun(key, read).outcome

    def soon(self, key: Key, read: Callable[[], Value], within: float) -> Value:
        """`get`, at most so many seconds after the read began, whoever began it. Raises TimeoutError where it
        takes longer, CancelledError where it was interrupted.
        """
        begun = self._begun(key, read)
        return begun.outcome.result(begun.begun_at + within - time.monotonic())

    def _begun(self, key: Key, read: Callable[[], Value]) -> _Reading[Value]:
        found, is_mine = self._found(key)
        if is_mine:

            def run() -> None:
                with suppress(Exception):  # whoever waits for the outcome gets it
                    self._read(key, read, found)

            Thread(target=run, name="remembered", daemon=True).start()
        return found

    def _found(self, key: Key) -> tuple[_Reading[Value], bool]:
        """What is known or under way, and whether it is the caller's to read."""
        with self._lock:
            now, kept, reading = time.monotonic(), self._kept.get(key), self._under_way.get(key)
            if kept and now < kept.until:
                known = _Reading[Value](Future(), now)
                known.outcome.set_result(kept.value)
                return known, False
            if reading and now - reading.begun_at < self._patience:
                return reading, False
            mine = self._under_way[key] = _Reading(Future(), now)
            self._to_keep[mine.outcome] = key
            return mine, True

    def _read(self, key: Key, read: Callable[[], Value], mine: _Reading[Value]) -> Value:
        try:
            value = read()
        except Exception as error:
            mine.outcome.set_exception(error)
            raise
        else:
            self._keep(key, value, mine)
            mine.outcome.set_result(value)
            return value
        finally:
            mine.outcome.cancel()  # whoever was interrupted leaves the reading to others
            with self._lock:
                self._to_keep.pop(mine.outcome, None)
                if self._under_way.get(key) is mine:
                    del self._under_way[key]

    def _keep(self, key: Key, value: Value, mine: _Reading[Value]) -> None:
        """The oldest come first: those that are too old go, and those that are too many."""
        now, begun_at = time.monotonic(), mine.begun_at
        own = _Kept(value, begun_at, now + self._age(value).total_seconds(), self._weigh(value))
        with self._lock:
            known = self._kept.get(key)
            if mine.outcome not in self._to_keep or (known and known.begun_at > begun_at):
                return  # it is to be forgotten, or was overtaken
            self._weight += own.weight - (known.weight if known else 0)
            self._kept[key] = own
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and (
                (next(iter(self._kept.values())).until < now and not self._keeps_old)
                or self._weight > self._most
            ):
                self._weight -= self._kept.popitem(last=False)[1].weight
