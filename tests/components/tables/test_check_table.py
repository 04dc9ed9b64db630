from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from analysis.door_check import DoorCheck
from components.number_format import Formats
from components.tables.check_table import check_file, check_table
from components.tables.downloads import to_csv

ZURICH = ZoneInfo("Europe/Zurich")
FORMATS = Formats(now=datetime(2026, 11, 23, 12, tzinfo=UTC))
GOOD = DoorCheck(
    passage_id="entrance",
    start=datetime(2026, 11, 12, 13, 0, tzinfo=UTC),
    stood=timedelta(minutes=3),
    hand=((21, 25), (21, 25), (5, 5)),
    counted=((20, 25), (20, 25), None),
)
NONE = GOOD.model_copy(update={"counted": (None, None, None)})


def test_a_check_has_both_counts_of_the_minutes_that_both_have() -> None:
    table = check_table([GOOD, NONE], ZURICH, FORMATS)
    assert table["Minutes"].tolist() == [2, 3]
    assert table["In by hand"].tolist() == [42, 47]
    assert table["In by counter"].tolist()[0] == 40
    assert table[["In by counter", "Out by counter"]].isna().all(axis=1).tolist() == [False, True]
    assert table["Accuracy and plausible range"].tolist()[1] == "nothing told"
    assert table["Began"][0].isoformat() == "2026-11-12T14:00:00+01:00"


def test_its_file_has_the_range_as_numbers_and_nothing_where_none_is_known() -> None:
    lines = to_csv(check_file([GOOD, NONE], ZURICH)).decode().splitlines()
    assert lines[0] == (
        "Began,Minutes,In by hand,In by counter,Out by hand,Out by counter,"
        '"In counted, %","In from, %","In to, %","Out counted, %","Out from, %","Out to, %",'
        "In and out exchanged"
    )
    assert lines[1] == "2026-11-12T14:00:00+01:00,2,42,40,50,50,95.2,84.2,98.7,100,92.9,107.7,no"
    assert lines[2] == "2026-11-12T14:00:00+01:00,3,47,,55,,,,,,,,no"
