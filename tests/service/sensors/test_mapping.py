from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from service.sensors.mapping import Mapping, TimeFormat
from service.sensors.told_count import Kind

TOTAL = {"kind": "cumulative", "serial": "row.id", "end": "row.t", "forward": "row.in"}
INTERVAL = {**TOTAL, "kind": "interval", "start": "row.f"}


def faulty(**changes: Any) -> dict[str, str]:
    with pytest.raises(ValidationError) as raised:
        Mapping.model_validate(TOTAL | changes)
    return {str(error["loc"][0]): error["msg"] for error in raised.value.errors()}


def test_a_mapping_is_kept_as_json_and_read_again() -> None:
    mapping = Mapping.model_validate(INTERVAL | {"time_format": "milliseconds", "line": "  row.line  "})
    assert Mapping.model_validate_json(mapping.model_dump_json()) == mapping
    assert (mapping.kind, mapping.time_format, mapping.line) == (
        Kind.INTERVAL,
        TimeFormat.MILLISECONDS,
        "row.line",
    )


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"kind": "interval"}, "end"),
        ({"kind": "interval", "start": "row.f", "interval_seconds": 60}, "end"),
        ({"kind": "interval", "end": "", "interval_seconds": 60}, "end"),
        ({"kind": "interval", "interval_seconds": 0}, "interval_seconds"),
        ({"kind": "interval", "interval_seconds": 25 * 3600 + 1}, "interval_seconds"),
        ({"kind": "event"}, "identity"),
        ({"kind": "event", "identity": "row.n", "since": "row.s"}, "since"),
        ({"kind": "sometimes"}, "kind"),
        ({"start": "row.f"}, "start"),
        ({"interval_seconds": 60}, "interval_seconds"),
        ({"end": ""}, "end"),
        ({"forward": ""}, "backward"),
        ({"serial": ""}, "serial"),
        ({"serial": "row["}, "serial"),
        ({"rows": ""}, "rows"),
        ({"rows": "a" * 301}, "rows"),
        ({"forward": "[row.in]"}, "forward"),
        ({"forwards": "row.in"}, "forwards"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_alone(changes: dict[str, Any], field: str) -> None:
    assert faulty(**changes).keys() == {field}


@pytest.mark.parametrize(
    "changes",
    [
        {"start": "row.f"},
        {"interval_seconds": 60},
        {"start": "row.f", "end": "", "interval_seconds": 60},
    ],
)
def test_two_of_start_end_and_seconds_make_an_interval(changes: dict[str, Any]) -> None:
    assert Mapping.model_validate(TOTAL | {"kind": "interval"} | changes).kind is Kind.INTERVAL
