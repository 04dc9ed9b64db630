"""One site as a body of `PUT /admin/sites/{siteId}`: read, and all that is wrong with it said by field.

The same form and rules as a site in a file (`site_file`). Zones and passages are read one by one, so that of
a body made to be wrong in a hundred thousand places no more is looked at than an answer can name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from contract import MAXIMUM_NAMED, listed, quoted, shortened
from service.ingest.site_entries import MOST_PARTS, PassageEntry, SiteEntry, ZoneEntry, explanation
from service.ingest.site_file import contradictions_of, repeated, top_zone_of
from service.query.metrics_body import field_name
from service.store.protocol import SiteRecord

_PARTS: Final[Mapping[str, type[BaseModel]]] = {"zones": ZoneEntry, "passages": PassageEntry}


class SiteFaultsError(ValueError):
    """The site is refused; `faults` say by field what is wrong with it, the first hundred of many."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(faults.values()))
        self.faults = dict(faults)


def read_site_document(document: object, site_id: str, organization_id: str) -> tuple[SiteEntry, list[str]]:
    """The site, and notes on what was passed over, in sentences. An answer's envelope, `id` and
    `organizationId` may be left out.

    Raises SiteFaultsError.
    """
    site = document.get("data") if isinstance(document, dict) and "data" in document else document
    if not isinstance(site, dict):
        raise SiteFaultsError({"body": "is no site: send the object that GET /v3/sites/{siteId} answers"})
    # What an earlier answer said of it is no part of the site.
    fields = {name: value for name, value in site.items() if name != "notes"} | {"id": site_id}
    faults: dict[str, str] = {}
    if (given := site.get("id", site_id)) != site_id:
        faults["id"] = f"is {_shown(given)}, and the address says {quoted(site_id)}: leave it out"
    notes = []
    if (owner := fields.pop("organizationId", None)) not in (None, "", organization_id):
        notes.append(
            f"organizationId {_shown(owner)} was passed over: the site belongs to {organization_id!r}, as the"
            " key does."
        )
    parts = {name: fields.pop(name, []) for name in _PARTS}
    lists = {name: part for name, part in parts.items() if isinstance(part, list)}
    # What is no list, and a list that is too long, the whole form refuses.
    fields |= {name: part for name, part in parts.items() if name not in lists or len(part) > MOST_PARTS}
    whole, found = _read(SiteEntry, fields, ())
    faults |= found
    read: dict[str, tuple[BaseModel, ...]] = {}
    for name, part in lists.items():
        if name not in fields:
            read[name], found = _read_all(_PARTS[name], part, name, MAXIMUM_NAMED - len(faults))
            faults |= found
    if faults or whole is None:
        raise SiteFaultsError(dict(islice(faults.items(), MAXIMUM_NAMED)))
    return whole.model_copy(update=read), notes


def faults_of_site(
    site: SiteEntry, stored: SiteRecord | None, taken: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """By field, in what the site contradicts itself, and which ids of passages it cannot have.

    `taken` has passages of other sites: id -> how to call that site.
    """
    contradictions = dict(islice(_contradictions(site, stored), MAXIMUM_NAMED))
    others = {
        f"passages[{index}].id": f"{quoted(passage.id)} is, or was, a passage of {taken[passage.id]}, whose"
        " counts are kept under it: choose another id"
        for index, passage in enumerate(site.passages)
        if passage.id in taken
    }
    return contradictions, dict(islice(others.items(), MAXIMUM_NAMED))


def top_zone_note(site: SiteEntry, stored: SiteRecord | None) -> list[str]:
    """That the top zone was inferred, where it was."""
    top_zone = top_zone_of(site, stored)
    if site.top_zone_id is not None or (stored is not None and stored.top_zone_id == top_zone):
        return []
    return [f"Zone {top_zone!r} was taken for the whole site (topZoneId)."]


def _contradictions(site: SiteEntry, stored: SiteRecord | None) -> Iterator[tuple[str, str]]:
    if reasons := list(islice(repeated("passage", (passage.id for passage in site.passages)), MAXIMUM_NAMED)):
        yield "passages", "; ".join(reasons)
    if site.top_zone_id is None and top_zone_of(site, stored) is None:
        zones = listed([zone.id for zone in site.zones]) or "none"
        yield "topZoneId", f"say which zone is the whole site (its zones: {zones})"
    yield from contradictions_of(site)


def _read(form: type[BaseModel], value: object, place: tuple[str | int, ...]) -> tuple[Any, dict[str, str]]:
    try:
        return form.model_validate(value), {}
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        return None, {
            field_name((*place, *problem["loc"])) or "body": explanation(problem, form)
            for problem in problems
        }


def _read_all(
    form: type[BaseModel], values: list[object], name: str, room: int
) -> tuple[tuple[BaseModel, ...], dict[str, str]]:
    """All of a list, and what is wrong with its elements; it ends early where no more can be named."""
    read: list[BaseModel] = []
    faults: dict[str, str] = {}
    for index, value in enumerate(values):
        element, found = _read(form, value, (name, index))
        read.append(element)
        faults |= found
        if len(faults) > room:
            break
    return tuple(read), faults


def _shown(value: object) -> str:
    return shortened(repr(value)) if isinstance(value, str | int | float | None) else "no text"
