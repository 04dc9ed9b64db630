"""A file of organizations and their sites: read, and refused whole when it contradicts itself.

{"organizations": [{"id", "name", "sites": [Site with "topZoneId" and, optional, "dailyResetHour"]}]}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from zoneinfo import available_timezones

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from contract import Site
from service.query.metrics_body import field_name
from service.store.protocol import DEFAULT_DAILY_RESET_HOUR, Organization, SiteCatalogue, SiteRecord

_FORM = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


class SiteEntry(Site):
    """A site in the field names of `GET /v3/sites/{siteId}`, and what that does not show."""

    model_config = _FORM

    top_zone_id: str
    daily_reset_hour: Annotated[int, Field(ge=0, le=23, strict=True)] = DEFAULT_DAILY_RESET_HOUR


class OrganizationEntry(BaseModel):
    model_config = _FORM

    id: Annotated[str, Field(min_length=1)]
    name: Annotated[str, Field(min_length=1)]
    sites: tuple[SiteEntry, ...] = ()


class SiteFile(BaseModel):
    model_config = _FORM

    organizations: tuple[OrganizationEntry, ...]


@dataclass(frozen=True, slots=True)
class SiteFileError(Exception):
    """The file is refused; `reasons` are all that is wrong with it."""

    reasons: tuple[str, ...]


def read_site_file(text: bytes) -> SiteFile:
    """The file's content. Raises SiteFileError."""
    try:
        content = SiteFile.model_validate_json(text)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        raise SiteFileError(
            tuple(f"{field_name(problem['loc']) or 'the file'}: {problem['msg']}" for problem in problems)
        ) from error
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


def records(
    organization: OrganizationEntry, find: Callable[[str], SiteRecord | None], now: datetime
) -> tuple[Organization, list[SiteRecord]]:
    """What to store. Dates that the file leaves out are the stored ones, or `now`."""
    return Organization(organization.id, organization.name), [
        _record(site, organization.id, find(site.id), now) for site in organization.sites
    ]


def _record(entry: SiteEntry, organization_id: str, stored: SiteRecord | None, now: datetime) -> SiteRecord:
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
    return SiteRecord(dated, entry.top_zone_id, entry.daily_reset_hour)


def _contradictions(content: SiteFile) -> Iterator[str]:
    sites = [site for organization in content.organizations for site in organization.sites]
    yield from _repeated("organization", (organization.id for organization in content.organizations))
    yield from _repeated("site", (site.id for site in sites))
    yield from _repeated("passage", (passage.id for site in sites for passage in site.passages))
    for organization in content.organizations:
        for site in organization.sites:
            if site.organization_id not in {"", organization.id}:
                yield f"site {site.id!r} names organization {site.organization_id!r}, not {organization.id!r}"
            yield from _contradictions_of(site)


def _contradictions_of(site: SiteEntry) -> Iterator[str]:
    where = f"site {site.id!r}"
    zones = {zone.id for zone in site.zones}
    yield from (f"{reason} in {where}" for reason in _repeated("zone", (zone.id for zone in site.zones)))
    if not site.id or not all(zones) or not all(passage.id for passage in site.passages):
        yield f"{where}: an id is empty"
    if site.top_zone_id not in zones:
        yield f"{where}: its top zone {site.top_zone_id!r} is not one of its zones"
    if site.timezone is not None and site.timezone not in available_timezones():
        yield f"{where}: {site.timezone!r} is not an IANA time zone"
    for passage in site.passages:
        ends = (passage.from_zone_id, passage.to_zone_id)
        for zone_id in ends:
            if zone_id is not None and zone_id not in zones:
                yield f"{where}: passage {passage.id!r} leads to the unknown zone {zone_id!r}"
        if ends[0] == ends[1]:
            yield f"{where}: passage {passage.id!r} has the same side twice ({ends[0] or 'outside'})"


def _repeated(noun: str, names: Iterable[str]) -> Iterator[str]:
    return (f"{noun} {name!r} occurs {times} times" for name, times in Counter(names).items() if times > 1)
