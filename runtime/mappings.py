"""Mappings of counters that no adapter knows, tried and kept for whoever opened the page."""

from __future__ import annotations

from http import HTTPStatus

from api_client import AdministratorClient, ApiClientError
from contract.administration import KeptMapping, MappingTried, MappingWritten
from runtime.administration import administrator, may_administer, read_administered


def read_mappings() -> list[KeptMapping]:
    """By name. Raises ApiClientError, NotAdministrableError."""
    return read_administered(AdministratorClient.mappings, "how counters are read")


def try_mapping(written: MappingWritten, body: str) -> MappingTried:
    """What the service would count of a body. Raises ApiClientError."""
    return administrator().try_mapping(written, body)


def keep_mapping(name: str, written: MappingWritten, tag: str | None) -> KeptMapping:
    """Instead of the state that `tag` names; None: as a new one. Where another stands there that is written
    alike, it was kept before, though the answer did not come. Raises ApiClientError.
    """
    client = administrator()
    try:
        return client.keep_mapping(name, written, tag, person=may_administer().person)
    except ApiClientError as error:
        if getattr(error, "status", None) != HTTPStatus.PRECONDITION_FAILED:
            raise
        alike = [one for one in client.mappings() if (one.name, one.written) == (name, written)]
        if not alike:
            raise
        return alike[0]


def remove_mapping(name: str, tag: str) -> KeptMapping:
    """Raises ApiClientError."""
    return administrator().remove_mapping(name, tag, person=may_administer().person)
