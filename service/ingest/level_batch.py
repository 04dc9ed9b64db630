"""The body of `POST /ingest/levels`: a JSON array of levels, taken whole or refused whole."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import islice
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from contract import ErrorCode, quoted
from service.exception_handlers import ServiceError
from service.ingest.count_batch import MAXIMUM_DETAILS, People, batch_refusal, read_batch
from service.ingest.count_time import minute_at_most, read_count_time
from service.store.level_protocol import ZoneLevel


class LevelElement(BaseModel):
    """How many were inside a zone during the minute that holds `timestamp`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    timestamp: Annotated[str, Field(json_schema_extra={"format": "date-time"})]
    """ISO 8601 with an offset; any second of the minute, from 2010 on, and not in the future."""
    site_id: Annotated[str, Field(alias="siteId", min_length=1)]
    zone_id: Annotated[str, Field(alias="zoneId", min_length=1)]
    visitors_inside: Annotated[People, Field(alias="visitorsInside")]


def read_level_batch(body: bytes, now: datetime, limit: int) -> list[ZoneLevel]:
    """The levels, at most `limit`; ServiceError that names every bad element (the first hundred values)."""

    def level(element: Any) -> ZoneLevel:
        told = LevelElement.model_validate(element)
        minute = minute_at_most(read_count_time(told.timestamp), now)
        return ZoneLevel(told.site_id, told.zone_id, minute, told.visitors_inside)

    return read_batch(body, limit, level, "levels")


def unknown_zones(levels: Sequence[ZoneLevel], unknown: Collection[tuple[str, str]]) -> ServiceError:
    """The refusal of levels of zones, by site id and zone id, that are `unknown`."""
    refused = (index for index, level in enumerate(levels) if level[:2] in unknown)
    details = {
        f"[{index}].zoneId": f"the organization's sites have no zone {quoted(levels[index].zone_id)}"
        f" in {quoted(levels[index].site_id)}"
        for index in islice(refused, MAXIMUM_DETAILS)
    }
    return batch_refusal(ErrorCode.UNKNOWN_ZONE, details)
