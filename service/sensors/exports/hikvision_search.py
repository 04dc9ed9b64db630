"""Hikvision people counting cameras, asked for their statistics: `/ISAPI/.../channels/1/counting/search`.

The answer, `CountingStatisticsResult`, has intervals with who entered and left; their times stand in a
`timeSpan`, or beside the numbers in newer firmware. Neither has the camera's address or channel: the serial
is what the settings say. What a camera pushes as `timeRange` may be of the same crossings: let it do one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, Field

from service.sensors.checked_report import checked_report
from service.sensors.exports.export import Export, in_zone
from service.sensors.json_report import People, ReportModel, Text
from service.sensors.told_count import Kind, Report, ReportError, ToldCount
from service.sensors.told_time import IsoTime, identity_of
from service.sensors.xml_report import read_values, read_xml

_ROOT: Final = "CountingStatisticsResult"
_GOOD: Final = frozenset({"OK", "NO MATCH", "NO MATCHES"})
_LINE: Final = "search"
"""Apart from what the same camera pushes: one of both is placed."""


class _Span(ReportModel):
    start: Annotated[IsoTime, Field(alias="startTime")]
    end: Annotated[IsoTime, Field(alias="endTime")]


class _Match(ReportModel):
    span: Annotated[_Span | None, Field(alias="timeSpan")] = None
    start: Annotated[IsoTime | None, Field(alias="startTime")] = None
    end: Annotated[IsoTime | None, Field(alias="endTime")] = None
    enter: Annotated[People, Field(alias="enterCount")]
    exit: Annotated[People, Field(alias="exitCount")]


def _as_list(value: object) -> object:
    """XML does not tell one from a list of one, nor an empty list from an empty text."""
    return value if isinstance(value, list) else [] if value == "" else [value]


class _Matches(ReportModel):
    elements: Annotated[tuple[_Match, ...], BeforeValidator(_as_list), Field(alias="matchElement")] = ()


class _Result(ReportModel):
    status: Annotated[Text, Field(alias="responseStatusStrg")] = "OK"
    matches: Annotated[_Matches, Field(alias="matchList")] = _Matches()


def _read(body: bytes, serial: str, zone: ZoneInfo) -> Report:
    values = read_xml(body, _ROOT)
    if values.get("matchList") == "":
        del values["matchList"]
    result = read_values(values, _Result)
    if result.status.upper() not in _GOOD:
        raise ReportError(f"the camera says {result.status!r}")
    return checked_report(_counts(result.matches.elements, serial, zone))


def _times(match: _Match) -> tuple[datetime, datetime]:
    if match.span:
        return match.span.start, match.span.end
    if match.start and match.end:
        return match.start, match.end
    raise ReportError("matchElement.timeSpan: Field required")


def _counts(matches: Sequence[_Match], serial: str, zone: ZoneInfo) -> Iterator[ToldCount]:
    moments = in_zone(chain.from_iterable(map(_times, matches)), zone)
    for match, start, end in zip(matches, moments, moments, strict=True):
        yield ToldCount(serial, _LINE, Kind.INTERVAL, start, end, match.enter, match.exit, identity_of(start))


HIKVISION_SEARCH: Final = Export(
    name="hikvision-search",
    title="Hikvision people counting, ISAPI counting/search",
    maker="hikvision",
    read=_read,
)
