"""What a service tells, or told last where it does not now: what people choose from stays meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError
from typing import Final, TypeVar

from api_client import ApiClientError
from runtime.background import waited
from runtime.cache import Cache

_MOMENT: Final = 1.0
"""Seconds."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def told_or_last(
    cache: Cache[Key, Value],
    key: Key,
    read: Callable[[], Value],
    what: str,
    *,
    is_enough: Callable[[Value], bool] = lambda _: True,
) -> Value:
    """What `cache` gives, or what it gave last where the service fails or takes longer than a moment.

    Where it gave none, or what is not enough, `what` is waited for, however long that takes. Raises
    ApiClientError: then, and where the error lasts.
    """
    last = cache.last(key)
    if last is None or not is_enough(last):
        return waited(lambda: cache.get(key, read), what)
    try:
        return cache.soon(key, read, _MOMENT)
    except (TimeoutError, CancelledError):
        return last
    except ApiClientError as error:
        if error.is_lasting:
            raise
        return last


def forget_refused(cache: Cache[Key, Value], key: Key, error: ApiClientError) -> None:
    """What is refused for good is not gone on with, however the service stands afterwards."""
    if error.is_lasting:
        cache.forget(lambda one: one == key)
