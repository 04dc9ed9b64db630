"""The body of `POST /ingest/counts`: a JSON array of counts, taken whole or refused whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from contract import ErrorCode
from service.failures import ServiceError, refusal
from service.ingest.count_time import (
    LARGEST_COUNT,
    CountTimeError,
    minute_at_most,
    read_count_time,
)
from service.query.metrics_body import field_name
from service.store.protocol import PassageCount

MAXIMUM_DETAILS: Final = 100
"""Bad elements that one answer names."""

People = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]


class CountElement(BaseModel):
    """People who crossed one passage during the minute that holds `timestamp`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    timestamp: Annotated[str, Field(json_schema_extra={"format": "date-time"})]
    """ISO 8601 with an offset; any second of the minute, from 2010 on, and not in the future."""
    passage_id: Annotated[str, Field(alias="passageId", min_length=1)]
    forward: People
    """From `fromZoneId` to `toZoneId`."""
    backward: People


_BATCH: Final = TypeAdapter(list[CountElement])


def read_count_batch(body: bytes, now: datetime) -> list[PassageCount]:
    """The counts; ServiceError that names every bad element (the first hundred)."""
    try:
        elements = _BATCH.validate_json(body)
    except ValidationError as error:
        raise _shape_refusal(error) from error
    counts: list[PassageCount] = []
    details: dict[str, str] = {}
    for index, element in enumerate(elements):
        try:
            counts.append(_count(element, now))
        except CountTimeError as error:
            details[f"[{index}].timestamp"] = str(error)
    if details:
        raise _refusal(ErrorCode.INVALID_BODY, details)
    return counts


def unknown_passages(elements: Sequence[PassageCount], known: frozenset[str]) -> ServiceError | None:
    """The refusal of counts at passages that are not `known`; None when there are none."""
    details = {
        f"[{index}].passageId": f"the organization has no passage {count.passage_id!r}"
        for index, count in enumerate(elements)
        if count.passage_id not in known
    }
    return _refusal(ErrorCode.UNKNOWN_PASSAGE, details) if details else None


def _count(element: CountElement, now: datetime) -> PassageCount:
    minute = minute_at_most(read_count_time(element.timestamp), now)
    return PassageCount(element.passage_id, minute, element.forward, element.backward)


def _shape_refusal(error: ValidationError) -> ServiceError:
    problems = error.errors(include_url=False, include_input=False)
    if problems[0]["type"] == "json_invalid":
        return refusal(ErrorCode.MALFORMED_JSON, f"The body is not JSON: {problems[0]['msg']}.")
    details = {field_name(problem["loc"]) or "body": problem["msg"] for problem in problems}
    return _refusal(ErrorCode.INVALID_BODY, details)


def _refusal(code: ErrorCode, details: Mapping[str, str]) -> ServiceError:
    shown = dict(list(details.items())[:MAXIMUM_DETAILS])
    note = f" (the first {MAXIMUM_DETAILS} are named)" if len(details) > MAXIMUM_DETAILS else ""
    message = f"Nothing was stored: {len(details)} of the values cannot be taken{note}."
    return refusal(code, message, shown)
