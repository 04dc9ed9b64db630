"""How many are inside, as whoever opened the page sets it by hand: read, set, and taken back."""

from __future__ import annotations

from contract import DEFAULT_TIMEZONE, Site
from contract.administration import CorrectionTold
from contract.buckets import local_midnight
from contract.minutes import MINUTE
from live.clock import local_zone
from runtime.administration import NotAdministrableError, administrator, may_set_by_hand, read_administered
from runtime.resources import service_time


class MayNotSetByHandError(NotAdministrableError):
    """Whoever opened the page may not set numbers of this site by hand; the message says why."""

    def __init__(self, why: str) -> None:
        RuntimeError.__init__(self, why)


def read_set_today(site: Site) -> list[CorrectionTold]:
    """What was set by hand since midnight at the site, by minute; taken back ones, too.

    Raises ApiClientError, NotAdministrableError, MayNotSetByHandError.
    """
    _person(site.id)
    now, timezone = service_time(), local_zone(site.timezone or DEFAULT_TIMEZONE)
    start = local_midnight(now.astimezone(timezone).date(), timezone)
    # A correction may be of the minute that begins just now.
    end = now.replace(second=0, microsecond=0) + 2 * MINUTE
    return read_administered(
        lambda client: client.corrections(site.id, start, end), "what was set by hand today"
    )


def set_by_hand(site_id: str, zone_id: str, inside: int, reason: str) -> CorrectionTold:
    """From this minute on. Raises ApiClientError, MayNotSetByHandError."""
    person = _person(site_id)
    return administrator().correct(site_id, zone_id, inside, reason, person=person)


def take_back(site_id: str, number: int) -> CorrectionTold:
    """Raises ApiClientError, MayNotSetByHandError."""
    person = _person(site_id)
    return administrator().withdraw(site_id, number, person=person)


def _person(site_id: str) -> str | None:
    """Who it is. Raises MayNotSetByHandError: the key may more than they."""
    permission = may_set_by_hand(site_id)
    if permission.refusal:
        raise MayNotSetByHandError(permission.refusal)
    return permission.person
