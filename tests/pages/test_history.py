from __future__ import annotations

import json
import re
from contextlib import closing
from datetime import UTC, datetime, time, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from analysis.hours_text import spans_of_text
from analysis.notes import Note
from analysis.opening_hours import OpeningHours, OtherDay
from contract.minutes import minute_number
from runtime.site_knowledge import forget_note, keep_note, keep_opening_hours, read_notes
from service.open_store import open_store, store_url
from service.store.audit_protocol import Author
from service.store.level_protocol import ZoneLevel
from tests.pages.analysis import SILENT, Counted, picture_words, text_of
from tests.scripted_service import ScriptedService, scripted_service
from tests.written_days import ANY_DAY, written_day
from tests.zone_at_noon import zone_at_noon

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


def test_what_is_folded_is_not_made_before_it_is_opened(counted: Counted) -> None:
    test = counted.as_it_opens("history", site="corner-shop")
    assert [part.label for part in test.expander][1:7] == [
        "Notes",
        "Zones and doors by entrances",
        "Doors by hour",
        "Ways through the zones",
        "Report of a day",
        "Copy link",
    ]
    assert [part.label for part in test.expander][-2:] == ["Table and files", "The request behind this chart"]
    assert [len(drawn) for drawn in (test.dataframe, test.code, test.get("download_button"))] == [0, 0, 0]
    assert "came in" in text_of(test)


