"""The secrets that links of screens end in, and what is stored of them."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Final, NamedTuple

_TOKEN_BYTES: Final = 24
"""192 bits: no one guesses a link, so that a fast digest keeps it as well as a slow one."""


class NewLink(NamedTuple):
    """A link when it is made: the only moment at which its token is known."""

    id: str
    """Of the screen that it leads to."""
    token: str
    """What the link ends in: whoever knows it may look."""


def new_token() -> str:
    """In letters, digits, `-` and `_`."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def digest_of(token: str) -> str:
    """SHA-256, in hexadecimal digits."""
    return sha256(token.encode()).hexdigest()
