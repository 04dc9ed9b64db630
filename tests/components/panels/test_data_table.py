"""Each table that scrolls has a twin on paper, written as the page writes."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import streamlit as st
from pandas.io.formats.style import Styler

from components.number_format import NO_VALUE, formats_of
from components.panels import data_table

ROOT = Path(__file__).resolve().parents[2]


def calls(file: Path) -> list[str]:
    return [
        ast.unparse(node.func) for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)
    ]


@pytest.mark.parametrize("file", [*ROOT.glob("components/**/*.py"), *ROOT.glob("pages/*.py")], ids=str)
def test_each_table_that_scrolls_has_a_twin_on_paper(file: Path) -> None:
    found = calls(file)
    assert found.count("st.dataframe") == found.count("table_on_paper")


def test_numbers_times_and_what_is_missing_are_written_as_on_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: dict[str, object] = {}

    def paper(headings: list[str], rows: list[list[str]], *, note: str, key: str) -> None:
        told.update(headings=headings, rows=rows, note=note, key=key)

    monkeypatch.setattr(data_table, "paper_table", paper)
    monkeypatch.setattr(data_table, "viewer_formats", lambda: formats_of("de-CH"))
    start = pd.Timestamp("2026-11-21T12:00", tz="Europe/Zurich")
    table = pd.DataFrame(
        {"since": [start, pd.NaT], "inside": pd.array([12345, None], dtype="Int64"), "mean": [1.256, None]}
    )
    table = pd.concat([table] * data_table.MOST_ROWS)
    data_table.table_on_paper(
        table, "one", headings={"since": "Since"}, write=lambda moment: f"{moment:%H:%M}"
    )
    assert told["headings"] == ["Since", "inside", "mean"]
    rows = told["rows"]
    assert isinstance(rows, list)
    assert rows[:2] == [["12:00", "12'345", "1.26"], [NO_VALUE] * 3]
    assert len(rows) == data_table.MOST_ROWS
    assert told["note"] == "And 500 more rows."


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[pd.DataFrame | Styler]:
    """What is handed to Streamlit, read in Switzerland."""
    found: list[pd.DataFrame | Styler] = []
    monkeypatch.setattr(data_table, "paper_table", lambda *_, **__: None)
    monkeypatch.setattr(data_table, "viewer_formats", lambda: formats_of("de-CH"))
    monkeypatch.setattr("streamlit.dataframe", lambda table, **_: found.append(table))
    return found


def test_what_rounds_to_less_than_nothing_is_nothing(shown: list[pd.DataFrame | Styler]) -> None:
    data_table.number_table(pd.DataFrame({"Zone": ["Hall", "Café"], "Difference": [-0.04, None]}), "one")
    (table,) = shown
    assert isinstance(table, pd.DataFrame)
    assert str(table["Difference"].iloc[0]) == "0.0"
    assert pd.isna(table["Difference"].iloc[1])


def test_numbers_beside_times_are_grouped_as_all_others_are(shown: list[pd.DataFrame | Styler]) -> None:
    start = pd.Timestamp("2026-11-21T12:00", tz="Europe/Zurich")
    hours = pd.DataFrame({"Hour": [start, start], "Came in": [1234.0, None], "Compared": ["all", "all"]})
    data_table.timed_table(hours, "one", {}, ["Hour"], lambda moment: f"{moment:%H:%M}")
    (table,) = shown
    assert isinstance(table, Styler)
    written = table.to_html()
    assert "1'234</td>" in written.replace("&#x27;", "'").replace("&#39;", "'")
    assert f"{NO_VALUE}</td>" in written
    assert "12:00</td>" in written


@pytest.mark.parametrize(
    ("text", "pixels"), [("works until Sat 28 Nov, 07:38", 194), ("", 90), ("x" * 999, 480)]
)
def test_a_column_that_is_to_be_seen_whole_is_as_wide_as_its_longest_text(
    monkeypatch: pytest.MonkeyPatch, text: str, pixels: int
) -> None:
    """Whichever row that is in: Streamlit looks at the first ones."""
    told: dict[str, Any] = {}
    monkeypatch.setattr(data_table, "paper_table", lambda *_, **__: None)
    monkeypatch.setattr(data_table, "viewer_formats", lambda: formats_of("en-GB"))
    monkeypatch.setattr(st, "dataframe", lambda _, **options: told.update(options))
    table = pd.DataFrame({"State": ["works"] * 30 + [text]})
    data_table.timed_table(table, "keys", {}, [], str, whole=["State"])
    assert told["column_config"]["State"]["width"] == pixels
