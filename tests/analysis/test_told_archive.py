from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from analysis.told_archive import leaves_out_archive, told_archive

START = datetime(2025, 3, 4, 4, tzinfo=timezone(timedelta(hours=1)))


def warning(start: Any) -> dict[str, Any]:
    return {"code": "ARCHIVE_AWAY", "message": "Before", "details": {"from": start}}


def test_of_several_answers_the_latest_moment_before_which_points_are_left_out_is_told() -> None:
    earlier = START - timedelta(days=1)
    found = told_archive([{"code": "LEVEL_SET"}, warning(START.isoformat()), warning(earlier.isoformat())])
    assert found == START


@pytest.mark.parametrize(
    "warnings",
    [
        [],
        ["ARCHIVE_AWAY"],
        [{"code": "ARCHIVE_AWAY"}],
        [{"code": "ARCHIVE_AWAY", "details": ["from"]}],
        [warning(None)],
        [warning("2025-03-04T04:00")],
        [warning("yesterday" * 10_000)],
        [warning("0001-01-01T00:00+14:00")],
    ],
)
def test_what_cannot_be_read_is_as_if_no_moment_were_told(warnings: list[Any]) -> None:
    assert told_archive(warnings) is None


@pytest.mark.parametrize(
    ("warnings", "is_left_out"),
    [([], False), (["ARCHIVE_AWAY"], False), ([{"code": "LEVEL_SET"}], False), ([warning(None)], True)],
)
def test_that_points_are_left_out_is_known_also_without_a_moment(
    warnings: list[Any], is_left_out: bool
) -> None:
    assert leaves_out_archive(warnings) is is_left_out
