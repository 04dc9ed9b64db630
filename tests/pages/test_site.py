from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours, OtherDay
from runtime import get_signer
from runtime.site_knowledge import keep_opening_hours
from tests.pages.analysis import Counted, text_of
from tests.shown_gauges import door_rows, order_of, site_data


def test_a_site_says_what_it_is(counted: Counted) -> None:
    test = counted.page("site", site="corner-shop")
    said = text_of(test)
    whole = site_data(test)["items"][0]
    assert (whole["title"], whole["whole_title"]) == ("Whole site", "Corner shop")
    for fact in ("shop", "Langstrasse 1, 8004 Zürich, Switzerland", "corner", "1931"):
        assert fact in said
    assert "Zurich time" in said


def test_what_is_not_told_is_said_so(counted: Counted) -> None:
    test = counted.page("site", site="corner-shop")
    values = [markdown.value for markdown in test.markdown]
    assert "unknown" in values


def test_when_a_site_is_open_is_told(counted: Counted) -> None:
    untold = "Nobody has said yet when this site is open, and the service does not tell."
    assert untold in text_of(counted.page("site", site="corner-shop"))
    keep_opening_hours("corner-shop", OpeningHours(week=(spans_of_text("0-24"),) * 7))
    assert "Open day and night. Mon to Sun 00:00–24:00." in text_of(counted.page("site", site="corner-shop"))
    keep_opening_hours("corner-shop", None)


def test_the_editor_has_what_is_kept_and_the_country_of_the_site(counted: Counted) -> None:
    other = OtherDay(day=date(2026, 12, 24), spans=spans_of_text("9-16"), name="Christmas Eve")
    hours = OpeningHours(week=(spans_of_text("9-12, 13-18"),) * 7, others=(other,), country="CH", part="ZH")
    fresh = counted.as_it_opens("site", ("folded-edit_calendar",), site="corner-shop")
    keep_opening_hours("corner-shop", hours)
    test = counted.as_it_opens("site", ("folded-edit_calendar",), site="corner-shop")
    keep_opening_hours("corner-shop", None)
    assert [fresh.text_input[0].value, test.text_input[0].value] == ["", "09:00–12:00, 13:00–18:00"]
    countries = [page.selectbox(key="hours-country-corner-shop").value for page in (fresh, test)]
    assert countries == ["CH", "CH"]
    assert test.selectbox(key="hours-part-corner-shop-CH").value == "ZH"


def test_the_graph_has_the_zones_and_not_the_top_zone_that_encloses_them(counted: Counted) -> None:
    graph = site_data(counted.page("site", site="corner-shop"))["graph"]
    assert [zone["title"] for zone in graph["zones"]] == ["Hall", "Café"]
    assert [way["name"] for way in graph["ways"]] == ["Entrance", "Archway", "Terrace door"]
    assert graph["drawings"]


def test_the_floor_plan_stands_below_both_rankings(counted: Counted) -> None:
    order = order_of(counted.page("site", site="corner-shop"))
    drawing, doors = order.index("headroom_live_site"), order.index("headroom_door_ranking")
    assert drawing < doors < order.index("Floor plan")


def test_all_zones_are_pushed_over_one_connection_and_none_is_read_by_the_page(counted: Counted) -> None:
    test = counted.page("site", site="corner-shop")
    data = site_data(test)
    assert [item["feed"] for item in data["items"]] == [
        "corner-shop", "corner-shop", "corner-shop/hall", "corner-shop/cafe"
    ]  # fmt: skip
    granted = get_signer().read(data["token"]).feeds
    assert [feed.key.name for feed in granted] == ["corner-shop", "corner-shop/hall", "corner-shop/cafe"]
    assert len(test.get("plotly_chart")) == 0


def test_who_crosses_the_passages_is_pushed_over_the_same_connection(counted: Counted) -> None:
    data = site_data(counted.page("site", site="corner-shop"))
    (granted,) = get_signer().read(data["token"]).passages
    assert data["graph"]["crossings"] == granted.key.name == "corner-shop//passages"
    assert [way["passages"] for way in data["graph"]["ways"]] == [["entrance"], ["archway"], ["terrace"]]


def test_zones_are_ranked_without_the_one_that_encloses_them(counted: Counted) -> None:
    ranked = site_data(counted.page("site", site="corner-shop"))["ranked"]
    assert [item["title"] for item in ranked] == ["Hall", "Café"]


def test_doors_are_ranked_by_who_came_in_whichever_way_they_were_drawn(counted: Counted) -> None:
    """The terrace door leads from the café to the outside: its forward counts are people who left."""
    rows = {row["title"]: row for row in door_rows(counted.page("site", site="corner-shop"))}
    assert set(rows) == {"Entrance", "Terrace door"}
    if datetime.now(ZoneInfo("Europe/Zurich")).hour:
        assert rows["Entrance"]["count"] > 0
        assert rows["Terrace door"]["count"] == 0
    else:  # nothing was counted since the hour began
        assert {row["note"] for row in rows.values()} == {"no count of today yet"}


def test_devices_with_problems_are_announced_and_come_first(counted: Counted) -> None:
    test = counted.page("site", site="corner-shop")
    assert [warning.value.replace("\\", "") for warning in test.warning] == ["1 of 3 devices is not online."]
    assert test.dataframe[1].value["Device"].tolist()[0] == "Pad 2"


def test_passages_say_where_they_lead(counted: Counted) -> None:
    table = counted.page("site", site="corner-shop").dataframe[0].value
    assert table["From"].tolist() == ["Outside", "Hall", "Café"]


def test_zones_are_compared_per_area_one_press_away(counted: Counted) -> None:
    links = [one.proto for one in counted.page("site", site="corner-shop").get("page_link")]
    (link,) = [one for one in links if "per 100 m²" in one.label]
    assert sorted(link.query_string.split("&")) == ["of=zones", "per=area", "site=corner-shop"]


def test_the_thresholds_of_the_link_colour_the_zones(counted: Counted) -> None:
    test = counted.page("site", site="corner-shop", thresholds=["5", "10"])
    assert site_data(test)["thresholds"] == {"filling": 5, "full": 10}


def test_a_refused_key_is_named(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", "revoked")
    test = counted.page("site", site="corner-shop")
    assert "The site cannot be shown." in text_of(test)
    assert "does not accept this dashboard's key" in text_of(test)
