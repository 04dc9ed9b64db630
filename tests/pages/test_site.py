from __future__ import annotations

import json

import pytest

from tests.pages.analysis import Counted, text_of


def test_a_site_says_what_it_is(counted: Counted) -> None:
    said = text_of(counted.page("site", site="corner-shop"))
    for fact in ("Corner shop", "**shop**", "Langstrasse 1, 8004 Zürich, Switzerland", "corner", "1931"):
        assert fact in said
    assert "(Europe/Zurich)" in said


def test_what_is_not_told_is_said_so(counted: Counted) -> None:
    test = counted.page("site", site="corner-shop")
    values = [markdown.value for markdown in test.markdown]
    assert "not told" in values


def test_the_graph_has_the_zones_and_not_the_top_zone_that_encloses_them(counted: Counted) -> None:
    (graph,) = counted.page("site", site="corner-shop").get("plotly_chart")
    (zones,) = json.loads(graph.proto.spec)["data"]
    assert zones["customdata"] == ["hall", "cafe"]


def test_the_zones_have_their_present_count(counted: Counted) -> None:
    test = counted.page("site", site="corner-shop")
    zones = test.dataframe[0].value.set_index("Zone")
    assert set(zones.index) == {"Shop", "Hall", "Café"}
    assert zones["Inside"]["Shop"] > 0
    assert zones["Inside"]["Café"] == 0
    assert zones["Measured"].notna().all()


def test_devices_with_problems_are_announced_and_come_first(counted: Counted) -> None:
    test = counted.page("site", site="corner-shop")
    assert [warning.value.replace("\\", "") for warning in test.warning] == ["1 of 3 devices are not online."]
    assert test.dataframe[2].value["Device"].tolist()[0] == "Pad 2"


def test_passages_say_where_they_lead(counted: Counted) -> None:
    table = counted.page("site", site="corner-shop").dataframe[1].value
    assert table["From"].tolist() == ["Outside", "Hall", "Café"]


def test_the_thresholds_of_the_link_colour_the_zones(counted: Counted) -> None:
    test = counted.page("site", site="corner-shop", thresholds=["5", "10"])
    assert "Full: from 10 %" in text_of(test)


def test_a_refused_key_is_named(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", "revoked")
    test = counted.page("site", site="corner-shop")
    assert "The site cannot be shown." in text_of(test)
    assert "does not accept the API key" in text_of(test)
