"""Where a person found, in the JSON of a counter that no adapter knows, what it counts."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticCustomError

from service.sensors.crossings import LONGEST_INTERVAL
from service.sensors.expression import LONGEST, Expression, ExpressionError
from service.sensors.told_count import Kind

_LONGEST_SECONDS: Final = LONGEST_INTERVAL // timedelta(seconds=1)


class TimeFormat(StrEnum):
    ISO = "iso"
    """ISO 8601; without an offset it is local to the site."""
    ISO_UTC = "iso-utc"
    """ISO 8601; without an offset it is UTC."""
    SECONDS = "seconds"
    """Since 1970."""
    MILLISECONDS = "milliseconds"
    """Since 1970."""


def _readable(text: str) -> str:
    try:
        if text:
            Expression(text)
    except ExpressionError as error:
        raise PydanticCustomError("expression", "{why}", {"why": str(error)}) from error
    return text


Written = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=LONGEST), AfterValidator(_readable)
]
"""A JMESPath expression; empty for what the counter does not tell."""


class Mapping(BaseModel):
    """Expressions are evaluated on an object of two: `row`, one of what `rows` finds, and the `body`."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    kind: Kind
    time_format: TimeFormat = TimeFormat.ISO
    rows: Written = "@"
    """Finds the rows in the body, of which each tells one count; an object is a single row."""
    serial: Written
    line: Written = ""
    interval_seconds: Annotated[int, Field(gt=0, le=_LONGEST_SECONDS)] | None = None
    """Of intervals of which the counter tells one end."""
    start: Written = ""
    end: Written = ""
    """Of an interval; moment of a total or of an event."""
    forward: Written = ""
    backward: Written = ""
    identity: Written = ""
    """Else the start of an interval, or the moment and the numbers of a total."""
    since: Written = ""

    @field_validator("rows", "serial")
    @classmethod
    def _is_written(cls, text: str) -> str:
        if not text:
            raise _fault("should be an expression")
        return text

    @field_validator("interval_seconds", "start")
    @classmethod
    def _of_intervals(cls, value: str | int | None, info: ValidationInfo) -> str | int | None:
        if value and info.data.get("kind") not in (None, Kind.INTERVAL):
            raise _fault("is of intervals alone")
        return value

    @field_validator("end")
    @classmethod
    def _makes_a_time(cls, text: str, info: ValidationInfo) -> str:
        if info.data.get("kind") is not Kind.INTERVAL:
            if not text and "kind" in info.data:
                raise _fault("should be an expression")
            return text
        others = [bool(info.data[one]) for one in ("start", "interval_seconds") if one in info.data]
        is_all_read = len(others) == 2  # noqa: PLR2004 - and two make an interval
        if is_all_read and sum(others) + bool(text) != 2:  # noqa: PLR2004
            raise _fault("an interval has two of these: start, end, seconds of the interval")
        return text

    @field_validator("backward")
    @classmethod
    def _counts_people(cls, text: str, info: ValidationInfo) -> str:
        if not text and info.data.get("forward") == "":
            raise _fault("forward or backward should be an expression")
        return text

    @field_validator("identity")
    @classmethod
    def _tells_events_apart(cls, text: str, info: ValidationInfo) -> str:
        if not text and info.data.get("kind") is Kind.EVENT:
            raise _fault("should be an expression: two people may cross at one moment")
        return text

    @field_validator("since")
    @classmethod
    def _of_totals(cls, text: str, info: ValidationInfo) -> str:
        if text and info.data.get("kind") not in (None, Kind.CUMULATIVE):
            raise _fault("is of running totals alone")
        return text


def _fault(message: str) -> PydanticCustomError:
    return PydanticCustomError("mapping", "{message}", {"message": message})
