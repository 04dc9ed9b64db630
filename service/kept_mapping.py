"""A mapping that is kept under a name, which counters post to, `/ingest/{name}`, or have in their topic."""

from __future__ import annotations

import re
from collections.abc import Mapping as AnyMapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from contract import quoted
from contract.administration import CountRead, MappingTried, MappingWritten
from service.sensors.adapter import Adapter
from service.sensors.adapters import ADAPTERS
from service.sensors.adapters.generic import MappingError, generic_adapter
from service.sensors.mapping import Mapping
from service.sensors.told_count import ReportError, ToldCount
from service.store.mapping_protocol import MappingStore

MOST_SHOWN: Final = 50
"""Counts of a body that is tried."""

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}", re.ASCII)
_TAKEN: Final = frozenset(ADAPTERS) | {"counts", "levels"}
"""What stands in the same place of an address."""


def fault_of_name(name: str) -> str:
    """Empty where a mapping may be kept under it."""
    if not _NAME.fullmatch(name):
        return "is 1 to 40 small letters, digits and hyphens, as gym-doors, and begins with no hyphen"
    return "is the name of a maker that is known already: choose another" if name in _TAKEN else ""


def faults_of_mapping(written: MappingWritten) -> dict[str, str]:
    """By field, as the API calls it."""
    read = _read(written)
    return read if isinstance(read, dict) else {}


def try_body(written: MappingWritten, body: bytes) -> MappingTried:
    """What would be counted of a body, or what is wrong. Pure; takes a second at most."""
    mapping = _read(written)
    if isinstance(mapping, dict):
        return MappingTried(faults=mapping)
    try:
        report = generic_adapter(mapping).read(body)
    except MappingError as error:
        return MappingTried(faults=error.by_field, row=error.row)
    except ReportError as error:
        return MappingTried(faults={"rows": str(error)})
    return MappingTried(
        faults={},
        counts=tuple(map(_shown, report.counts[:MOST_SHOWN])),
        total=len(report.counts),
        left_out=report.left_out,
    )


class UnknownMakerError(ReportError):
    """Neither an adapter nor a mapping has the name."""


def adapter_of(mappings: MappingStore, organization_id: str, name: str) -> Adapter:
    """What reads what counters send under the name: a maker's, or a mapping that is kept.

    Takes microseconds, and milliseconds once for each mapping. Raises UnknownMakerError; ReportError where
    the mapping can be used no more; StoreError.
    """
    if name in ADAPTERS:
        return ADAPTERS[name]
    # What cannot be a name is not asked for: it may hold anything.
    written = None if fault_of_name(name) else mappings.written(organization_id, name)
    if written is None:
        known = f"known are {', '.join(ADAPTERS)}, and what a mapping is kept for on the page Counters"
        raise UnknownMakerError(f"no counters of {quoted(name)} are known; {known}")
    return _kept_adapter(name, written)


@lru_cache(maxsize=64)
def _kept_adapter(name: str, written: str) -> Adapter:
    """`written` is JSON, as it is kept. Raises ReportError where it can be used no more."""
    mapping = _read(MappingWritten.model_validate_json(written))
    if isinstance(mapping, dict):
        faults = "; ".join(f"{field}: {fault}" for field, fault in mapping.items())
        raise ReportError(f"the mapping {name} can be used no more, write it anew: {faults}")
    return replace(generic_adapter(mapping), maker=name, title=name)


def _read(written: MappingWritten) -> Mapping | dict[str, str]:
    told: AnyMapping[str, Any] = written.model_dump()
    try:
        return Mapping.model_validate(told)
    except ValidationError as error:
        return {to_camel(str(one["loc"][0])): one["msg"] for one in error.errors(include_url=False)}


def _shown(one: ToldCount) -> CountRead:
    return CountRead(
        serial=one.serial,
        line=one.line,
        start=None if one.start is None else one.start.isoformat(),
        end=one.end.isoformat(),
        forward=one.forward,
        backward=one.backward,
        identity=one.identity,
    )
