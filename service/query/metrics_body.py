"""The shape of the body of `POST /v3/metrics`: which fields there are and what type each has.

Null means left out. Nothing is converted: 1 is not true, and "7" is not 7. However large the body, only so
much of it is validated as an answer can name.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic_core import PydanticCustomError

from contract import (
    MAXIMUM_NAMED,
    Aggregation,
    ErrorCode,
    ErrorEntry,
    Granularity,
    MetricKey,
    listed,
    shortened,
)
from service.exception_handlers import entry

MAXIMUM_METRICS: Final = 100
"""Elements of `metrics`: there are four to ask for, and one that is named twice counts once."""

MAXIMUM_IDS: Final = 10_000
"""Elements of `filter.zoneIds`, and of `filter.passageIds`: enough to name all of the largest site."""


def at_most(longest: int) -> BeforeValidator:
    """Of a field's annotation: refuses a longer list before any of its elements is looked at."""

    def check(value: object) -> object:
        if isinstance(value, list) and len(value) > longest:
            raise PydanticCustomError(
                "too_long",
                "has {found} elements; at most {longest} are taken",
                {"found": len(value), "longest": longest},
            )
        return value

    return BeforeValidator(check)


Names = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
"""One or more names, none of them empty."""

Ids = Annotated[Names, Field(max_length=MAXIMUM_IDS), at_most(MAXIMUM_IDS)]

_METRICS_SCHEMA: Final = WithJsonSchema(
    {
        "type": "array",
        "minItems": 1,
        "maxItems": MAXIMUM_METRICS,
        "items": {"type": "string", "enum": [key.value for key in MetricKey]},
    }
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

    zone_ids: Ids | None = Field(default=None, alias="zoneIds")
    """Several zones are summed. Left out: the site's top zone. An empty array is refused, because a client
    whose list came out empty would not expect the whole site."""
    passage_ids: Ids | None = Field(default=None, alias="passageIds")


class MetricsBody(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"required": ["metrics", "siteId"]}
    )

    # Required and yet optional here, so that what else is wrong is found beside them.
    metrics: Annotated[Annotated[Names, at_most(MAXIMUM_METRICS)] | None, _METRICS_SCHEMA] = None
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
    message = f"Not as this operation needs it: {listed(details)}."
    return body, [entry(ErrorCode.INVALID_BODY, message, dict(islice(details.items(), MAXIMUM_NAMED)))]


def field_name(location: Sequence[str | int]) -> str:
    """`filter.zoneIds[0]` for ("filter", "zoneIds", 0)."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{shortened(part)}" for part in location)
    return "".join(parts).removeprefix(".")


def _validated(document: dict[str, Any]) -> tuple[MetricsBody, dict[str, str]]:
    known = _known(MetricsBody, document)
    unknown = {shortened(name): _ONLY_FIELDS for name in document if name not in known}
    filter_ = known.get("filter")
    unknown_filters = {}
    if isinstance(filter_, dict):
        known["filter"] = _known(FilterBody, filter_)
        unknown_filters = {
            field_name(["filter", name]): _ONLY_FILTERS for name in filter_ if name not in known["filter"]
        }
    body, details = _validated_fields(known)
    return body, unknown_filters | details | unknown


def _known(model: type[BaseModel], document: dict[str, Any]) -> dict[str, Any]:
    """What the model has a field for. The rest is kept apart by hand: there may be any number of it."""
    names = (field.alias or name for name, field in model.model_fields.items())
    return {name: document[name] for name in names if name in document}


def _validated_fields(document: dict[str, Any]) -> tuple[MetricsBody, dict[str, str]]:
    try:
        return MetricsBody.model_validate(document), {}
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        wrong = {problem["loc"][0] for problem in problems}
        sound = {name: value for name, value in document.items() if name not in wrong}
        details = {field_name(problem["loc"]): problem["msg"] for problem in problems}
        return MetricsBody.model_validate(sound), details
