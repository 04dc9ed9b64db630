"""What is said of API keys: what they are for, whether they open, what becomes of those who use them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Final

from analysis.keys import KeyState, state_of, working
from analysis.names import LONGEST_NAME, one_line
from components.number_format import Formats
from contract.administration import ListedKey

SCOPES: Final[Mapping[str, str]] = {
    "read": "reads values, for dashboards and tills",
    "ingest": "hands in counts, for counters",
    "admin": "administers: keys, counters, sites",
}
OVERLAPS: Final[Mapping[int, str]] = {
    0: "not at all: the old key is refused at once",
    3600: "1 hour",
    24 * 3600: "1 day",
    7 * 24 * 3600: "7 days",
    30 * 24 * 3600: "30 days",
}
"""Seconds for which a key still opens beside its successor."""
NOT_ANOTHER: Final = (
    "One of this name is there, whose secret nobody knows: rotate or revoke it first. "
    "Or call this one otherwise."
)
_MOST_NAMED: Final = 3


def key_name(key: ListedKey) -> str:
    """Its name, and its id, by which keys of one name are told apart."""
    return f"{one_line(key.name, LONGEST_NAME)} ({one_line(key.id, LONGEST_NAME)})"


def state_words(key: ListedKey, now: datetime, timezone: tzinfo, formats: Formats) -> str:
    """`works`, `works until Sat 5 Dec, 18:00`, `revoked at 12:04`, `expired at 12:04`."""
    state = state_of(key, now)
    if state is KeyState.REVOKED and key.revoked_at:
        return f"revoked at {formats.moment(key.revoked_at.astimezone(timezone))}"
    if key.expires_at is None:
        return str(state)
    until = formats.dated(key.expires_at.astimezone(timezone))
    replaced = "; another has replaced it" if key.replaced_by else ""
    return f"works until {until}{replaced}" if state is KeyState.WORKS else f"expired at {until}{replaced}"


def sites_words(key: ListedKey, names: Mapping[str, str]) -> str:
    """`all`, or the sites that it may read, by their names."""
    if key.site_ids is None:
        return "all"
    named = [one_line(names.get(id_, id_), LONGEST_NAME) for id_ in key.site_ids[:_MOST_NAMED]]
    more = len(key.site_ids) - len(named)
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def summary_words(keys: Sequence[ListedKey], now: datetime, formats: Formats) -> str:
    """`3 keys open; 2 more are revoked or expired`."""
    opens = len(working(keys, now))
    rest = len(keys) - opens
    said = f"{formats.number(opens)} {'key opens' if opens == 1 else 'keys open'}"
    if not rest:
        return f"{said}."
    return f"{said}; {formats.number(rest)} more {'is' if rest == 1 else 'are'} revoked or expired."


def unseen_words(key: ListedKey) -> str:
    """Of a key that was made and whose answer did not come."""
    return (
        f"The key {key_name(key)} was made, but the answer with its secret did not come: nobody knows it. "
        "Rotate it under One key to get a secret, or revoke it there."
    )


def revoked_words(key: ListedKey) -> str:
    return f"The key {key_name(key)} is revoked: it is refused from the next request on."
