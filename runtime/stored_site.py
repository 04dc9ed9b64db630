"""A site that is stored for somebody who may not have heard what became of it before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

from api_client import ApiClientError, NotFound
from contract.administration import SiteSetUp, SiteStored
from runtime.administration import administrator
from runtime.background import waited
from runtime.occupancies import forget_occupancies
from runtime.reads import forget_sites


def store_site(
    site_id: str,
    form: Mapping[str, Any],
    tag: str | None,
    *,
    is_own: Callable[[SiteSetUp], bool],
    person: str | None,
) -> SiteStored:
    """As of `AdministratorClient.store_site`. Where another state stands there than `tag` names, and it
    `is_own`, it was sent from here and came, though the answer did not: it is replaced as that of `tag` is.
    """
    client = administrator()
    try:
        stored = client.store_site(site_id, form, tag, person=person).content
    except ApiClientError as error:
        if getattr(error, "status", None) != HTTPStatus.PRECONDITION_FAILED:
            raise
        there, own_tag = client.site(site_id)
        if not is_own(there):
            raise
        stored = client.store_site(site_id, form, own_tag, person=person).content
    _forget()
    return stored


def site_there(site_id: str) -> SiteSetUp | None:
    """How the site is set up now; None: it is not. Raises ApiClientError."""
    try:
        there = waited(partial(administrator().site, site_id), "what is stored of this site").content
    except NotFound:
        return None
    _forget()
    return there


def _forget() -> None:
    """What pages remember of sites: one may be another now."""
    forget_sites()
    forget_occupancies()
