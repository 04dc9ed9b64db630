from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.analysis import Counted, text_of

ZURICH = ZoneInfo("Europe/Zurich")


def chart_of(test: AppTest) -> dict[str, list[object]]:
    """Trace names of the chart, and how many points each has."""
    (element,) = test.get("plotly_chart")
    figure = json.loads(element.proto.spec)
    return {trace["name"]: trace for trace in figure["data"]}


def table_of(test: AppTest) -> list[str]:
    return list(test.dataframe[0].value.columns)


def request_of(test: AppTest, place: int = 0) -> dict[str, object]:
    return [body for body in shown_json(test) if "siteId" in body][place]


def shown_json(test: AppTest) -> list[dict[str, object]]:
    return [json.loads(code.value) for code in test.code if code.value.startswith("{")]


def test_a_site_opens_with_the_last_day_of_the_whole_site(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop")
    said = text_of(test)
    assert "Fullest on" in said
    assert "came in, most on" in said
    assert "Times are local to Europe/Zurich." in said
    assert request_of(test)["timezone"] == "Europe/Zurich"
    assert "granularity" not in request_of(test)
    assert set(chart_of(test)) >= {"Corner shop", "no data"}


def test_what_was_not_counted_is_said_and_hatched(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", range="24h", granularity="hour")
    assert "of 24 hours present" in text_of(test)
    assert "Hatched: no counts are stored." in text_of(test)
    assert "no data" in chart_of(test)


def test_several_zones_are_lines_of_their_own_with_a_request_each(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", zone=["cafe", "hall"], metric=["visitorsInside"])
    assert table_of(test) == ["Café: People inside", "Hall: People inside"]
    assert {"Café", "Hall"} <= set(chart_of(test))
    assert [request_of(test, place)["filter"] for place in (0, 1)] == [
        {"zoneIds": ["cafe"]},
        {"zoneIds": ["hall"]},
    ]


def test_a_passage_has_flows(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", passage="entrance", metric=["entrances"], range="1h")
    assert table_of(test) == ["Entrances"]
    assert request_of(test)["filter"] == {"passageIds": ["entrance"]}


def test_people_inside_of_a_passage_are_explained(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", passage="entrance", metric=["visitorsInside"])
    assert "Passages count who comes and goes." in text_of(test)


def test_without_a_metric_the_page_says_what_is_missing(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop")
    test.multiselect(key="choose-several-metric").set_value([]).run()
    assert "Choose at least one metric to show." in text_of(test)


def test_an_empty_range_says_why_it_is_empty(counted: Counted) -> None:
    test = counted.page(
        "history",
        site="corner-shop",
        range="dates",
        **{"from": "2025-01-01T00:00", "to": "2025-01-02T00:00"},
    )
    assert "No counts are stored between 1 Jan 2025, 00:00 and 2 Jan 2025, 00:00 (Europe/Zurich)." in text_of(
        test
    )
    assert test.get("plotly_chart") == []


def test_dates_that_are_not_chosen_are_asked_for(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", range="dates")
    assert "Choose from when to when, local to Europe/Zurich." in text_of(test)


def test_minutes_are_offered_for_a_day_and_explained_for_more(counted: Counted) -> None:
    day = counted.page("history", site="corner-shop", range="24h")
    week = counted.page("history", site="corner-shop", range="7d")
    assert "By minute" in day.selectbox(key="choose-granularity").options
    assert "By minute" not in week.selectbox(key="choose-granularity").options
    assert "By minute: only for a range of up to a day." in text_of(week)


def test_a_link_to_minutes_of_a_week_falls_back_to_what_is_allowed(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", range="7d", granularity="minute")
    assert test.selectbox(key="choose-granularity").value == "auto"
    assert test.query_params["granularity"] == "auto"


def test_the_choices_stand_in_the_url(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop")
    test.selectbox(key="choose-range").set_value("7d").run()
    test.multiselect(key="choose-several-zone").set_value(["hall", "cafe"]).run()
    test.selectbox(key="choose-compare").set_value("weekday").run()
    assert not test.exception
    assert test.query_params["range"] == "7d"
    assert test.query_params["zone"] == ["hall", "cafe"]
    assert test.query_params["compare"] == "weekday"


def test_a_link_restores_every_choice(counted: Counted) -> None:
    test = counted.page(
        "history",
        site="corner-shop",
        range="7d",
        metric=["entrances", "timeSpent"],
        zone=["cafe"],
        compare="period",
        granularity="day",
        aggregation="maximum",
        timezone="Asia/Kathmandu",
    )
    body = request_of(test)
    assert body["metrics"] == ["entrances", "timeSpent"]
    assert body["granularity"] == "day"
    assert body["aggregation"] == "maximum"
    assert body["timezone"] == "Asia/Kathmandu"
    assert test.selectbox(key="choose-compare").value == "period"
    assert "Times are local to Asia/Kathmandu." in text_of(test)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("range", "for ever"),
        ("metric", "AFFLUENCE_IN"),
        ("zone", "gone"),
        ("granularity", "fortnight"),
        ("timezone", "Mars/Olympus"),
        ("compare", "?"),
        ("from", "yesterday"),
    ],
)
def test_a_link_that_makes_no_sense_shows_the_usual(counted: Counted, parameter: str, value: str) -> None:
    test = counted.page("history", site="corner-shop", **{parameter: value})
    assert test.get("plotly_chart")


def test_only_the_elapsed_part_is_compared(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", range="24h", metric=["entrances"], compare="period")
    assert "Thin line: the earlier period." in text_of(test)
    assert "Corner shop, before" in chart_of(test)
    assert "that both have" in text_of(test)


def test_the_command_has_the_request_and_not_the_key(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop")
    (command,) = [code.value for code in test.code if code.value.startswith("curl")]
    assert "$HEADROOM_API_KEY" in command
    assert counted.site.read_key not in command
    assert f"{counted.service.base_url}/v3/metrics" in command


def test_what_the_service_inferred_is_shown(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", range="24h")
    inferred = next(one for one in shown_json(test) if "siteId" not in one)
    assert inferred["granularity"] == "hour"
    assert inferred["filter"] == {"zoneIds": ["shop"]}


def test_the_sums_are_those_of_the_service(counted: Counted) -> None:
    """Three a minute came in, but for the hour that was not counted."""
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    ends = (now - timedelta(hours=10), now - timedelta(hours=2))
    first, last = (end.astimezone(ZURICH).replace(tzinfo=None) for end in ends)
    test = counted.page(
        "history",
        site="corner-shop",
        range="dates",
        metric=["entrances"],
        granularity="hour",
        **{"from": first.isoformat(timespec="minutes"), "to": last.isoformat(timespec="minutes")},
    )
    hours = test.dataframe[0].value["Entrances"]
    assert hours.dropna().tolist() == [180.0] * 7
    assert len(hours) == 8
    assert "1,260 came in" in text_of(test)


def test_a_site_that_does_not_answer_fails_with_its_reason_and_a_retry(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", "revoked")
    test = counted.page("history", site="corner-shop")
    assert "The history cannot be shown." in text_of(test)
    assert [button.label for button in test.button] == ["Try again"]


def test_outer_and_inner_passages_are_never_added_up(counted: Counted) -> None:
    """A person who came in and went on into the café passed both: each passage has a sum of its own alone."""
    passages = ["entrance", "archway"]
    test = counted.page("history", site="corner-shop", passage=passages, metric=["entrances"], range="1h")
    assert table_of(test) == ["Entrance: Entrances", "Archway: Entrances"]
    told = [line for line in text_of(test).splitlines() if "came in" in line]
    assert [line.split(":")[0] for line in told] == ["**Entrance", "**Archway"]
    assert [request["filter"] for request in shown_json(test) if "siteId" in request] == [
        {"passageIds": [passage]} for passage in passages
    ]


def test_the_whole_site_counts_who_comes_from_outside(counted: Counted) -> None:
    """Three a minute come in at the door, and two of them pass the archway: three came in."""
    test = counted.page("history", site="corner-shop", metric=["entrances"], range="1h")
    column = test.dataframe[0].value.iloc[:, 0].dropna()
    assert set(column) == {3}
