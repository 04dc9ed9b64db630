"""What is made of an answer is made once: a page asks for its rows again for each zone and sentence.

It is kept in what it is made of, and goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast


class Keeps(Protocol):
    """What never changes, and has room for what is made of it."""

    @property
    def made(self) -> dict[Hashable, Any]: ...


Source = TypeVar("Source", bound=Keeps)
More = ParamSpec("More")
Made = TypeVar("Made")


def made_once(
    make: Callable[Concatenate[Source, More], Made],
) -> Callable[Concatenate[Source, More], Made]:
    """`make`, called once for each source and whatever else it is given, which must be hashable and few.

    What it gives is shared: it must not be changed.
    """

    @wraps(make)
    def known(source: Source, /, *more: More.args, **named: More.kwargs) -> Made:
        key = make, more, tuple(named.items())
        if key not in source.made:
            source.made[key] = make(source, *more, **named)
        return cast(Made, source.made[key])

    return known


def made_last(
    make: Callable[Concatenate[Source, More], Made],
) -> Callable[Concatenate[Source, More], Made]:
    """As `made_once`, for what is large, or is given what may be anything: the last alone is kept."""

    @wraps(make)
    def known(source: Source, /, *more: More.args, **named: More.kwargs) -> Made:
        given = more, tuple(named.items())
        before = source.made.get(make)
        if before is None or before[0] != given:
            before = source.made[make] = given, make(source, *more, **named)
        return cast(Made, before[1])

    return known
