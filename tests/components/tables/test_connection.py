from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from components.tables.connection import ErrorRow, StreamRow, errors_table, masked, streams_table

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("hr_c5abcdefghijklmnopqrstuvwbQ", "hr_c5…bQ"),
        ("exactly15chars!", "exact…s!"),
        ("short-key", "••••••••"),
        ("", "none"),
    ],
)
def test_a_key_is_never_shown_whole(key: str, shown: str) -> None:
    assert masked(key) == shown


def stream(feed: str, state: str) -> StreamRow:
    return StreamRow(feed, state, NOON, "", "", 1, None, 0, 0, "")


def test_streams_with_trouble_come_first() -> None:
    table = streams_table([stream("a", "live"), stream("c", "offline"), stream("b", "late")])
    assert table["feed"].tolist() == ["b", "c", "a"]


def test_errors_come_newest_first() -> None:
    rows = [ErrorRow(NOON + timedelta(minutes=n), "sites", "X", f"{n}", "") for n in (1, 3, 2)]
    assert errors_table(rows)["message"].tolist() == ["3", "2", "1"]
