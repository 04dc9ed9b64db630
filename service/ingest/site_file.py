"""A file of organizations and their sites: read, and refused whole when it contradicts itself.

{"organizations": [{"id", "name", "sites": [Site with, optional, "topZoneId" and "dailyResetHour"]}]}, or one
site as `GET /v3/sites/{siteId}` answers it, with its envelope or without. What that does not show is taken
from the store, or inferred where it can be only one thing, and said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from contract import Site
from service.ingest.placed_counters import Counters, without_placed
from service.ingest.site_entries import OrganizationEntry, SiteEntry, SiteFile, explanation, timezone_fault
from service.query.metrics_body import field_name
from service.store.protocol import DEFAULT_DAILY_RESET_HOUR, Organization, SiteCatalogue, SiteRecord

Form = TypeVar("Form", bound=BaseModel)
CountersOf = Callable[[str], Counters]


@dataclass(frozen=True, slots=True)
class SiteFileError(Exception):
    """The file is refused; `reasons` are all that is wrong with it."""

    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SiteImport:
    """What a file means for a store."""

    content: list[tuple[Organization, list[SiteRecord]]]
    notes: tuple[str, ...]
    """What was inferred, in sentences."""


def read_site_file(text: bytes, *, organization: str | None = None, top_zone: str | None = None) -> SiteFile:
    """The file's content. `organization` and `top_zone` complete a site that stands alone.

    Raises SiteFileError.
    """
    document = _document(text)
    if isinstance(document, dict) and "organizations" not in document and {"data", "id"} & document.keys():
        content = _lone_site(document, organization, top_zone)
    elif organization is not None or top_zone is not None:
        raise SiteFileError(("--organization and --top-zone go with a file of one site without any other",))
    else:
        content = _validated(SiteFile, document)
    if reasons := list(_contradictions(content)):
        raise SiteFileError(tuple(reasons))
    return content


def conflicts(content: SiteFile, catalogue: SiteCatalogue) -> list[str]:
    """What the file claims although another organization or site already has it."""
    reasons: list[str] = []
    for organization in content.organizations:
        for site in organization.sites:
            stored = catalogue.find(site.id)
            if stored and stored.site.organization_id != organization.id:
                reasons.append(f"site {site.id!r} belongs to organization {stored.site.organization_id!r}")
            owners = catalogue.site_ids_of_passages([passage.id for passage in site.passages])
            reasons.extend(
                f"passage {passage_id!r} of site {site.id!r} already belongs to site {owner!r}"
                for passage_id, owner in owners.items()
                if owner != site.id
            )
    return reasons


def site_import(
    content: SiteFile, catalogue: SiteCatalogue, counters_of: CountersOf, now: datetime
) -> SiteImport:
    """What to store. What the file leaves out is as it is stored; dates are else `now`. Counters that an
    answer shows are no part of it: see `without_placed`. `counters_of` gives those of an organization.

    Raises SiteFileError when a site's top zone is neither given nor the only one possible.
    """
    names = {organization.id: organization.name for organization in catalogue.organizations()}
    stored = {
        site.id: catalogue.find(site.id)
        for organization in content.organizations
        for site in organization.sites
    }
    notes, lacking = _inferences(content, stored.get, names)
    if lacking:
        raise SiteFileError(tuple(lacking))
    records = [
        (
            Organization(organization.id, organization.name or names.get(organization.id, organization.id)),
            _records(organization, stored, counters_of(organization.id), now),
        )
        for organization in content.organizations
    ]
    return SiteImport(records, tuple(notes))


def _records(
    organization: OrganizationEntry,
    stored: Mapping[str, SiteRecord | None],
    counters: Counters,
    now: datetime,
) -> list[SiteRecord]:
    return [
        site_record(without_placed(site, stored[site.id], counters), organization.id, stored[site.id], now)
        for site in organization.sites
    ]


def _document(text: bytes) -> object:
    try:
        return from_json(text.removeprefix(b"\xef\xbb\xbf"))
    except ValueError as error:
        raise SiteFileError((f"the file is not JSON in UTF-8: {error}",)) from error


def _lone_site(document: Mapping[str, Any], organization: str | None, top_zone: str | None) -> SiteFile:
    prefix: tuple[str, ...] = ()
    site: object = document
    if "data" in document:
        prefix, site = ("data",), document["data"]
    if isinstance(site, list):
        reason = (
            "it is the list of sites, which shows no zones and passages: import what"
            " GET /v3/sites/{siteId} answers for each"
        )
        raise SiteFileError((reason,))
    if site is None:
        raise SiteFileError(("it is an answer without a site, as a request gets that failed",))
    entry = _validated(SiteEntry, site, prefix)
    owner = organization or entry.organization_id
    if not owner:
        reason = "the site does not say its organizationId: say to whom it belongs with --organization"
        raise SiteFileError((reason,))
    lone = entry.model_copy(update={"organization_id": owner, "top_zone_id": top_zone or entry.top_zone_id})
    organization_entry = _validated(OrganizationEntry, {"id": owner})
    return SiteFile(organizations=(organization_entry.model_copy(update={"sites": (lone,)}),))


def _validated(form: type[Form], document: object, prefix: tuple[str, ...] = ()) -> Form:
    try:
        return form.model_validate(document)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        raise SiteFileError(
            tuple(
                f"{field_name((*prefix, *problem['loc'])) or 'the file'}: {explanation(problem, form)}"
                for problem in problems
            )
        ) from error


def _inferences(
    content: SiteFile, find: Callable[[str], SiteRecord | None], names: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """What is inferred about the file, and what cannot be."""
    notes = [
        f"Organization {organization.id!r} is new and called by its id, as the file gives no name."
        for organization in content.organizations
        if organization.name is None and organization.id not in names
    ]
    lacking: list[str] = []
    for site in (site for organization in content.organizations for site in organization.sites):
        stored = find(site.id)
        top_zone = top_zone_of(site, stored)
        if top_zone is None:
            zones = ", ".join(zone.id for zone in site.zones) or "none"
            lacking.append(
                f"site {site.id!r}: it does not say which zone is the whole site: add topZoneId, or say"
                f" --top-zone for a site alone (its zones: {zones})"
            )
        elif site.top_zone_id is None and (stored is None or stored.top_zone_id != top_zone):
            notes.append(f"Site {site.id!r}: zone {top_zone!r} was taken for the whole site (topZoneId).")
    return notes, lacking


def top_zone_of(site: SiteEntry, stored: SiteRecord | None) -> str | None:
    """The zone that is given, or stored, or the only one, or the only one that no passage touches."""
    zones = [zone.id for zone in site.zones]
    if site.top_zone_id is not None:
        return site.top_zone_id
    if stored is not None and stored.top_zone_id in zones:
        return stored.top_zone_id
    touched = {end for passage in site.passages for end in (passage.from_zone_id, passage.to_zone_id)}
    possible = zones if len(zones) == 1 else [zone for zone in zones if zone not in touched]
    return possible[0] if len(possible) == 1 else None


def site_record(
    entry: SiteEntry, organization_id: str, stored: SiteRecord | None, now: datetime
) -> SiteRecord:
    """What to store of a site that has a top zone; what the entry leaves out is as it is stored."""
    site = Site.model_validate(entry.model_dump(include=set(Site.model_fields)))
    before = stored.site if stored else None
    dated = site.model_copy(
        update={
            "organization_id": organization_id,
            "created_at": site.created_at or (before.created_at if before else None) or now,
            "updated_at": site.updated_at or (before.updated_at if before else None),
        }
    )
    if before is not None and dated != before and site.updated_at is None:
        dated = dated.model_copy(update={"updated_at": now})
    top_zone = top_zone_of(entry, stored)
    assert top_zone is not None
    reset_hour = entry.daily_reset_hour
    if reset_hour is None:
        reset_hour = stored.daily_reset_hour if stored else DEFAULT_DAILY_RESET_HOUR
    return SiteRecord(dated, top_zone, reset_hour)


def _contradictions(content: SiteFile) -> Iterator[str]:
    sites = [site for organization in content.organizations for site in organization.sites]
    yield from repeated("organization", (organization.id for organization in content.organizations))
    yield from repeated("site", (site.id for site in sites))
    yield from repeated("passage", (passage.id for site in sites for passage in site.passages))
    for organization in content.organizations:
        for site in organization.sites:
            if site.organization_id not in {"", organization.id}:
                yield f"site {site.id!r} names organization {site.organization_id!r}, not {organization.id!r}"
            yield from (reason for _, reason in contradictions_of(site))


def contradictions_of(site: SiteEntry) -> Iterator[tuple[str, str]]:
    """(field, reason) for all in which the site contradicts itself; of its passages' ids see `repeated`."""
    where = f"site {site.id!r}"
    zones = {zone.id for zone in site.zones}
    for reason in repeated("zone", (zone.id for zone in site.zones)):
        yield "zones", f"{reason} in {where}"
    if site.top_zone_id is not None and site.top_zone_id not in zones:
        yield "topZoneId", f"{where}: its top zone {site.top_zone_id!r} is not one of its zones"
    if site.timezone is not None and (fault := timezone_fault(site.timezone)):
        yield "timezone", f"{where}: {fault}"
    for index, passage in enumerate(site.passages):
        ends = {"fromZoneId": passage.from_zone_id, "toZoneId": passage.to_zone_id}
        field = f"passages[{index}]"
        for name, zone_id in ends.items():
            if zone_id is not None and zone_id not in zones:
                reason = f"{where}: passage {passage.id!r} leads to the unknown zone {zone_id!r}"
                yield f"{field}.{name}", reason
        if passage.from_zone_id == passage.to_zone_id:
            side = passage.from_zone_id or "outside"
            yield field, f"{where}: passage {passage.id!r} has the same side twice ({side})"


def repeated(noun: str, names: Iterable[str]) -> Iterator[str]:
    return (f"{noun} {name!r} occurs {times} times" for name, times in Counter(names).items() if times > 1)
