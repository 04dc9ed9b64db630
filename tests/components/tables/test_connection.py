from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from components.tables.connection import (
    ErrorRow,
    StreamRow,
    errors_table,
    masked,
    place_name,
    streams_table,
    troubled_streams,
)

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
    return StreamRow(feed.upper(), feed, state, NOON, "", "", 1, None, 0, 0, "")


def test_streams_with_trouble_come_first() -> None:
    table = streams_table([stream("a", "live"), stream("c", "offline"), stream("b", "late")])
    assert table["feed"].tolist() == ["b", "c", "a"]


def test_a_trouble_from_before_the_first_value_may_be_older_than_is_known() -> None:
    rows = [stream("a", "offline"), stream("b", "offline")._replace(is_since_sure=False)]
    told = troubled_streams(rows, lambda moment: f"{moment:%H:%M}")["since"].tolist()
    assert told == ["12:00", "12:00 or before"]


def test_only_streams_with_trouble_are_told_in_words() -> None:
    table = troubled_streams([stream("a", "live"), stream("c", "silent"), stream("b", "new state")])
    assert table[["place", "state"]].to_numpy().tolist() == [["B", "new state"], ["C", "No counts"]]
    assert "feed" not in table


def test_place_is_called_by_its_names_as_far_as_they_are_known() -> None:
    sites, zones = {"s": "Shop"}, {"s": {"h": "Hall"}}
    assert place_name("s", (), sites, zones) == "Shop"
    assert place_name("s", ("h", "gone"), sites, zones) == "Shop, Hall, gone"
    assert place_name("gone", ("h",), sites, zones) == "gone, h"


def test_errors_come_newest_first() -> None:
    rows = [ErrorRow(NOON + timedelta(minutes=n), "sites", "X", f"{n}", "") for n in (1, 3, 2)]
    assert errors_table(rows)["message"].tolist() == ["3", "2", "1"]
