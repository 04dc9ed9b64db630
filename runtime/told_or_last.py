"""What a service tells, or told last where it does not now: what people choose from stays meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError
from datetime import timedelta
from typing import Final, Generic, NamedTuple, TypeVar

from api_client import ApiClientError
from runtime.background import waited
from runtime.cache import Cache

_MOMENT: Final = 1.0
"""Seconds."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Told(NamedTuple, Generic[Value]):
    value: Value
    age: timedelta | None = None
    """How long ago it was told, where it is not told now; None: it is."""


def told_or_last(
    cache: Cache[Key, Value],
    key: Key,
    read: Callable[[], Value],
    what: str,
    *,
    is_enough: Callable[[Value], bool] = lambda _: True,
) -> Told[Value]:
    """What `cache` gives, or what it gave last where the service fails or takes longer than a moment.

    Where it gave none, or what is not enough, `what` is waited for, however long that takes. Raises
    ApiClientError: then, and where the error lasts.
    """
    last = cache.last(key)
    if last is None or not is_enough(last):
        return Told(waited(lambda: cache.get(key, read), what))
    age = cache.age(key)
    try:
        return Told(cache.soon(key, read, _MOMENT))
    except (TimeoutError, CancelledError):
        return Told(last, age)
    except ApiClientError as error:
        if error.is_lasting:
            raise
        return Told(last, age)


def forget_refused(cache: Cache[Key, Value], key: Key, error: ApiClientError) -> None:
    """What is refused for good is not gone on with, however the service stands afterwards."""
    if error.is_lasting:
        cache.forget(lambda one: one == key)