def test_a_site_opens_with_the_last_day_of_the_whole_site(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop")
    said = text_of(test)
    # Each minute one more comes than leaves, and at the daily reset all of them are forgotten.
    assert re.search(
        r"The highest number inside, [\d,]+ on .+, cannot be trusted: [\d,]+ people were still", said
    )
    assert re.search(r"came in, ((at )?most|all)", said)
    assert "All times are Zurich time." in said
    assert request_of(test)["timezone"] == "Europe/Zurich"
    assert "granularity" not in request_of(test)
    assert set(chart_of(test)) >= {"Corner shop", "no data"}


def test_closed_time_is_shaded_where_somebody_has_said_when_it_is_open(counted: Counted) -> None:
    assert "closed" not in chart_of(counted.as_it_opens("history", site="corner-shop"))
    keep_opening_hours("corner-shop", OpeningHours(week=((),) * 7))
    test = counted.as_it_opens("history", site="corner-shop")
    keep_opening_hours("corner-shop", None)
    assert "Shaded: closed." in text_of(test)
    assert "closed" in chart_of(test)


def test_a_day_that_is_closed_is_named_with_its_name(counted: Counted) -> None:
    yesterday = datetime.now(ZURICH).date() - timedelta(days=1)
    other = OtherDay(day=yesterday, name="Stocktaking")
    keep_opening_hours("corner-shop", OpeningHours(week=(spans_of_text("0-24"),) * 7, others=(other,)))
    test = counted.as_it_opens("history", site="corner-shop")
    keep_opening_hours("corner-shop", None)
    assert f"Closed on {written_day(yesterday)} (Stocktaking)." in text_of(test)
    assert "Stocktaking" not in text_of(counted.as_it_opens("history", site="corner-shop"))


def test_notes_stand_on_the_chart_below_it_and_in_the_table(counted: Counted) -> None:
    today = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    keep_note("corner-shop", Note(at=today - timedelta(hours=8), text="=SUM(1) *sale* begins"))
    keep_note("corner-shop", Note(at=today - timedelta(days=9), text="long ago"))
    test = counted.as_it_opens("history", ("folded-table", "folded-sticky_note_2"), site="corner-shop")
    names = list(read_notes("corner-shop"))
    for name in names:
        forget_note("corner-shop", name)
    said = text_of(test)
    assert "Notes, as numbered on the chart:" in said
    assert "=SUM(1) *sale* begins" in said
    assert "long ago" not in said
    saved = picture_words(test, "history-chart")
    assert re.search(r"1 · .+: =SUM\(1\) \*sale\* begins\.", saved)
    assert "long ago" not in saved
    (notes,) = [column for column in table_of(test) if column == "Notes"]
    written = test.dataframe[0].value[notes]
    assert [text for text in written if text] == ["=SUM(1) *sale* begins"]
    assert len([one for one in test.button if one.label.startswith("Remove 1")]) == 1


def test_what_was_set_by_hand_is_numbered_after_the_notes_and_nobody_can_remove_it(counted: Counted) -> None:
    today = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    keep_note("corner-shop", Note(at=today - timedelta(hours=2), text="sale begins"))
    # Answers are remembered: no other test asks for these.
    in_utc = {"timezone": "Etc/UTC"}
    level = ZoneLevel("corner-shop", "cafe", minute_number(today - timedelta(hours=6)), 12)
    with closing(open_store(store_url(counted.site.data_dir))) as store:
        made = store.levels.correct(level, "we *counted*", Author("Desk", "key", "Maria"), today)
        test = counted.as_it_opens(
            "history",
            ("folded-table", "folded-sticky_note_2"),
            site="corner-shop",
            zone=["hall", "cafe"],
            metric="visitorsInside",
            **in_utc,
        )
        alone = counted.as_it_opens(
            "history", site="corner-shop", zone="cafe", metric="visitorsInside", **in_utc
        )
        store.levels.withdraw("corner-shop", made.number, made.made_by, today)
    for name in list(read_notes("corner-shop")):
        forget_note("corner-shop", name)
    said = text_of(test)
    assert "Notes, and people inside as set by hand, as numbered on the chart:" in said
    assert re.search(r"- 1 · .+: sale begins", said)
    assert re.search(r"- 2 · .+: Café set to 12 by hand: we .*counted", said)
    assert re.search(r"- 2 · .+[MAP\d]: set to 12 by hand", text_of(alone))
    assert [text for text in test.dataframe[0].value["Notes"] if text] == [
        "Café set to 12 by hand: we *counted*",
        "sale begins",
    ]
    (element,) = test.get("plotly_chart")
    figure = json.loads(element.proto.spec)
    numbered = {note["text"] for note in figure["layout"]["annotations"]} & {"1", "2"}
    assert numbered == {"1", "2"}
    assert [one.label for one in test.button if one.label.startswith("Remove 2")] == []


def test_an_empty_note_is_refused_and_one_is_kept_and_taken_away(counted: Counted) -> None:
    def opened() -> AppTest:
        return counted.as_it_opens("history", ("folded-sticky_note_2",), site="corner-shop", range="7d")

    test = opened()
    test.button(key="keep-note-corner-shop").click().run()
    assert [error.value for error in test.error] == ["Write what happened: an empty note says nothing."]
    yesterday = datetime.now(ZURICH) - timedelta(days=1)
    test.date_input(key="note-day-corner-shop").set_value(yesterday.date())
    test.text_input(key="note-text-corner-shop-0").set_value("sensor moved")
    test.button(key="keep-note-corner-shop").click().run()
    assert test.text_input(key="note-text-corner-shop-1").value == ""
    (kept,) = read_notes("corner-shop").values()
    assert (kept.text, kept.at.astimezone(ZURICH).date()) == ("sensor moved", yesterday.date())
    test = opened()
    (remove,) = [one for one in test.button if one.label.startswith("Remove 1")]
    remove.click().run()
    assert read_notes("corner-shop") == {}


@pytest.mark.parametrize("away", ["folded", "without_counts", "on_another_page"])
def test_a_note_that_is_being_written_stands_when_its_box_comes_back(counted: Counted, away: str) -> None:
    folded, box = "folded-sticky_note_2", "note-text-corner-shop-0"
    test = counted.as_it_opens("history", (folded,), site="corner-shop", range="24h")
    test.text_input(key=box).set_value("sale beg").run()
    if away == "folded":
        test.session_state[folded] = False
    elif away == "without_counts":
        test.query_params.update({"range": "dates", "from": "2001-01-01T00:00", "to": "2001-01-02T00:00"})
    else:
        test.switch_page("pages/connection.py")
    assert not any(one.key == box for one in test.run().text_input)
    test.session_state[folded] = True
    test.query_params.update({"range": "24h"})
    test.switch_page("pages/history.py").run()
    assert test.text_input(key=box).value == "sale beg"


@pytest.mark.parametrize("range_", ["yesterday", "24h"])
def test_a_note_kept_as_offered_is_of_the_range_and_said(counted: Counted, range_: str) -> None:
    folded = ("folded-sticky_note_2",)
    test = counted.as_it_opens("history", folded, site="corner-shop", range=range_, metric="entrances")
    test.text_input(key="note-text-corner-shop-0").set_value("sale begins")
    test.button(key="keep-note-corner-shop").click().run()
    (name,) = read_notes("corner-shop")
    forget_note("corner-shop", name)
    said = text_of(test)
    assert "Notes, as numbered on the chart:" in said
    assert "sale begins." in said.partition("Kept: ")[2]
    assert "another time" not in said


def test_the_answer_is_one_sentence_before_the_chart_and_its_account_stands_below(counted: Counted) -> None:
    test = counted.as_it_opens("history", site="corner-shop", metric="entrances", compare="period")
    kinds = [one.type for one in test.main if one.type in {"markdown", "plotly_chart"}]
    assert kinds[:3] == ["markdown", "plotly_chart", "markdown"]
    first, account = (one.value for one in test.markdown[:2])
    assert re.fullmatch(r"[\d,]+ came in[^.]*\.", first.replace("\\", ""))
    assert "Entrances: " in account.replace("\\", "")


def test_what_was_not_counted_is_said_and_hatched(counted: Counted) -> None:
    test = counted.as_it_opens("history", site="corner-shop", range="24h", granularity="hour")
    # The last hour that has begun is not counted, and at the other end of the day it is.
    assert re.search(r"\d+ of 2[45] hours have counts", text_of(test))
    assert "Hatched: no counts are stored." in text_of(test)
    assert "no data" in chart_of(test)


def test_several_zones_are_lines_of_their_own_with_a_request_each(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", zone=["cafe", "hall"], metric=["visitorsInside"])
    numbers = [name for name in table_of(test) if not name.endswith(", note")]
    assert numbers == ["From", "Café: People inside", "Hall: People inside"]
    assert {"Café", "Hall"} <= set(chart_of(test))
    assert [request_of(test, place)["filter"] for place in (0, 1)] == [
        {"zoneIds": ["cafe"]},
        {"zoneIds": ["hall"]},
    ]


def test_a_passage_has_flows(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", passage="entrance", metric=["entrances"], range="1h")
    assert table_of(test) == ["From", "Entrances"]
    assert request_of(test)["filter"] == {"passageIds": ["entrance"]}


def test_people_inside_of_a_passage_are_explained(counted: Counted) -> None:
    test = counted.as_it_opens("history", site="corner-shop", passage="entrance", metric=["visitorsInside"])
    assert "Passages count who comes and goes." in text_of(test)


def test_without_a_metric_the_page_says_what_is_missing(counted: Counted) -> None:
    test = counted.as_it_opens("history", site="corner-shop")
    test.multiselect(key="choose-several-metric").set_value([]).run()
    assert "Choose at least one metric to show." in text_of(test)


def dates(first: datetime, last: datetime) -> dict[str, str]:
    """Parameters of a range from the local `first` to the local `last`."""
    ends = {"from": first, "to": last}
    return {"range": "dates"} | {
        name: end.astimezone(ZURICH).replace(tzinfo=None).isoformat(timespec="minutes")
        for name, end in ends.items()
    }


def test_a_site_with_several_doors_says_that_one_may_have_stopped(counted: Counted) -> None:
    doors = "Minutes are counted in which any door is: who came by one that has stopped is missing."
    assert doors in text_of(counted.as_it_opens("history", site="corner-shop"))
    assert doors not in text_of(counted.as_it_opens("history", site="corner-shop", metric="timeSpent"))


def test_a_range_before_the_first_count_says_when_counting_began(counted: Counted) -> None:
    parameters = {"range": "dates", "from": "2025-01-01T00:00", "to": "2025-01-02T00:00"}
    test = counted.as_it_opens("history", site="corner-shop", **parameters)
    said = text_of(test)
    assert (
        "No counts are stored between Wed, 1 Jan 2025, 00:00 and Thu, 2 Jan 2025, 00:00 (Zurich time)."
        in said
    )
    assert re.search(rf"Counting began on {ANY_DAY}\. Choose a range from then on\.", said)
    assert test.get("plotly_chart") == []


def test_a_silent_hour_is_not_before_the_first_count(counted: Counted) -> None:
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    silent = dates(now - SILENT[0], now - SILENT[1])
    said = text_of(counted.as_it_opens("history", site="corner-shop", **silent))
    assert "but nothing arrived in this time. Choose another range." in said


def test_a_range_that_holds_nothing_says_why(counted: Counted) -> None:
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    day = timedelta(days=1)
    told = {
        "This range ends before it begins": dates(now - day, now - 2 * day),
        "so it holds not one minute. Choose a later end.": dates(now - day, now - day),
        "This range lies in the future: it begins at": dates(now + day, now + 2 * day),
    }
    for sentence, parameters in told.items():
        test = counted.as_it_opens("history", site="corner-shop", **parameters)
        assert sentence in text_of(test)
        assert test.get("plotly_chart") == []


def test_a_range_that_goes_on_into_the_future_says_up_to_when_it_is_counted(counted: Counted) -> None:
    now = datetime.now(UTC)
    test = counted.as_it_opens(
        "history", site="corner-shop", **dates(now - timedelta(hours=3), now + timedelta(hours=3))
    )
    assert "The range goes on until" in text_of(test)
    assert test.get("plotly_chart")


def test_dates_that_are_not_chosen_are_asked_for(counted: Counted) -> None:
    test = counted.as_it_opens("history", site="corner-shop", range="dates")
    assert "Choose from when to when, in Zurich time." in text_of(test)


def test_minutes_are_offered_for_a_day_and_explained_for_more(counted: Counted) -> None:
    day = counted.as_it_opens("history", site="corner-shop", range="24h")
    week = counted.as_it_opens("history", site="corner-shop", range="7d")
    assert "By minute" in day.selectbox(key="choose-granularity").options
    assert "By minute" not in week.selectbox(key="choose-granularity").options
    assert "By minute: only for a range of up to a day." in text_of(week)


def test_a_link_to_minutes_of_a_week_shows_what_is_allowed_and_says_so(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", range="7d", granularity="minute")
    assert "Minutes are shown of up to a day. This range is longer: you see it by hour." in text_of(test)
    assert "granularity" not in request_of(test)
    assert test.query_params["granularity"] == "minute"


@pytest.mark.parametrize(
    ("metrics", "offered"),
    [
        (["entrances"], ["Average minute", "Highest minute", "Lowest minute"]),
        (["visitorsInside"], ["Highest minute", "Lowest minute"]),
        (["visitorsInside", "exits"], ["Average minute", "Highest minute", "Lowest minute"]),
        (["timeSpent"], []),
    ],
)
def test_only_aggregations_that_mean_something_are_offered(
    counted: Counted, metrics: list[str], offered: list[str]
) -> None:
    test = counted.as_it_opens("history", site="corner-shop", metric=metrics, range="1h")
    assert test.selectbox(key="choose-aggregation").options[1:] == offered


def test_a_link_to_the_sum_of_people_inside_shows_the_average_and_says_so(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", range="1h", granularity="hour", aggregation="sum")
    assert "A total of people inside would count whoever stays again each minute" in text_of(test)
    assert "aggregation" not in request_of(test)
    assert test.query_params["aggregation"] == "sum"


def test_a_link_to_the_sum_of_entrances_shows_it(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", metric="entrances", aggregation="sum", range="1h")
    assert request_of(test)["aggregation"] == "sum"


def test_a_link_to_the_highest_minute_of_time_inside_says_what_it_shows(counted: Counted) -> None:
    test = counted.page(
        "history", site="corner-shop", metric=["entrances", "timeSpent"], aggregation="maximum", range="1h"
    )
    assert "“Highest minute” cannot be told for time inside, which is a mean already." in text_of(test)
    assert "aggregation" not in request_of(test)


@pytest.mark.parametrize("range_id", ["24h", "7d", "today", "week", "month"])
def test_a_range_has_the_same_total_whatever_its_buckets(counted: Counted, range_id: str) -> None:
    totals, zone = [], zone_at_noon()
    for granularity in ("hour", "day", "month"):
        test = counted.as_it_opens(
            "history",
            site="corner-shop",
            range=range_id,
            granularity=granularity,
            metric="entrances",
            timezone=zone,
        )
        (told,) = set(re.findall(r"([\d,]+) came in", text_of(test)))
        totals.append(int(told.replace(",", "")))
    # Three a minute came in, and the minute may have turned between two pages.
    assert max(totals) - min(totals) <= 3 * len(totals)


def test_a_bucket_that_the_range_cuts_is_said(counted: Counted) -> None:
    zone = zone_at_noon()  # elsewhere the first minutes of a day are about to be counted
    said = text_of(
        counted.as_it_opens("history", site="corner-shop", range="7d", granularity="day", timezone=zone)
    )
    assert re.search(
        r"Dotted: the first day is counted from \d\d:\d\d on, the last day is counted until \d\d:\d\d\.", said
    )


class OfHours(ScriptedService):
    """Which tells hours, whatever it is asked for."""

    def point(self, minutes_ago: int = 1) -> dict[str, Any]:
        hour = self.now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=minutes_ago)
        return {"timestamp": hour.isoformat(), "metrics": self.metrics}


def test_a_service_that_tells_no_minutes_is_shown_by_what_it_tells(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    zone = {"id": "all", "name": "All", "category": "site", "capacity": 50, "area": 9}
    site = {"id": "hourly", "name": "Hourly", "timezone": "UTC", "zones": [zone], "passages": []}
    with scripted_service(OfHours(sites=[site], past=range(24, 0, -1))) as scripted:
        monkeypatch.setenv("HEADROOM_BASE_URL", scripted.base_url)
        test = counted.page("history", site="hourly", range="24h", granularity="minute")
    assert "No two minutes in a row have counts here: you see the range by hour." in text_of(test)
    assert request_of(test)["granularity"] == "hour"
    assert len(test.dataframe[0].value) < 60
    assert test.query_params["granularity"] == "minute"


def test_the_choices_stand_in_the_url(counted: Counted) -> None:
    test = counted.as_it_opens("history", site="corner-shop")
    test.selectbox(key="choose-range").set_value("7d").run()
    test.multiselect(key="choose-several-zone").set_value(["hall", "cafe"]).run()
    test.pills(key="choose-compare").set_value("year").run()
    assert not test.exception
    assert test.query_params["range"] == "7d"
    assert test.query_params["zone"] == ["hall", "cafe"]
    assert test.query_params["compare"] == "year"


def test_yesterday_is_held_against_the_same_weekday_by_two_choices(counted: Counted) -> None:
    test = counted.as_it_opens("history", site="corner-shop")
    test.selectbox(key="choose-range").set_value("yesterday").run()
    assert test.pills(key="choose-compare").options[:2] == ["The day before", "Same weekday a week before"]
    test.pills(key="choose-compare").set_value("weekday").run()
    assert test.query_params["compare"] == "weekday"
    assert "Thin line: " in text_of(test)
    test.pills(key="choose-compare").set_value(None).run()
    assert test.query_params["compare"] == "none"
    assert "Thin line: " not in text_of(test)


def test_a_link_restores_every_choice(counted: Counted) -> None:
    test = counted.page(
        "history",
        site="corner-shop",
        range="7d",
        metric=["entrances", "timeSpent"],
        zone=["cafe"],
        compare="period",
        granularity="day",
        timezone="Asia/Kathmandu",
    )
    body = request_of(test)
    assert body["metrics"] == ["entrances", "timeSpent"]
    assert body["granularity"] == "day"
    assert body["timezone"] == "Asia/Kathmandu"
    assert test.pills(key="choose-compare").value == "period"
    assert "All times are Kathmandu time." in text_of(test)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("range", "for ever"),
        ("metric", "AFFLUENCE_IN"),
        ("granularity", "fortnight"),
        ("aggregation", "median"),
        ("timezone", "Mars/Olympus"),
        ("compare", "?"),
    ],
)
def test_a_link_to_what_is_not_there_says_so_and_shows_the_rest(
    counted: Counted, parameter: str, value: str
) -> None:
    test = counted.as_it_opens("history", site="corner-shop", **{parameter: value})
    for _ in range(2):
        assert f"This link asks for what is not known here: {parameter} “{value}”." in text_of(test)
        assert test.get("plotly_chart")
        assert test.query_params[parameter] == value
        test.run()
    test.button(key=f"leave-out-{parameter}").click().run()
    assert not test.exception
    assert "This link asks" not in text_of(test)
    assert test.query_params.get(parameter) != value


@pytest.mark.parametrize(("parameter", "noun"), [("zone", "zone"), ("passage", "passage")])
def test_a_link_to_a_place_that_is_not_there_shows_no_other(
    counted: Counted, parameter: str, noun: str
) -> None:
    test = counted.as_it_opens("history", site="corner-shop", **{parameter: ["gone", "gone too"]})
    said = f"The link names the {noun}s “gone”, “gone too”, which Corner shop does not have."
    for _ in range(2):
        assert said in text_of(test)
        assert not test.get("plotly_chart")
        assert test.query_params[parameter] == ["gone", "gone too"]
        test.run()
    test.button(key=f"leave-out-{parameter}").click().run()
    assert "The link names" not in text_of(test)
    assert test.get("plotly_chart")


def test_a_link_to_two_zones_of_which_one_is_gone_shows_the_other_and_says_so(counted: Counted) -> None:
    test = counted.page("history", site="corner-shop", zone=["gone", "cafe"], metric="entrances")
    assert "The link names the zone “gone”, which Corner shop does not have." in text_of(test)
    assert table_of(test) == ["From", "Entrances"]
    assert test.query_params["zone"] == ["gone", "cafe"]


def test_a_date_that_cannot_be_read_is_said(counted: Counted) -> None:
    test = counted.as_it_opens("history", site="corner-shop", range="dates", **{"from": "1. May"})
    for _ in range(2):
        assert "“1. May” in the link is no date and time that can be shown." in text_of(test)
        assert not test.get("plotly_chart")
        test.run()


@pytest.mark.parametrize("last", ["", "23:59:59", "23:59", "22:59Z"])
def test_dates_of_a_link_may_be_days_and_need_no_range_beside_them(counted: Counted, last: str) -> None:
    day = datetime.now(ZURICH).date() - timedelta(days=1)
    ends = {"from": day.isoformat(), "to": f"{day}T{last}" if last else day.isoformat()}
    test = counted.as_it_opens("history", site="corner-shop", **ends)
    until = datetime.combine(day + timedelta(days=1), time()) if not last else None
    for _ in range(2):
        assert test.get("plotly_chart")
        first, end = (one.value for one in test.datetime_input)
        assert first == datetime.combine(day, time())
        assert until is None or end == until
        assert test.query_params["range"] == "dates"
        test.run()


def test_a_date_of_a_link_that_was_changed_stays_as_it_was_chosen(counted: Counted) -> None:
    day = datetime.now(ZURICH).date() - timedelta(days=1)
    test = counted.as_it_opens(
        "history", site="corner-shop", **{"from": day.isoformat(), "to": day.isoformat()}
    )
    chosen = datetime.combine(day, time(6))
    for _ in range(2):
        test.datetime_input[0].set_value(chosen).run()
        assert test.datetime_input[0].value == chosen
        test.run()


def test_a_date_that_lies_too_far_away_is_said(counted: Counted) -> None:
    test = counted.as_it_opens("history", site="corner-shop", **{"from": "0001-01-01", "to": "9999-12-31"})
    assert "“0001-01-01” in the link is no date and time that can be shown." in text_of(test)
    assert "“9999-12-31” in the link is no date and time that can be shown." in text_of(test)
    assert not test.get("plotly_chart")


def test_only_the_elapsed_part_is_compared(counted: Counted) -> None:
    test = counted.as_it_opens(
        "history", site="corner-shop", range="24h", metric=["entrances"], compare="period"
    )
    assert re.search(r"Thin line: .* to .*\.", text_of(test))
    assert "Corner shop, before" in chart_of(test)
    assert re.search(
        r"Entrances: [\d,]+ against .*, counted in (\d+ of \d+ \w+ (of hours )?in which somebody was there, "
        r"against |all hours in which somebody was there, in both)",
        text_of(test),
    )


def test_holidays_and_missing_minutes_of_both_periods_are_named(counted: Counted) -> None:
    """The site lies in Switzerland; four hours ago an hour was not counted, and none a day before."""
    test = counted.as_it_opens(
        "history", site="corner-shop", range="24h", metric=["entrances"], compare="period"
    )
    said = text_of(test)
    assert "Public holidays of Switzerland: " in said
    (missing,) = re.findall(
        r"Minutes without counts of hours in which somebody was there in either period: (.*?) here; ", said
    )
    this_hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    # The service may have been filled in the hour before.
    hours = [
        (this_hour - SILENT[0] - early).astimezone(ZURICH) for early in (timedelta(0), timedelta(hours=1))
    ]
    assert any(f"{written_day(hour)}, {hour:%H}:00 to " in missing for hour in hours)
    alone = counted.as_it_opens("history", site="corner-shop", range="24h", metric=["entrances"])
    assert "in the other period" not in text_of(alone)


def test_days_are_held_against_the_same_weekdays_of_a_year_before(counted: Counted) -> None:
    test = counted.as_it_opens("history", site="corner-shop", range="yesterday", compare="52-weeks")
    day = datetime.now(ZURICH).date() - timedelta(days=1, weeks=52)
    # Early in the day, the hour that was not counted is one of yesterday, and no open one a year before.
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    is_whole = not any((now - ago).astimezone(ZURICH).date() == day + timedelta(weeks=52) for ago in SILENT)
    missing = r"" if is_whole else r", 00:00 to .*"
    named = rf"none here; [\d,]+ \({written_day(day)}{missing}\) in the other period"
    assert re.search(named, text_of(test))


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
    test = counted.as_it_opens("history", site="corner-shop")
    assert "The history cannot be shown." in text_of(test)
    assert [button.label for button in test.button] == ["Try again"]


def test_outer_and_inner_passages_are_never_added_up(counted: Counted) -> None:
    """A person who came in and went on into the café passed both: each passage has a sum of its own alone."""
    passages = ["entrance", "archway"]
    test = counted.page("history", site="corner-shop", passage=passages, metric=["entrances"], range="1h")
    assert table_of(test) == ["From", "Entrance: Entrances", "Archway: Entrances"]
    told = [line for line in text_of(test).splitlines() if "came in" in line or "went from" in line]
    assert [line.split(":")[0] for line in told] == ["**Entrance", "**Archway"] * 2
    assert re.search(r"\d went from Hall to Café", told[1])
    assert [request["filter"] for request in shown_json(test) if "siteId" in request] == [
        {"passageIds": [passage]} for passage in passages
    ]


def test_the_whole_site_counts_who_comes_from_outside(counted: Counted) -> None:
    """Three a minute come in at the door, and two of them pass the archway: three came in."""
    test = counted.page("history", site="corner-shop", metric=["entrances"], range="1h")
    column = test.dataframe[0].value["Entrances"].dropna()
    assert set(column) == {3}


def addresses_of(test: AppTest) -> list[dict[str, list[str]]]:
    """Parameters of the links to be copied."""
    links = [code.value for code in test.code if code.value.startswith("/history?")]
    return [parse_qs(urlsplit(link).query) for link in links]


def test_yesterday_has_a_link_that_moves_on_and_one_that_stays(counted: Counted) -> None:
    test = counted.page(
        "history", site="corner-shop", range="yesterday", zone=["hall", "cafe"], compare="period"
    )
    moves, stays = addresses_of(test)
    assert moves["range"] == ["yesterday"]
    midnight = datetime.now(ZURICH).replace(hour=0, minute=0, tzinfo=None)
    assert stays["range"] == ["dates"]
    assert stays["to"] == [midnight.isoformat(timespec="minutes")]
    assert stays["from"] == [(midnight - timedelta(days=1)).isoformat(timespec="minutes")]
    for link in (moves, stays):
        assert link["zone"] == ["hall", "cafe"]
        assert link["compare"] == ["period"]
        assert link["timezone"] == ["Europe/Zurich"]


def test_a_copied_link_shows_the_very_chart(counted: Counted) -> None:
    choices = {"range": "today", "compare": "weekday", "granularity": "hour", "timezone": zone_at_noon()}
    first = counted.page("history", site="corner-shop", **choices)
    _, stays = addresses_of(first)
    again = counted.page("history", **stays)
    assert chart_of(again).keys() == chart_of(first).keys()
    for name, trace in chart_of(first).items():
        assert chart_of(again)[name] == trace
    assert addresses_of(again) == [stays]
    assert request_of(again)["from"] == request_of(first)["from"]
    assert request_of(again)["to"] == request_of(first)["to"]


def test_any_day_can_be_compared_with(counted: Counted) -> None:
    yesterday = datetime.now(ZURICH).date() - timedelta(days=1)
    test = counted.as_it_opens(
        "history",
        site="corner-shop",
        range="1h",
        metric="entrances",
        compare="date",
        compare_from=yesterday.isoformat(),
    )
    assert re.search(r"Thin line: .* to .*\.", text_of(test))
    there = "of hours in which somebody was there,"
    told = rf"(all minutes {there} in both|\d+ of \d+ minutes? {there} against \d+ of \d+)"
    assert re.search(rf"Entrances: \d+ against \d+( \(.*\))?, counted in {told}", text_of(test))


def test_a_comparison_without_its_day_asks_for_it(counted: Counted) -> None:
    test = counted.as_it_opens("history", site="corner-shop", range="1h", compare="date")
    assert "Choose the day on which the other period begins" in text_of(test)
    assert test.get("plotly_chart")


def test_choices_that_are_not_the_usual_ones_are_named(counted: Counted) -> None:
    assert "Shown:" not in text_of(counted.as_it_opens("history", site="corner-shop", range="1h"))
    test = counted.as_it_opens(
        "history", site="corner-shop", range="1h", zone="cafe", granularity="hour", compare="period",
        timezone="Asia/Kathmandu",
    )  # fmt: skip
    said = "Shown: Café · by hour · Kathmandu time"
    assert said in text_of(test)


OLD_RANGES = ("1h", "today", "yesterday", "24h", "7d", "4w", "3m", "month", "last-month", "12m")
OLD_SIZES = ("auto", "minute", "hour", "day", "month")
OLD_AGGREGATIONS = ("auto", "sum", "average", "maximum", "minimum")
OLD_COMPARISONS = ("none", "period", "weekday")


@pytest.mark.parametrize(("place", "range_id"), list(enumerate(OLD_RANGES)))
def test_an_old_link_shows_what_it_asks_for_or_says_what_it_does_not(
    counted: Counted, place: int, range_id: str
) -> None:
    size, aggregation = OLD_SIZES[place % 5], OLD_AGGREGATIONS[(place + place // 5) % 5]
    test = counted.page(
        "history",
        site="corner-shop",
        range=range_id,
        granularity=size,
        aggregation=aggregation,
        compare=OLD_COMPARISONS[place % 3],
    )
    if not test.get("plotly_chart"):
        assert "No counts are stored between" in text_of(test)
        return
    body, said = request_of(test), text_of(test)
    assert size in {"auto", body.get("granularity")} or "Minutes are shown of up to a day." in said
    assert aggregation in {"auto", body.get("aggregation")} or "A total of people inside" in said
    assert test.query_params["range"] == range_id
    assert test.query_params["granularity"] == size
    assert test.query_params["aggregation"] == aggregation


def test_zones_and_doors_are_ranked_by_who_entered_them_in_the_range(counted: Counted) -> None:
    """Three a minute come in by the door; two of them go on into the café. Nobody comes in by the terrace."""
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    two_hours = dates(now - timedelta(hours=3), now - timedelta(hours=1))
    test = counted.as_it_opens("history", ["folded-leaderboard"], site="corner-shop", **two_hours)
    zones, doors = (one.value.set_index(one.value.columns[0]) for one in test.dataframe)
    assert zones["Entrances"].to_dict() == {"Hall": 360, "Café": 240}
    assert zones["Share"].to_dict() == {"Hall": 60, "Café": 40}
    assert doors["Entrances"].to_dict() == {"Entrance": 360, "Terrace door": 0}
    assert doors["Share"].to_dict() == {"Entrance": 100, "Terrace door": 0}
