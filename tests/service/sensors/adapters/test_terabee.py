from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from service.sensors.adapters.terabee import TERABEE
from service.sensors.told_count import Kind, ReportError, ToldCount
from tests.service.sensors.adapters.payload_files import changed, payload

MOMENT = datetime(2026, 3, 28, 9, tzinfo=UTC)


def test_both_totals_run_on() -> None:
    identity = "2026-03-28T09:00:00+00:00 2310 2295"
    assert TERABEE.read(payload("terabee")).counts == (
        ToldCount("FA2100000009", "", Kind.CUMULATIVE, None, MOMENT, 2310, 2295, identity),
    )


@pytest.mark.parametrize(
    "time", [1774688400, "1774688400", 1774688400000, 1774688400.0, "2026-03-28T10:00:00+01:00"]
)
def test_the_time_is_seconds_or_milliseconds_or_text(time: object) -> None:
    [told] = TERABEE.read(changed("terabee", "timestamp", to=time)).counts
    assert told.end == MOMENT


@pytest.mark.parametrize(
    ("field", "to"),
    [
        ("count_in", -1),
        ("count_in", 2**53 + 1),
        ("count_out", ...),
        ("timestamp", 10**400),
        ("timestamp", -5),
        ("timestamp", True),
        ("timestamp", "soon"),
        ("device_id", ""),
        ("device_id", "two\nlines"),
    ],
)
def test_what_would_be_counted_wrongly_is_refused_by_name(field: str, to: Any) -> None:
    with pytest.raises(ReportError, match=f"^{field}: "):
        TERABEE.read(changed("terabee", field, to=to))


def test_no_error_repeats_what_a_body_holds() -> None:
    with pytest.raises(ReportError) as raised:
        TERABEE.read(changed("terabee", "count_in", to="secret of the body"))
    assert "secret" not in str(raised.value)
    assert "not to be repeated" not in str(raised.value)
