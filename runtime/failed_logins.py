"""How often somebody may try a password: few times in a while, from one address and from all together.

A browser in which it was given before is counted apart, so that strangers who try do not keep its owner out.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Final

WINDOW: Final = 300.0
"""Seconds for which a failure counts."""
MOST_OF_ADDRESS: Final = 5
MOST_OF_ALL: Final = 50
"""Of all that are not known: from many addresses, too, nobody guesses a password."""
_OF_ONE_NETWORK: Final = 64
"""Bits of an IPv6 address: with the rest, whoever has it does as they like."""
_MOST_ADDRESSES: Final = 10_000


class FailedLogins:
    """To be used within one event loop. `clock` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: dict[str, deque[float]] = {}
        self._of_all: deque[float] = deque(maxlen=MOST_OF_ALL)

    def pause(self, place: str, *, is_known: bool = False) -> float:
        """Seconds until the next try from there; 0: at once. `is_known`: it is counted by itself."""
        now = self._clock()
        own = (self._failures.get(place, deque()), MOST_OF_ADDRESS)
        counted = [own] if is_known else [own, (self._of_all, MOST_OF_ALL)]
        waits = [moments[0] + WINDOW - now for moments, most in counted if len(moments) >= most]
        return max(0.0, *waits, 0.0)

    def note(self, place: str, *, is_known: bool = False) -> None:
        """A password that was wrong; noted before it is looked at, so that many at once count, too."""
        now = self._clock()
        if len(self._failures) >= _MOST_ADDRESSES:
            self._failures = {one: own for one, own in self._failures.items() if own[-1] > now - WINDOW}
        own = self._failures.setdefault(place, deque(maxlen=MOST_OF_ADDRESS))
        own.append(now)
        if not is_known:
            self._of_all.append(now)

    def forget(self, place: str, *, is_known: bool = False) -> None:
        """It was right."""
        self._failures.pop(place, None)
        if self._of_all and not is_known:
            self._of_all.pop()


def place_of(address: str) -> str:
    """As whose an address is counted: of IPv6 (RFC 4291) its network, which is one customer's at least."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address) or found.ipv4_mapped:
        return address
    return f"{IPv6Address(int(found) >> _OF_ONE_NETWORK << _OF_ONE_NETWORK)}/{_OF_ONE_NETWORK}"
