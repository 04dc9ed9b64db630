"""The page Audit before a real service: who changed what, found, paged and saved."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pandas as pd
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from components.tables.change_table import TEXTS, change_table
from components.tables.downloads import to_csv
from runtime.changes import ChangesAsked, read_all_changes
from tests.administered import Administered
from tests.eventually import PATIENCE
from tests.pages.administration import opened_page, said

pytestmark = pytest.mark.usefixtures("administering")


def rename(managed: Administered, name: str, person: str = "Ana") -> None:
    headers = {"x-api-key": managed.admin_key, "x-acting-for": person}
    address = f"{managed.service.base_url}/admin/organization"
    httpx.put(address, json={"name": name}, headers=headers, timeout=PATIENCE).raise_for_status()


def rows(test: AppTest) -> list[dict[Any, Any]]:
    assert not test.exception
    return [dict(row) for row in test.dataframe[0].value.to_dict("records")]


def test_a_change_stands_there_with_who_made_it_and_what_it_was(managed: Administered) -> None:
    rename(managed, "[Shops](x)")
    test = opened_page("audit")
    newest = rows(test)[0]
    assert newest["Who"] == "Ana, with the key administrates"
    assert newest["What"] == "Organization renamed"
    assert newest["Before"] == "Name: Corner shops"
    assert newest["After"] == "Name: [Shops](x)"
    assert "Times are Zurich time." in said(test)


def test_a_key_stands_there_by_its_name_and_its_fields_in_the_words_of_pages(managed: Administered) -> None:
    headers = {"x-api-key": managed.admin_key}
    address = f"{managed.service.base_url}/admin/keys"
    body = {"name": "Door of the bar", "scope": "ingest"}
    httpx.post(address, json=body, headers=headers, timeout=PATIENCE).raise_for_status()
    newest = rows(opened_page("audit"))[0]
    assert (newest["What"], newest["Of"]) == ("Key made", "Door of the bar")
    assert newest["After"] == "Name: Door of the bar; Scope: ingest; Opens until: no end; Sites: all"


def test_times_are_written_as_the_page_writes_them_and_whole_in_the_file(managed: Administered) -> None:
    headers = {"x-api-key": managed.admin_key}
    address = f"{managed.service.base_url}/admin/keys"
    body = {"name": "Guest", "scope": "ingest", "expiresAt": "2124-07-01T10:30:00+00:00"}
    httpx.post(address, json=body, headers=headers, timeout=PATIENCE).raise_for_status()
    assert "Opens until: Sat, 1 Jul 2124, 12:30;" in rows(opened_page("audit"))[0]["After"]
    table = change_table(read_all_changes(ChangesAsked()), {}, ZoneInfo("Europe/Zurich"), formats=None)
    read = pd.read_csv(BytesIO(to_csv(table, TEXTS)))
    assert "Opens until: 2124-07-01T12:30:00+02:00;" in read["After"][0], "as its column When"
    made = read["After"][read["What"] == "Site created"]
    assert made.str.contains("Added: 2025-01-02T04:04:05+01:00; ", regex=False).all()
    assert read["When"].str.fullmatch(r"[-0-9]{10}T[:0-9]{8}\+0[12]:00").all()


def test_a_long_cell_shows_that_there_is_more_and_has_it_where_it_is_opened(managed: Administered) -> None:
    named = " ".join(f"shop {number}" for number in range(24))
    rename(managed, named)
    rename(managed, "Short")
    test = opened_page("audit")
    assert rows(test)[0]["Before"] == f"Name: {named}"
    for table, longest in zip(test.dataframe, (110, 36), strict=True):
        written = pa.ipc.open_stream(table.proto.arrow_data.styler.display_values).read_pandas()
        cut = written.iloc[0, list(rows(test)[0]).index("Before")]
        assert cut.endswith("…")
        assert f"Name: {named}".startswith(cut.removesuffix("…"))
        assert len(cut) <= longest
        assert written.iloc[0, list(rows(test)[0]).index("After")] == "Name: Short"
    assert "Where a cell ends with …" in said(test)


def test_changes_are_found_by_what_and_by_whom(managed: Administered) -> None:
    rename(managed, "Bens", "Ben")
    test = opened_page("audit")
    test.text_input(key="changes-person").set_value("ben").run()
    assert [one["After"] for one in rows(test)] == ["Name: Bens"]
    test.selectbox(key="changes-kind").set_value("level").run()
    assert "Nothing of that was changed." in said(test)
    test.text_input(key="changes-person").set_value("").run()
    test.selectbox(key="changes-kind").set_value("").run()
    test.selectbox(key="changes-site").set_value("corner-shop").run()
    assert {one["What"] for one in rows(test)} == {"Site created"}


def test_older_changes_are_a_page_further(managed: Administered) -> None:
    for number in range(55):
        rename(managed, f"Name {number}", "Carl")
    test = opened_page("audit")
    test.text_input(key="changes-person").set_value("Carl").run()
    assert len(rows(test)) == 50
    test.button(key="older-changes").click().run()
    assert [one["After"] for one in rows(test)] == [f"Name: Name {number}" for number in (4, 3, 2, 1, 0)]
    assert test.button(key="older-changes").disabled
    test.button(key="newer-changes").click().run()
    assert rows(test)[0]["After"] == "Name: Name 54"


def test_nothing_is_older_than_a_page_that_is_full_and_has_all(managed: Administered) -> None:
    for number in range(50):
        rename(managed, f"Name {number}", "Emma")
    test = opened_page("audit")
    test.text_input(key="changes-person").set_value("Emma").run()
    assert len(rows(test)) == 50
    assert test.button(key="older-changes").disabled


def test_the_file_has_all_of_them_and_no_formula(managed: Administered) -> None:
    rename(managed, "=1+1", "Dora")
    table = change_table(read_all_changes(ChangesAsked()), {}, ZoneInfo("Europe/Zurich"), formats=None)
    read = pd.read_csv(BytesIO(to_csv(table, TEXTS)))
    assert len(read) > 50
    assert read["After"][0] == "Name: =1+1"
    assert read["When"][0].endswith(("+01:00", "+02:00"))


def test_who_may_not_administer_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.administration.is_on_this_machine", lambda *_: False)
    test = opened_page("audit")
    assert "has no login" in said(test)
    assert not test.dataframe
