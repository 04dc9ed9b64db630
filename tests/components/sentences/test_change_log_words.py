"""The record of changes in words: of all that a service records, and of what it will."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel

from components.number_format import Formats
from components.sentences.change_log_words import _DONE, _FIELDS, fields_words
from contract.administration import AskedKey, MappingWritten, NamedOrganization, PlacedAt, SiteSetUp
from contract.minutes import minute_number
from service.sensors.taking import place, take
from service.sensors.told_count import Kind, Report, ToldCount
from service.store.audit_protocol import AuditAction, AuditEntry, Author
from service.store.level_protocol import ZoneLevel
from service.store.protocol import KeyScope, Organization, SiteRecord, Store
from service.store.sensor_protocol import Placement
from tests.every_store import opener
from tests.small_site import ORGANIZATION, SITE, create_records

AUTHOR = Author("Office", "0123456789ab", "Ana")
ZURICH = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SET_UP = (SiteSetUp, MappingWritten, PlacedAt, AskedKey, NamedOrganization)
"""What somebody sends who changes something."""


def words(fields: Mapping[str, Any], longest: int = 10_000) -> str:
    formats = Formats(now=NOW)
    return fields_words(fields, longest, lambda moment: formats.dated(moment.astimezone(ZURICH)))


def parts_of(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in get_args(annotation):
        yield from parts_of(part)


def fields_of(model: type[BaseModel]) -> Iterator[tuple[str, bool]]:
    """By the names of the API, those of what it consists of, too; and whether each is a time."""
    for field in model.model_fields.values():
        parts = list(parts_of(field.annotation))
        yield str(field.alias), datetime in parts
        for part in parts:
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from fields_of(part)


def names_in(value: Any, *, are_ids: bool = False) -> Iterator[str]:
    """Of fields, at any depth."""
    if isinstance(value, Mapping):
        for name, own in value.items():
            if not are_ids:
                yield name
            yield from names_in(own, are_ids=not are_ids and name in {"zones", "passages", "devices"})
    elif isinstance(value, list):
        for own in value:
            yield from names_in(own)


def change_all(store: Store) -> None:
    """Everything that is recorded, once at least."""
    create_records(store)
    store.catalogue.save(Organization(ORGANIZATION.id, "New"), [], author=AUTHOR)
    zones = tuple(one.model_copy(update={"capacity": 7}) for one in SITE.zones)
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE.model_copy(update={"zones": zones}), "shop")])
    key, _ = store.keys.create(
        ORGANIZATION.id, "Door", KeyScope.READ, expires_at=datetime.now(UTC) + timedelta(days=9),
        site_ids=[SITE.id],
    )  # fmt: skip
    assert store.keys.rotate(key.id, timedelta(hours=1))
    assert store.keys.revoke(key.id)
    written = MappingWritten(kind="interval", serial="row.sn").model_dump(mode="json", by_alias=True)
    store.mappings.keep(ORGANIZATION.id, "gym", written, lambda _: None, AUTHOR)
    assert store.mappings.remove(ORGANIZATION.id, "gym", lambda _: None, AUTHOR)
    end = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(hours=1)
    for serial in ("S-1", "S-2", "S-3"):
        told = ToldCount(serial, "", Kind.INTERVAL, end - timedelta(minutes=15), end, 3, 4, "identity")
        with store.sensors.writing() as rows:
            take(rows, ORGANIZATION.id, "maker", Report((told,)), end)
    placed, dismissed, ignored = store.sensors.lines(ORGANIZATION.id)
    with store.sensors.writing() as rows:
        place(rows, placed, Placement("entrance", is_swapped=True), AUTHOR)
    assert store.sensors.dismiss(ORGANIZATION.id, dismissed.number, AUTHOR, is_ignored=False)
    assert store.sensors.dismiss(ORGANIZATION.id, ignored.number, AUTHOR, is_ignored=True)
    level = ZoneLevel(SITE.id, "hall", minute_number(end), 12)
    corrected = store.levels.correct(level, "counted by hand", AUTHOR, datetime.now(UTC))
    assert store.levels.withdraw(SITE.id, corrected.number, AUTHOR, datetime.now(UTC))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[AuditEntry]]:
    folder: Path = tmp_path_factory.mktemp("store")
    with opener("sqlite", folder) as opened:
        store = opened()
        change_all(store)
        yield store.audit.entries(ORGANIZATION.id, limit=100)


def test_every_field_that_is_set_up_has_words() -> None:
    names = {name for model in SET_UP for name, _ in fields_of(model)}
    assert {"constructionYear", "postCode", "fromZoneId", "intervalSeconds", "expiresAt"} <= names
    assert sorted(names - _FIELDS.keys()) == []


def test_every_change_that_is_recorded_has_words_and_so_have_its_fields(recorded: list[AuditEntry]) -> None:
    assert {entry.change.action for entry in recorded} == set(AuditAction), "make those that are new, too"
    assert {entry.change.action.value for entry in recorded} == _DONE.keys()
    told = [fields for entry in recorded for fields in (entry.change.before, entry.change.after)]
    names = {name for fields in told for name in names_in(fields)}
    assert {"waiting", "revokedAt", "timestamp", "createdAt"} <= names
    assert sorted(names - _FIELDS.keys()) == []


def test_every_time_is_written_as_the_page_writes_times(recorded: list[AuditEntry]) -> None:
    times = {name for model in SET_UP for name, is_time in fields_of(model) if is_time}
    assert {"createdAt", "updatedAt", "expiresAt"} <= times
    for name in times:
        assert words({name: "2026-01-01T00:00:00+00:00"}).endswith(": Thu 1 Jan, 01:00"), name
    for entry in recorded:
        for fields in filter(None, (entry.change.before, entry.change.after)):
            assert "+00:00" not in words(fields)


def test_a_site_is_told_without_names_of_the_api() -> None:
    said = words({
        "id": "shop", "organizationId": "corner", "createdAt": "2024-01-01T00:00:00+00:00", "updatedAt": None,
        "constructionYear": 1931, "address": {"postCode": "8004"},
        "passages": [{"id": "door", "fromZoneId": None, "toZoneId": "hall"}],
    })  # fmt: skip
    assert said == (
        "Id: shop; Organization: corner; Added: Mon, 1 Jan 2024, 01:00; Changed: –; Built: 1931;"
        " Address: (Post code: 8004); Passages: (Id: door, From: outside, To: hall)"
    )


def test_what_differs_stands_under_the_id_of_its_zone_whatever_that_is() -> None:
    said = words({"zones": {"createdAt": {"capacity": 7}, "zones": {"name": "Hall", "area": 12.5}}})
    assert said == "Zones: (createdAt: (Capacity: 7), zones: (Name: Hall, Area (m²): 12.5))"


def test_a_field_that_is_not_known_here_is_told_in_words() -> None:
    assert words({"longestStayMinutes": 5, "floor": "1st", "URL": "x"}) == (
        "Longest stay minutes: 5; Floor: 1st; URL: x"
    )


@pytest.mark.parametrize("told", ["soon", "2024-01-01T00:00:00", "0001-01-01T00:00:00+14:00", "x" * 40])
def test_what_is_no_moment_stands_as_it_was_told(told: str) -> None:
    assert words({"createdAt": told}) == f"Added: {told}"


def test_a_name_that_reads_as_a_time_stays_a_name() -> None:
    assert words({"name": "2024-01-01T00:00:00+00:00"}) == "Name: 2024-01-01T00:00:00+00:00"
