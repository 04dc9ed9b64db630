"""Mappings of counters that no adapter knows, tried and kept for whoever opened the page."""

from __future__ import annotations

from api_client import AdministratorClient
from contract.administration import KeptMapping, MappingTried, MappingWritten
from runtime.administration import administrator, may_administer, read_administered


def read_mappings() -> list[KeptMapping]:
    """By name. Raises ApiClientError, NotAdministrableError."""
    return read_administered(AdministratorClient.mappings, "how counters are read")


def try_mapping(written: MappingWritten, body: str) -> MappingTried:
    """What the service would count of a body. Raises ApiClientError."""
    return administrator().try_mapping(written, body)


def keep_mapping(name: str, written: MappingWritten, tag: str | None) -> KeptMapping:
    """Instead of the state that `tag` names; None: as a new one. Raises ApiClientError."""
    return administrator().keep_mapping(name, written, tag, person=may_administer().person)


def remove_mapping(name: str, tag: str) -> KeptMapping:
    """Raises ApiClientError."""
    return administrator().remove_mapping(name, tag, person=may_administer().person)
