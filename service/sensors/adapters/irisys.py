"""Irisys Vector: the log of its registers, pushed as JSON.

A register runs on until the counter is without power, and counts people in one direction alone. Which
direction that is stands in its tags (`direction=IN`) or, without them, as the word in or out at either end of
its name. The registers of one line are those whose names are the same but for that word: `Main door in` and
`Main door out` are the line `Main door`. A register of which neither says a direction is not counted: it may
hold a dwell time, or who is in a zone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, Final, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from service.sensors.adapter import Adapter, Form
from service.sensors.checked_report import checked_report
from service.sensors.json_report import ReportModel, Text, Total, read_json
from service.sensors.told_count import Kind, Report, ToldCount
from service.sensors.told_time import UtcTime, identity_of

_WORD_FIRST: Final = re.compile(r"(in|out)\b[\s_:.-]*(.*)", re.IGNORECASE)
_WORD_LAST: Final = re.compile(r"(?:(.*)[\s_:.-])?(in|out)", re.IGNORECASE)
_TAG: Final = "direction="


class _Way(StrEnum):
    IN = "in"
    OUT = "out"


class _Register(ReportModel):
    name: Annotated[Text | None, Field(alias="Name")] = None
    tags: Annotated[tuple[str, ...], Field(alias="Tags")] = ()
    value: Annotated[Total | None, Field(alias="Value")] = None

    @field_validator("value", mode="before")
    @classmethod
    def _of_crossings(cls, value: object, info: ValidationInfo) -> object:
        """Other registers hold what they like, also less than 0."""
        return value if _way(info.data.get("name"), info.data.get("tags", ())) else None

    @model_validator(mode="after")
    def _is_told(self) -> Self:
        if self.way() and self.value is None:
            raise PydanticCustomError("missing", "Value should be a number")
        return self

    def way(self) -> _Way | None:
        return _way(self.name, self.tags)

    def line(self) -> str:
        way, rest = _in_name(self.name)
        return rest if way is self.way() else self.name or ""


class _Entry(ReportModel):
    """Of the log; one without counts says that the clock was set."""

    timestamp: Annotated[UtcTime, Field(alias="Timestamp")]
    number: Annotated[Text | None, Field(alias="LogEntryId")] = None
    counts: Annotated[tuple[_Register, ...], Field(alias="Counts")] = ()

    @model_validator(mode="after")
    def _each_way_once(self) -> Self:
        told = [(one.line(), one.way()) for one in self.counts if one.way()]
        if len(told) > len(set(told)):
            raise PydanticCustomError("twice", "two registers have one name and one direction")
        return self

    def lines(self) -> dict[str, dict[_Way, int]]:
        people: dict[str, dict[_Way, int]] = {}
        for one in self.counts:
            way = one.way()
            if way and one.value is not None:
                people.setdefault(one.line(), {})[way] = one.value
        return people


class _Body(ReportModel):
    serial: Annotated[Text, Field(alias="FriendlyDeviceSerial")]
    count_logs: Annotated[tuple[_Entry, ...], Field(alias="CountLogs")]


def _read(body: bytes) -> Report:
    told = read_json(body, _Body)
    without = [one.name for entry in told.count_logs for one in entry.counts if not one.way()]
    return checked_report(_counts(told), left_out=map(_left_out, without))


def _counts(told: _Body) -> Iterator[ToldCount]:
    for entry in told.count_logs:
        for line, people in entry.lines().items():
            yield ToldCount(
                serial=told.serial,
                line=line,
                kind=Kind.CUMULATIVE,
                start=None,
                end=entry.timestamp,
                forward=people.get(_Way.IN, 0),
                backward=people.get(_Way.OUT, 0),
                identity=" ".join(filter(None, (entry.number, identity_of(entry.timestamp)))),
            )


def _left_out(name: str | None) -> str:
    return f"register {name or 'without a name'}: neither its tags nor its name say in or out"


def _way(name: str | None, tags: Iterable[str]) -> _Way | None:
    tagged = {tag[len(_TAG) :].lower() for tag in tags if tag.lower().startswith(_TAG)}
    for way in _Way:
        if tagged == {way}:
            return way
    return None if tagged else _in_name(name)[0]


def _in_name(name: str | None) -> tuple[_Way | None, str]:
    """The direction that a name says, and the rest of the name."""
    name = name or ""
    if last := _WORD_LAST.fullmatch(name):
        return _Way(last[2].lower()), (last[1] or "").strip(" _:.-")
    if first := _WORD_FIRST.fullmatch(name):
        return _Way(first[1].lower()), first[2].strip(" _:.-")
    return None, name


IRISYS: Final = Adapter(
    maker="irisys",
    title="Irisys Vector",
    kinds=frozenset({Kind.CUMULATIVE}),
    form=Form.JSON,
    forward="in",
    has_lines=True,
    read=_read,
)
