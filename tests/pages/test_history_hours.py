"""History of open hours alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours
from runtime.site_knowledge import keep_opening_hours
from tests.pages.analysis import UNFOLDED, Counted, configure, text_of
from tests.running_service import start_service
from tests.small_site import create_small_site, store_counts

ZURICH = ZoneInfo("Europe/Zurich")
FOLDED = (*UNFOLDED, "folded-leaderboard", "folded-print")


def last_monday() -> datetime:
    today = datetime.now(ZURICH).date()
    return datetime.combine(today - timedelta(days=7 + today.weekday()), time(), ZURICH)


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[Counted]:
    """Each minute from 8 to 13 one comes in and one leaves, on each day of the last whole week and before."""
    data_dir: Path = tmp_path_factory.mktemp("open-hours")
    site = create_small_site(data_dir)
    counts = []
    for day in range(-7, 7):
        for minute in range(8 * 60, 13 * 60):
            local = last_monday() + timedelta(days=day, minutes=minute)
            counts.append((local.astimezone(UTC), "entrance", 1, 1))
    store_counts(data_dir, counts)
    service = start_service(data_dir)
    lasting.add(service.process.pid)
    yield Counted(site, service)
    service.kill()


@pytest.fixture(scope="module")
def midnights(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[Counted]:
    """Of each day of the last whole week its first ten minutes are counted, and no others."""
    data_dir: Path = tmp_path_factory.mktemp("midnights")
    site = create_small_site(data_dir)
    starts = [last_monday() + timedelta(days=day, minutes=minute) for day in range(7) for minute in range(10)]
    store_counts(data_dir, [(local.astimezone(UTC), "entrance", 1, 1) for local in starts])
    service = start_service(data_dir)
    lasting.add(service.process.pid)
    yield Counted(site, service)
    service.kill()


@pytest.fixture
def week(counting: Counted, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    """Open on weekdays from half past nine until noon."""
    configure(counting, monkeypatch)
    open_ = spans_of_text("09:30-12")
    keep_opening_hours("corner-shop", OpeningHours(week=((open_,) * 5 + ((),) * 2)))
    yield counting
    keep_opening_hours("corner-shop", None)


def page(week: Counted, **parameters: str) -> AppTest:
    start = last_monday().date()
    link = {
        "site": "corner-shop", "range": "dates", "metric": "entrances", "hours": "open",
        "from": start.isoformat(), "to": f"{start + timedelta(days=7)}T00:00",
    }  # fmt: skip
    return week.as_it_opens("history", FOLDED, **(link | parameters))


def test_all_that_the_page_says_is_of_open_hours(week: Counted) -> None:
    test = page(week, compare="period")
    said = text_of(test)
    # Five days of 150 minutes, and of 9:30 to 12 the hours from 9, 10 and 11.
    assert "750 came in, as many as in the time before." in said
    assert "Open hours only. All 15 open hours have counts; in the other period too." in said
    assert "Shaded: closed, and in no number here." in said
    assert "Hatched" not in said
    assert "Entrances: 750 against 750 (as many), counted in all open hours of both." in said
    assert "A report is of all hours of its day." in said
    ranking = next(frame.value for frame in test.dataframe if "Door" in frame.value.columns)
    assert ranking["Entrances"].max() == 750
    assert "Shown: Entrances · open hours only" in said


def test_only_what_is_cut_while_it_is_open_is_dotted(week: Counted) -> None:
    start = last_monday().date()
    said = text_of(page(week, **{"from": f"{start}T03:45", "to": f"{start}T11:20"}))
    assert (
        "Dotted: the last hour is counted until 11:20. Dotted, too: hours in which it opens or closes."
        in said
    )
    night = {"from": f"{start}T03:45", "to": f"{start + timedelta(days=3)}T23:00"}
    assert "Dotted" not in text_of(page(week, granularity="day", **night))


def test_days_are_summed_up_of_open_hours(week: Counted) -> None:
    test = page(week, granularity="day")
    assert "All 5 open days have counts." in text_of(test)
    table = next(frame.value for frame in test.dataframe if "From" in frame.value.columns)
    assert table["Entrances"].to_list() == [150] * 5
    assert table["Open, min"].to_list() == [150] * 5


def test_the_table_that_files_hold_says_how_much_of_a_row_is_open(week: Counted) -> None:
    test = page(week)
    assert len(test.get("download_button")) == 3
    table = next(frame.value for frame in test.dataframe if "From" in frame.value.columns)
    assert list(table.columns[:3]) == ["From", "Open, min", "Entrances"]
    assert table["Open, min"].to_list() == [30, 60, 60] * 5
    assert table["Entrances"].to_list() == [30, 60, 60] * 5


def test_the_requests_are_those_of_open_time(week: Counted) -> None:
    test = page(week)
    monday = last_monday().date().isoformat()
    asked = [code.value for code in test.code if f'"from": "{monday}T09:30:00"' in code.value]
    assert asked
    said = text_of(test)
    assert "The API knows no opening hours" in said
    assert "4 more are asked like these, of other open hours." in said
    links = [code.value for code in test.code if "history?" in code.value]
    assert links
    assert all("hours=open" in link for link in links)


def test_a_range_that_is_closed_throughout_says_so(week: Counted) -> None:
    saturday = last_monday().date() + timedelta(days=5)
    test = page(week, **{"from": saturday.isoformat(), "to": f"{saturday}T23:00"})
    assert "It is closed throughout this range." in text_of(test)


def test_without_the_switch_all_hours_count(week: Counted) -> None:
    said = text_of(page(week, hours="all"))
    assert "2,100 came in" in said
    assert "Open hours only" not in said


def test_where_no_hours_are_kept_the_switch_says_where_they_are_told(week: Counted) -> None:
    keep_opening_hours("corner-shop", None)
    test = page(week)
    assert "The link asks for open hours alone, but when this site is open is not known here." in text_of(
        test
    )
    assert "2,100 came in" in text_of(test)
    links = [link.proto.label for link in test.get("page_link")]
    assert "Say on Site when it is open" in links


def test_hours_that_cannot_be_told_from_days_are_no_fault_of_the_service(
    midnights: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(midnights, monkeypatch)
    keep_opening_hours("corner-shop", OpeningHours(week=(spans_of_text("0-6"),) * 7))
    said = text_of(page(midnights))
    keep_opening_hours("corner-shop", None)
    assert (
        "The counts of this range lie whole days apart, or begin beside the hours of the local clock" in said
    )
    assert "open hours cannot be told from closed ones. You see all hours." in said
    assert "This service" not in said
    assert "70 came in" in said


def test_so_many_cut_hours_that_nobody_would_wait_are_not_asked(week: Counted) -> None:
    start = last_monday().date() - timedelta(days=300)
    beside = {"from": start.isoformat(), "metric": "visitorsInside", "compare": "period"}
    said = text_of(page(week, **beside))
    assert "Here open hours are told of up to 133: choose a range of up to 26 weeks, or entrances and" in said
    assert "You see all hours." in said


def test_of_entrances_alone_most_of_a_year_is_told_of_hours_that_open_at_half_past(week: Counted) -> None:
    start = last_monday().date() - timedelta(days=300)
    said = text_of(page(week, **{"from": start.isoformat(), "granularity": "month"}))
    assert "Open hours only." in said
    assert "1,500 came in" in said
