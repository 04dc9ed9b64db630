"""Counters of whatever maker, read as a mapping says that a person wrote."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

from pydantic import ConfigDict, PlainValidator, TypeAdapter, ValidationError
from pydantic_core import from_json

from service.sensors.adapter import Adapter, Form
from service.sensors.checked_report import MOST_COUNTS, checked_report
from service.sensors.expression import Expression, ExpressionError, Steps
from service.sensors.json_report import People, Text, Total, faults
from service.sensors.mapping import Mapping, TimeFormat
from service.sensors.told_count import Kind, Report, ReportError, ToldCount
from service.sensors.told_time import identity_of, read_iso, read_milliseconds, read_seconds, read_utc

_FIELDS: Final = ("serial", "line", "start", "end", "forward", "backward", "identity", "since")
_MAY_BE_MISSING: Final = frozenset({"since"})
_TIMES: Final = {
    TimeFormat.ISO: read_iso,
    TimeFormat.ISO_UTC: read_utc,
    TimeFormat.SECONDS: read_seconds,
    TimeFormat.MILLISECONDS: read_milliseconds,
}
_TEXT: Final[TypeAdapter[str]] = TypeAdapter(Text, config=ConfigDict(coerce_numbers_to_str=True))
_PEOPLE: Final[TypeAdapter[int]] = TypeAdapter(People)
_TOTAL: Final[TypeAdapter[int]] = TypeAdapter(Total)


class MappingError(ReportError):
    """A body in which a mapping does not find what it says.

    `by_field` has what is wrong by field of the mapping, or by `body`; `row` says in which row, from 1 on.
    """

    def __init__(self, by_field: dict[str, str], row: int | None = None) -> None:
        self.by_field, self.row = by_field, row
        where = "" if row is None else f"row {row}: "
        super().__init__(where + "; ".join(f"{field}: {fault}" for field, fault in by_field.items()))


def generic_adapter(mapping: Mapping) -> Adapter:
    """Reads as `mapping` says; its errors are MappingError or ReportError."""
    return Adapter(
        maker="generic",
        title="Another maker",
        kinds=frozenset({mapping.kind}),
        form=Form.JSON,
        forward=mapping.forward or f"not {mapping.backward}",
        has_lines=bool(mapping.line),
        read=_Reader(mapping).read,
        is_mapped=True,
    )


def try_mapping(mapping: dict[str, Any] | Mapping, body: bytes) -> Report | dict[str, str]:
    """What a mapping finds in a body, or what is wrong by field, by `rows` for all of them, or by `body`."""
    try:
        return generic_adapter(Mapping.model_validate(mapping)).read(body)
    except ValidationError as error:
        return {str(one["loc"][0]) if one["loc"] else "mapping": one["msg"] for one in error.errors()}
    except MappingError as error:
        return error.by_field
    except ReportError as error:
        return {"rows": str(error)}


class _Reader:
    def __init__(self, mapping: Mapping) -> None:
        self._mapping = mapping
        self._rows = Expression(mapping.rows)
        written = {field: getattr(mapping, field) for field in _FIELDS}
        self._expressions = {field: Expression(text) for field, text in written.items() if text}
        people: TypeAdapter[Any] = _TOTAL if mapping.kind is Kind.CUMULATIVE else _PEOPLE
        time: TypeAdapter[Any] = TypeAdapter(_time_type(mapping.time_format))
        self._types: dict[str, TypeAdapter[Any]] = dict.fromkeys(_FIELDS, _TEXT)
        self._types |= {"start": time, "end": time, "forward": people, "backward": people}

    def read(self, body: bytes) -> Report:
        """Raises ReportError."""
        try:
            whole = from_json(body.removeprefix(BOM_UTF8))
        except ValueError as error:
            raise MappingError({"body": f"Invalid JSON: {error}"}) from error
        steps = Steps()
        rows = self._found_rows(whole, steps)
        left_out = [] if rows else ["a body without rows"]
        return checked_report(self._counts(whole, rows, steps), left_out=left_out)

    def _found_rows(self, whole: object, steps: Steps) -> list[object]:
        try:
            found = self._rows.evaluate(whole, steps)
        except ExpressionError as error:
            raise MappingError({"rows": str(error)}) from error
        rows = [found] if isinstance(found, dict) else found
        if not isinstance(rows, list):
            raise MappingError({"rows": "finds nothing" if rows is None else "finds a value, and no rows"})
        if len(rows) > MOST_COUNTS:
            raise MappingError({"rows": f"finds more than {MOST_COUNTS:,} rows"})
        return rows

    def _counts(self, whole: object, rows: list[object], steps: Steps) -> Iterator[ToldCount]:
        for number, row in enumerate(rows, 1):
            values: dict[str, Any] = {}
            wrong: dict[str, str] = {}
            for field, expression in self._expressions.items():
                try:
                    found = expression.evaluate({"row": row, "body": whole}, steps)
                    if found is not None:
                        values[field] = self._types[field].validate_python(found)
                    elif field not in _MAY_BE_MISSING:
                        wrong[field] = "finds nothing"
                except ExpressionError as error:
                    wrong[field] = str(error)
                except ValidationError as error:
                    wrong[field] = faults(error).removeprefix("body: ")
            if wrong:
                raise MappingError(wrong, number)
            yield self._told(values)

    def _told(self, values: dict[str, Any]) -> ToldCount:
        start, end = self._times(values.get("start"), values.get("end"))
        forward, backward = values.get("forward", 0), values.get("backward", 0)
        own = identity_of(start) if start else f"{identity_of(end)} {forward} {backward}"
        return ToldCount(
            serial=values["serial"],
            line=values.get("line", ""),
            kind=self._mapping.kind,
            start=start,
            end=end,
            forward=forward,
            backward=backward,
            identity=values.get("identity", own),
            since=values.get("since", ""),
        )

    def _times(self, start: datetime | None, end: datetime | None) -> tuple[datetime | None, datetime]:
        length = timedelta(seconds=self._mapping.interval_seconds or 0)
        if end is None:
            assert start is not None
            return start, start + length
        return (end - length if start is None and length else start), end


def _time_type(time_format: TimeFormat) -> Any:
    return Annotated[datetime, PlainValidator(_TIMES[time_format])]
