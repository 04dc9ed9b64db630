"""The secret of an API key: made, recognized, compared.

A secret reads `hr_<key id>_<43 characters>`. What is stored is SHA-256 over a salt and the secret. A slow
hash protects passwords, which can be guessed; 43 characters of `secrets.token_urlsafe` are 256 random bits,
which cannot, and every request pays for the check.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from hmac import compare_digest
from typing import Final

_CONTROLS: Final = {"Cc", "Cs", "Zl", "Zp"}
"""Unicode's categories of control characters, lone surrogates, and separators of lines and paragraphs."""
_SECRET: Final = re.compile(r"hr_(?P<id>[0-9a-f]{12})_[A-Za-z0-9_-]{43}", re.ASCII)


def new_secret() -> tuple[str, str]:
    """(key id, secret)."""
    key_id = secrets.token_hex(6)
    return key_id, f"hr_{key_id}_{secrets.token_urlsafe(32)}"


def hashed(secret: str) -> tuple[str, str]:
    """(salt, digest): what is stored of a new secret."""
    salt = secrets.token_hex(16)
    return salt, _digest(salt, secret)


def key_id_in(secret: str) -> str | None:
    """The id of the key that this would be the secret of; None for any other text."""
    parts = _SECRET.fullmatch(secret)
    return parts["id"] if parts else None


def opens(secret: str, salt: str, digest: str) -> bool:
    return compare_digest(digest, _digest(salt, secret))


def is_control(sign: str) -> bool:
    """Whether a terminal would obey the sign, or break the line at it, instead of showing it."""
    return unicodedata.category(sign) in _CONTROLS


def is_blank(text: str) -> bool:
    """Whether nothing of it can be seen: blanks, and signs of no width or that turn the direction."""
    return all(sign.isspace() or unicodedata.category(sign) in {*_CONTROLS, "Cf"} for sign in text)


def _digest(salt: str, secret: str) -> str:
    return hashlib.sha256(bytes.fromhex(salt) + secret.encode()).hexdigest()
