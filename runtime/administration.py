"""Who may administer the service from this dashboard, and the client with which they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final, TypeVar

import streamlit as st

from analysis.names import distinct_labels
from api_client import AdministratorClient, ApiClientError, NotFound
from contract import Site
from contract.administration import ListedKey, ListedSite, NamedOrganization, Sensor
from runtime.background import waited
from runtime.host_check import host_name
from runtime.person_of_page import current_person
from runtime.reads import read_site, read_sites
from runtime.resources import get_administrator_client
from runtime.settings import get_settings
from runtime.upstream import admin_key

Content = TypeVar("Content")

_OPEN: Final = "HEADROOM_ADMINISTRATION=open"
_NOT_IN_THIS_ROLE: Final = (
    "These pages are for administrators who may see every site. Whoever keeps the list of people, or the "
    "provider of the logins, can give you that role."
)
_FROM_ELSEWHERE: Final = (
    "This dashboard can be opened from other machines and has no login: everybody in the network could make "
    "keys and move counters. Open it on its own machine, at an address such as http://localhost:8501, while "
    f"it listens there alone. Or start it with {_OPEN}: then whoever reaches it may administer."
)
_NO_KEY: Final = (
    "HEADROOM_ADMIN_KEY is not set: the service takes changes with a key of scope admin. Make one where "
    "the service runs (python -m service keys create --scope admin), set it, and start the dashboard again."
)
_OF_PROXIES: Final = frozenset({"forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
_NOT_THERE: Final = "The service beside the dashboard is not there yet. This page appears once it answers."


_MOST_SITES: Final = 40
"""Whose passages are named in a list of counters; of further ones ids are shown."""


class NotAdministrableError(RuntimeError):
    """The service has no administrator's API."""

    is_lasting = True

    def __init__(self) -> None:
        super().__init__(
            "This service has no administrator's API: it is set up elsewhere. If it is Headroom's own, it is "
            "older than this dashboard."
        )


@dataclass(frozen=True, slots=True)
class Permission:
    refusal: str = ""
    """Why whoever opened this page may not administer, and what to do; empty: they may."""
    person: str | None = None
    """Who that is, for the service's record of changes; None: not known, as there is no login."""


def may_administer() -> Permission:
    """Whether whoever opened this page may administer: with a login, those of that role; without one,
    everybody on the dashboard's own machine.
    """
    settings, person = get_settings(), current_person()
    if person is not None and not person.may_administer:
        return Permission(_NOT_IN_THIS_ROLE)
    is_asked = person is None and settings.administration != "open"
    if is_asked and not is_on_this_machine(st.get_option("server.address"), st.context.headers.to_dict()):
        return Permission(_FROM_ELSEWHERE)
    if not admin_key():
        return Permission(_NO_KEY if settings.base_url else _NOT_THERE)
    return Permission(person=person.name if person else None)


def may_set_by_hand(site_id: str) -> Permission:
    """Whether they may set by hand how many are inside at this site: with a login, whoever may change what is
    kept of it; without one, whoever may administer.
    """
    person = current_person()
    if person is None:
        return may_administer()
    refusal = person.change_refusal(site_id)
    if not refusal and not admin_key():
        refusal = _NO_KEY if get_settings().base_url else _NOT_THERE
    return Permission(refusal) if refusal else Permission(person=person.name)


def is_on_this_machine(address: str | None, headers: Mapping[str, str]) -> bool:
    """Whether the dashboard listens on loopback alone, and is asked there by a browser, without a proxy.

    `address` is where it listens (None: on every interface). A proxy before it listens for others: it says so
    in a header, or hands on the name by which they know it. Without a name no browser asks.
    """
    told = {name.lower(): value for name, value in headers.items()}
    is_handed_on = any(name in _OF_PROXIES for name in told)
    return (
        _is_loopback(address) and not is_handed_on and _is_loopback(host_name(told.get("host", "localhost")))
    )


def administrator() -> AdministratorClient:
    """The client with the administrator's key; for whom `may_administer` says that they may."""
    return get_administrator_client(admin_key())


def read_sensors() -> list[Sensor]:
    """Every line of every counter that the service heard of. Raises ApiClientError, NotAdministrableError."""
    return read_administered(AdministratorClient.sensors, "which counters there are")


def read_site_labels() -> dict[str, str]:
    """The names of all sites by id, told apart. Raises ApiClientError."""
    return distinct_labels({one.id: one.name for one in read_sites()})


def read_counters() -> tuple[list[Sensor], dict[str, str], dict[str, Site]]:
    """The lines of counters, the names of sites by id, and the sites at which some hang, as of `sites_with`.

    Raises ApiClientError, NotAdministrableError.
    """
    sensors = read_sensors()
    return sensors, read_site_labels(), sites_with(sensors)


def read_keys() -> list[ListedKey]:
    """All keys of the organization, revoked ones too. Raises ApiClientError, NotAdministrableError."""
    return read_administered(AdministratorClient.keys, "which keys there are")


def read_set_up() -> tuple[NamedOrganization, list[ListedSite]]:
    """The organization and all of its sites. Raises ApiClientError, NotAdministrableError."""
    return read_administered(lambda client: (client.organization(), client.sites()), "what is set up")


def sites_with(sensors: Sequence[Sensor]) -> dict[str, Site]:
    """The sites at whose passages they hang, by id; a few at most, and those that can be read."""
    found = {}
    for site_id in list(dict.fromkeys(one.site_id for one in sensors if one.site_id))[:_MOST_SITES]:
        with suppress(ApiClientError):
            found[site_id] = read_site(site_id)
    return found


def read_administered(read: Callable[[AdministratorClient], Content], what: str) -> Content:
    """`what` is as for `waited`. Raises ApiClientError, NotAdministrableError."""
    client = administrator()
    try:
        return waited(lambda: read(client), what)
    except NotFound as error:
        raise NotAdministrableError from error


def _is_loopback(name: str | None) -> bool:
    if name is None:
        return False
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
