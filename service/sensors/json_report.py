"""JSON bodies of counters as models: only the fields that count are named, whatever else a firmware adds."""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import Annotated, Final, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from service.ingest.count_time import LARGEST_COUNT
from service.sensors.told_count import ReportError
from service.store.key_secret import is_control

MOST_NAMED: Final = 5
"""Faults that an error names."""


def _no_truth(value: object) -> object:
    """True is not one person."""
    if isinstance(value, bool):
        raise PydanticCustomError("number", "Input should be a number")
    return value


def _on_one_line(text: str) -> str:
    if any(map(is_control, text)):
        raise PydanticCustomError("text", "Input should be a text of one line")
    return text


People = Annotated[int, Field(ge=0, le=LARGEST_COUNT), BeforeValidator(_no_truth)]
"""Who crossed in an interval."""

Total = Annotated[int, Field(ge=0, le=2**53), BeforeValidator(_no_truth)]
"""A running total. Some counters write their numbers as text."""

Text = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=256),
    AfterValidator(_on_one_line),
]
"""An id or a serial; of one line."""

Model = TypeVar("Model", bound=BaseModel)


class ReportModel(BaseModel):
    """A part of a body."""

    model_config = ConfigDict(extra="ignore", frozen=True, coerce_numbers_to_str=True)


def read_json(body: bytes, model: type[Model]) -> Model:
    """The body as `model`. Raises ReportError, which names what is wrong by its path."""
    try:
        return model.model_validate_json(body.removeprefix(BOM_UTF8))
    except ValidationError as error:
        raise ReportError(faults(error)) from error


def faults(error: ValidationError) -> str:
    """What is wrong where, in a sentence; of many faults the first."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    named = [f"{'.'.join(map(str, one['loc'])) or 'body'}: {one['msg']}" for one in found[:MOST_NAMED]]
    more = [f"{len(found) - MOST_NAMED} more"] if len(found) > MOST_NAMED else []
    return "; ".join([*named, *more])
