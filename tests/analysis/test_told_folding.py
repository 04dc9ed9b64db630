from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from analysis.told_folding import told_folding

UNTIL = datetime(2025, 3, 4, 4, tzinfo=timezone(timedelta(hours=1)))


def warning(until: Any) -> dict[str, Any]:
    return {"code": "MINUTES_FOLDED", "message": "Before", "details": {"until": until}}


def test_of_several_answers_the_latest_end_of_what_is_folded_is_told() -> None:
    earlier = UNTIL - timedelta(days=1)
    found = told_folding([{"code": "LEVEL_SET"}, warning(UNTIL.isoformat()), warning(earlier.isoformat())])
    assert found == UNTIL


@pytest.mark.parametrize(
    "warnings",
    [
        [],
        ["MINUTES_FOLDED"],
        [{"code": "MINUTES_FOLDED"}],
        [{"code": "MINUTES_FOLDED", "details": ["until"]}],
        [warning(None)],
        [warning("2025-03-04T04:00")],
        [warning("yesterday" * 10_000)],
        [warning("0001-01-01T00:00+14:00")],
    ],
)
def test_what_cannot_be_read_is_as_if_it_were_not_told(warnings: list[Any]) -> None:
    assert told_folding(warnings) is None
