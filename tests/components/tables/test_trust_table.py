from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pandas as pd

from analysis.bucket_table import Completeness
from analysis.consistency import Consistency
from analysis.door_blame import Turned
from analysis.reconciliation import ReconciledHour
from analysis.subject import Subject, SubjectKind
from analysis.told_resets import ToldDay
from components.number_format import Formats
from components.tables.trust_table import agreement_table, day_table, door_table, hour_table
from contract import MetricKey
from tests.components.trusted import ARCH, FRONT, day, trusted, zone

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
FORMATS = Formats(now=NOON)
GOOD = day(1000, 1000)


def test_doors_stand_in_the_order_of_suspicion_and_one_without_counts_has_no_numbers() -> None:
    ranked = [Turned(FRONT, 500, 530, 400, 100, 200), Turned(ARCH, 0, 0, 0, 0, 0)]
    passages = {FRONT: Completeness(160, 168), ARCH: Completeness(0, 168)}
    table = door_table(trusted(ranked=ranked, passages=passages), FORMATS, {})
    assert "Checked by hand" not in table
    assert table["Door"].tolist() == ["Front door", "Archway"]
    assert table["Explained if exchanged, %"][0] == 75
    assert table["If it misses one way, %"][0] == 50
    assert table["Counted both ways"].tolist() == ["160 of 168 hours", "0 of 168 hours"]
    assert table.loc[1, ["Came in", "Went out", "More in than out, % of all"]].isna().all()


def test_what_the_last_check_of_a_door_found_stands_beside_it_and_that_another_has_none() -> None:
    ranked = [Turned(FRONT, 500, 530, 400, 100, 200), Turned(ARCH, 0, 0, 0, 0, 0)]
    passages = {FRONT: Completeness(160, 168), ARCH: Completeness(0, 168)}
    checked = {FRONT.passage_id: "Thu 12 Nov: in 95 %"}
    table = door_table(trusted(ranked=ranked, passages=passages), FORMATS, checked)
    assert table["Checked by hand"].tolist() == ["Thu 12 Nov: in 95 %", "never"]


def test_a_day_that_is_not_whole_leaves_nothing() -> None:
    days = [day(1000, 900), day(500, 480, counted=Completeness(700, 1440))]
    table = day_table(trusted(zone("Shop", days)), FORMATS)
    assert table["Came minus went"].tolist()[0] == 100
    assert pd.isna(table["Came minus went"][1])
    assert table["Number inside"].tolist() == ["cannot be trusted", "not counted whole"]
    assert table["Counted"].tolist() == ["all 1,440 minutes", "700 of 1,440 minutes"]


def test_a_number_inside_or_a_way_that_is_not_told_has_no_verdict_and_no_zero() -> None:
    none_inside = zone("Shop", [day(1000, 1000)._replace(has_inside=False)])
    one_way = day(1000, 0)._replace(is_whole=False, lacks=MetricKey.EXITS)
    hall = replace(zone("Hall", [one_way]), lacks=MetricKey.EXITS)
    table = day_table(trusted(none_inside, hall), FORMATS)
    assert table["Number inside"].tolist() == ["not told", "not counted whole"]
    assert table["Came in"].tolist() == [1000, 1000]
    assert table["Went out"].isna().tolist() == [False, True]


def test_what_the_service_tells_of_its_resets_has_columns_only_where_it_does() -> None:
    part = day(500, 480, counted=Completeness(700, 1440))
    site = zone("Shop", [day(1000, 993), part, GOOD])
    resets = {site.days[0].date: ToldDay(NOON, 17, 12), site.days[1].date: ToldDay(NOON, 0, 0)}
    silent, telling = trusted(site, zone("Hall", [GOOD])), replace(site, told=resets)
    columns = ["Still inside at the reset", "Went out with 0 inside", "Differs from came minus went"]
    assert not set(columns) & set(day_table(silent, FORMATS).columns)
    table = day_table(trusted(telling, zone("Hall", [GOOD])), FORMATS)
    left_over, unentered, apart = (table[name] for name in columns)
    assert left_over.fillna(-1).tolist() == [17, 0, -1, -1]
    assert unentered.fillna(-1).tolist() == [12, 0, -1, -1]
    assert apart.fillna(-1000).tolist() == [-2, -1000, -1000, -1000]


def test_hours_have_what_the_doors_do_not_explain() -> None:
    start = datetime(2026, 11, 17, 13, tzinfo=UTC)
    hall = Subject(SubjectKind.ZONE, "hall", "Hall")
    table = hour_table({hall: [ReconciledHour(start, 5, 9, 0, 4, 0, Completeness(57, 60))]}, FORMATS)
    (row,) = table.to_dict("records")
    assert (row["Not explained"], row["Compared"]) == (4, "57 of 60 minutes")
    assert hour_table({}, FORMATS).empty


def test_agreement_has_a_row_where_it_is_known() -> None:
    answer = trusted(zone("Shop", [day(10, 10)], Consistency(12, 10, 48)), zone("Hall", [day(10, 10)]))
    table = agreement_table(answer)
    assert table["Zone"].tolist() == ["Shop"]
    assert table["Difference, %"][0] == 20


def test_what_two_sums_differ_by_is_not_how_a_computer_adds() -> None:
    inside = 0.1 + 0.2
    table = agreement_table(trusted(zone("Shop", [day(10, 10)], Consistency(inside, 0.3, 48))))
    assert inside != 0.3
    assert str(table["Difference, %"].iloc[0]) == "0.0"
