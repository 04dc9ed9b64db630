"""Things taken some at a time; Python's own `itertools.batched` is of 3.12."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of so many, the last of what is left; read as they are asked for."""
    remaining = iter(items)
    while some := list(islice(remaining, size)):
        yield some
