"""API keys as an administrator looks at them: whether one still opens, and which this dashboard uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from contract.administration import ListedKey

_SECRET: Final = re.compile(r"[a-z]+_(?P<id>[^_]+)_.+")
"""As the service makes them: the id of a key stands in its secret."""


class KeyState(StrEnum):
    """Whether a key opens."""

    WORKS = "works"
    REVOKED = "revoked"
    EXPIRED = "expired"


def state_of(key: ListedKey, now: datetime) -> KeyState:
    """`now` is aware."""
    if key.revoked_at is not None:
        return KeyState.REVOKED
    return KeyState.EXPIRED if key.expires_at is not None and key.expires_at <= now else KeyState.WORKS


def working(keys: Sequence[ListedKey], now: datetime) -> list[ListedKey]:
    return [key for key in keys if state_of(key, now) is KeyState.WORKS]


def working_first(keys: Sequence[ListedKey], now: datetime) -> list[ListedKey]:
    """Each part as the service lists it."""
    return sorted(keys, key=lambda key: state_of(key, now) is not KeyState.WORKS)


class WantedKey(NamedTuple):
    """A key that somebody asked the service to make."""

    name: str
    scope: str
    known: frozenset[str]
    """Ids of the keys that were there before."""


def unseen(wanted: WantedKey, keys: Iterable[ListedKey], now: datetime) -> list[ListedKey]:
    """Those that were made as it was `wanted`, and whose secrets nobody can have seen. `now` is aware."""
    return [
        key
        for key in keys
        if (key.name, key.scope) == (wanted.name, wanted.scope)
        and key.id not in wanted.known
        and state_of(key, now) is KeyState.WORKS
        and key.replaced_by is None
        and key.last_used_at is None
    ]


def used_by(secrets: Iterable[str]) -> frozenset[str]:
    """Ids of the keys of which these are the secrets."""
    return frozenset(found["id"] for secret in secrets if (found := _SECRET.fullmatch(secret)))
