"""Checks with what an API key is to be made: name, scope, expiry, sites. Pure; faults are said by field."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Final

from contract import listed, quoted
from service.store.key_protocol import KeyScope, KeyTerms
from service.store.key_secret import is_blank, is_control

LONGEST_NAME: Final = 200
MOST_SITES: Final = 1_000
"""Sites that one key may name; beyond, give it all of them."""
LONGEST_LIFE: Final = timedelta(days=100 * 366)


def faults_of_terms(terms: KeyTerms, now: datetime) -> dict[str, str]:
    """What is wrong, by field as the API names it. Whether there are such sites is for the store to say."""
    found: dict[str, str] = {}
    if fault := _fault_of_name(terms.name):
        found["name"] = fault
    if terms.scope is None:
        found["scope"] = f"the scope is missing: say one of {', '.join(KeyScope)}"
    if terms.expires_at is not None and (fault := _fault_of_expiry(terms.expires_at, now)):
        found["expiresAt"] = fault
    if terms.site_ids is not None and (reasons := list(_faults_of_sites(terms.scope, terms.site_ids))):
        found["siteIds"] = "; ".join(reasons)
    return found


def unknown_sites(site_ids: Collection[str]) -> str:
    """The fault of a key that names sites which its organization has not."""
    return f"the organization has no such site: {listed(sorted(map(quoted, site_ids)))}"


def _fault_of_name(name: str) -> str | None:
    if is_blank(name):
        return "its name is empty: give one that says what the key is for"
    if any(map(is_control, name)):
        return f"the name {quoted(name)} has line breaks or control characters: leave them out"
    if len(name) > LONGEST_NAME:
        return f"the name has {len(name)} characters: leave it at {LONGEST_NAME}"
    return None


def _fault_of_expiry(expires_at: datetime, now: datetime) -> str | None:
    if expires_at <= now:
        present = now.isoformat(timespec="seconds")
        return f"it would expire at {expires_at.isoformat()}, and it is {present} now: say a later time"
    if expires_at > now + LONGEST_LIFE:
        return "it would expire in more than a hundred years: leave the time out for a key that never does"
    return None


def _faults_of_sites(scope: KeyScope | None, site_ids: Collection[str]) -> Iterator[str]:
    if scope not in (KeyScope.READ, None):
        yield f"a key of scope {scope} is for all sites: name sites for one of scope read alone"
    if not site_ids:
        yield "a key for no site would read nothing: name one at least, or leave them out for all"
    if len(site_ids) > MOST_SITES:
        yield f"{len(site_ids)} sites are named: a key takes {MOST_SITES}, or all when none is named"
