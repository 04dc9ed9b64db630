"""What the reports of all Xovis counters have in common: records of intervals, with counters by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Final, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from service.sensors.json_report import People, ReportModel
from service.sensors.told_count import Kind, ToldCount
from service.sensors.told_time import IsoOrMillisecondTime, identity_of

_FORWARD: Final = "fw"
_BACKWARD: Final = "bw"
_WAYS: Final = frozenset({_FORWARD, _BACKWARD})


class Count(ReportModel):
    name: str | None = None
    value: People | None = None

    @field_validator("value", mode="before")
    @classmethod
    def _of_crossings(cls, value: object, info: ValidationInfo) -> object:
        """Other counters hold what they like, also less than 0."""
        return value if info.data.get("name") in _WAYS else None

    @model_validator(mode="after")
    def _is_told(self) -> Self:
        if self.name in _WAYS and self.value is None:
            raise PydanticCustomError("missing", "{name} has no value", {"name": self.name})
        return self


class Record(ReportModel):
    start: Annotated[IsoOrMillisecondTime, Field(alias="from")]
    end: Annotated[IsoOrMillisecondTime, Field(alias="to")]
    counts: tuple[Count, ...]
    samples: Annotated[int, Field(ge=0)] | None = None
    samples_expected: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _each_way_once(self) -> Self:
        told = [one.name for one in self.counts if one.value is not None]
        if len(told) > len(set(told)):
            raise PydanticCustomError("twice", "fw or bw stands twice in it")
        return self

    def people(self) -> dict[str, int]:
        """By the ways that are told; none where no crossings are counted."""
        return {one.name: one.value for one in self.counts if one.name and one.value is not None}

    def counted(self) -> float | None:
        if self.samples is None or not self.samples_expected:
            return None
        return min(1.0, self.samples / self.samples_expected)


def told_counts(serial: str, line: str, records: Iterable[Record]) -> Iterator[ToldCount]:
    for record in records:
        people = record.people()
        if people:
            yield ToldCount(
                serial=serial,
                line=line,
                kind=Kind.INTERVAL,
                start=record.start,
                end=record.end,
                forward=people.get(_FORWARD, 0),
                backward=people.get(_BACKWARD, 0),
                identity=identity_of(record.start),
                counted=record.counted(),
            )
