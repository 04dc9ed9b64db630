"""The shape of the body of `POST /v3/metrics`: which fields there are and what type each has.

Null means left out. Nothing is converted: 1 is not true, and "7" is not 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic_core import ErrorDetails

from contract import Aggregation, ErrorCode, ErrorEntry, Granularity, MetricKey
from service.failures import entry

Names = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
"""One or more names, none of them empty."""

_METRICS_SCHEMA: Final = WithJsonSchema(
    {"type": "array", "minItems": 1, "items": {"type": "string", "enum": [key.value for key in MetricKey]}}
)
_TIME_SCHEMA: Final = WithJsonSchema(
    {
        "type": ["string", "null"],
        "pattern": "^(now|[0-9]{1,9} (second|minute|hour|day|week|month|year)s? ago"
        "|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2})$",
        "description": "Required unless `live` is true.",
        "examples": ["now", "5 minutes ago", "2025-03-30T00:00:00", "2025-03-30 00:00:00"],
    }
)
_ONLY_FIELDS: Final = "is not a field of this body"
_ONLY_FILTERS: Final = "is not a filter: only zoneIds and passageIds exist"


class FilterBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    zone_ids: Names | None = Field(default=None, alias="zoneIds")
    """Several zones are summed. Left out: the site's top zone. An empty array is refused, because a client
    whose list came out empty would not expect the whole site."""
    passage_ids: Names | None = Field(default=None, alias="passageIds")


class MetricsBody(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"required": ["metrics", "siteId"]}
    )

    # Required and yet optional here, so that what else is wrong is found beside them.
    metrics: Annotated[Names | None, _METRICS_SCHEMA] = None
    site_id: Annotated[
        Annotated[str, Field(min_length=1)] | None, WithJsonSchema({"type": "string", "minLength": 1})
    ] = Field(default=None, alias="siteId")
    # Of any type: whatever is no accepted form is INVALID_TIME_FILTER, a number too.
    from_: Annotated[Any, _TIME_SCHEMA] = Field(default=None, alias="from")
    to: Annotated[Any, _TIME_SCHEMA] = None
    granularity: Granularity | None = Field(default=None, strict=False)
    aggregation: Aggregation | None = Field(default=None, strict=False)
    timezone: str | None = None
    filter: FilterBody | None = None
    live: bool | None = None


def read_metrics_body(document: object) -> tuple[MetricsBody, list[ErrorEntry]]:
    """The body, without those fields that have a wrong shape, and what is wrong with them."""
    if not isinstance(document, dict):
        return MetricsBody(), [entry(ErrorCode.INVALID_BODY, "The body is not a JSON object.")]
    body, details = _validated(document)
    details |= {
        name: "is required"
        for name in ("metrics", "siteId")
        if name not in details and not document.get(name)
    }
    if not details:
        return body, []
    return body, [
        entry(ErrorCode.INVALID_BODY, f"Not as this operation needs it: {', '.join(details)}.", details)
    ]


def field_name(location: Sequence[str | int]) -> str:
    """`filter.zoneIds[0]` for ("filter", "zoneIds", 0)."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")


def _validated(document: dict[str, Any]) -> tuple[MetricsBody, dict[str, str]]:
    try:
        return MetricsBody.model_validate(document), {}
    except ValidationError as error:
        problems = error.errors(include_url=False)
        wrong = {problem["loc"][0] for problem in problems}
        sound = {name: value for name, value in document.items() if name not in wrong}
        details = {field_name(problem["loc"]): _explanation(problem) for problem in problems}
        return MetricsBody.model_validate(sound), details


def _explanation(problem: ErrorDetails) -> str:
    if problem["type"] == "extra_forbidden":
        return _ONLY_FILTERS if problem["loc"][0] == "filter" else _ONLY_FIELDS
    return problem["msg"]
