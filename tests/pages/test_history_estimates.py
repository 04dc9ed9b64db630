"""What History estimates of times without counts, where somebody asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.analysis import UNFOLDED, Counted, configure, text_of
from tests.running_service import start_service
from tests.small_site import create_small_site, store_counts

ZURICH = ZoneInfo("Europe/Zurich")
WEEKS = 5
ESTIMATED = ", estimated"


def last_tuesday() -> date:
    today = datetime.now(ZURICH).date()
    return today - timedelta(days=1 + (today.weekday() - 2) % 7)


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[Counted]:
    """On Tuesdays, from 8 to 12, two come in each minute and leave; on the last one nothing is counted from
    9 until 10:30.
    """
    data_dir: Path = tmp_path_factory.mktemp("estimates")
    site = create_small_site(data_dir)
    counts = []
    for week in range(WEEKS + 1):
        begin = datetime.combine(last_tuesday() - timedelta(weeks=week), time(8), ZURICH).astimezone(UTC)
        minutes = (minute for minute in range(240) if week or minute not in range(60, 150))
        counts += [(begin + timedelta(minutes=minute), "entrance", 2, 2) for minute in minutes]
    store_counts(data_dir, counts)
    service = start_service(data_dir)
    lasting.add(service.process.pid)
    yield Counted(site, service)
    service.kill()


@pytest.fixture
def tuesdays(counting: Counted, monkeypatch: pytest.MonkeyPatch) -> Counted:
    configure(counting, monkeypatch)
    return counting


def page(tuesdays: Counted, **parameters: str) -> AppTest:
    link = {
        "site": "corner-shop", "range": "dates", "metric": "entrances", "estimates": "on",
        "from": last_tuesday().isoformat(), "to": last_tuesday().isoformat(),
    }  # fmt: skip
    return tuesdays.as_it_opens("history", UNFOLDED, **(link | parameters))


def columns_of(test: AppTest) -> list[str]:
    return list(next(frame.value for frame in test.dataframe if "From" in frame.value.columns).columns)


def test_what_is_missing_is_estimated_and_in_no_number(tuesdays: Counted) -> None:
    test = page(tuesdays)
    said = text_of(test)
    assert (
        "About 180 more came in during the 90 min that were not counted (estimate from 5 Tuesdays before,"
        " with 180; not in any number here)."
    ) in said
    assert "300 came in" in said
    assert "Shown: Entrances · estimates of what is missing" in said
    table = next(frame.value for frame in test.dataframe if "From" in frame.value.columns)
    assert table["Entrances, estimated"].dropna().to_list() == [120, 60]
    assert table["Entrances"].sum() == 300


@pytest.mark.parametrize("granularity", ["minute", "day"])
def test_the_sentence_is_the_same_whatever_the_bars(tuesdays: Counted, granularity: str) -> None:
    test = page(tuesdays, granularity=granularity)
    assert "About 180 more came in during the 90 min that were not counted" in text_of(test)
    assert any(name.endswith(ESTIMATED) for name in columns_of(test)) is (granularity == "day")


def test_a_saved_picture_says_that_it_has_estimates(tuesdays: Counted) -> None:
    def told(test: AppTest) -> str:
        return " ".join(str(one.proto) for one in test.get("bidi_component"))

    assert "with estimates" in told(page(tuesdays))
    assert "Estimated: the median" in told(page(tuesdays))
    assert "stimate" not in told(page(tuesdays, estimates="off"))


def test_nobody_who_does_not_ask_sees_an_estimate(tuesdays: Counted) -> None:
    test = page(tuesdays, estimates="off")
    assert "stimate" not in text_of(test)
    assert not [name for name in columns_of(test) if name.endswith(ESTIMATED)]


def test_where_nothing_is_missing_that_is_said(tuesdays: Counted) -> None:
    whole = (last_tuesday() - timedelta(weeks=1)).isoformat()
    said = text_of(page(tuesdays, **{"from": whole, "to": whole}))
    assert "Estimates: nothing is missing here of which such days before tell." in said


def test_a_link_keeps_the_switch(tuesdays: Counted) -> None:
    links = [code.value for code in page(tuesdays).code if "history?" in code.value]
    assert links
    assert all("estimates=on" in link for link in links)


def test_in_a_zone_of_other_hours_the_sentence_is_the_same_and_no_bar_has_an_estimate(
    tuesdays: Counted,
) -> None:
    test = page(tuesdays, timezone="Asia/Kathmandu")
    assert "About 180 more came in during the 90 min that were not counted" in text_of(test)
    assert "Not drawn: only hours of the site's clock are, and of who came or went its days." in text_of(test)
    assert not [name for name in columns_of(test) if name.endswith(ESTIMATED)]


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ({"aggregation": "maximum", "metric": "visitorsInside"}, "People inside (highest minute)"),
        ({"aggregation": "minimum", "metric": "visitorsInside"}, "People inside (lowest minute)"),
        ({"metric": "timeSpent"}, "Time inside"),
    ],
)
def test_of_a_number_that_is_never_estimated_it_is_not_said_that_nothing_is_missing(
    tuesdays: Counted, shown: dict[str, str], said: str
) -> None:
    text = text_of(page(tuesdays, **shown))
    assert f"Not estimated: {said}." in text
    assert "nothing is missing" not in text


def test_a_range_in_which_all_is_missing_is_estimated(tuesdays: Counted) -> None:
    hours = {end: f"{last_tuesday()}T{clock}" for end, clock in (("from", "09:00"), ("to", "10:30"))}
    test = page(tuesdays, **hours, granularity="hour")
    said = text_of(test)
    assert "No counts are stored between" in said
    assert "Entrances, estimated" in columns_of(test)
    assert (
        "About 180 more came in during the 90 min that were not counted (estimate from 5 Tuesdays before,"
        " with 180; not in any number here)."
    ) in said
    assert "Estimated: the median of the same hours" in said
    assert "stimate" not in text_of(page(tuesdays, **hours, estimates="off"))


@pytest.mark.parametrize("range_", [("2020-01-07", "2020-01-08"), ("2100-01-07", "2100-01-08")])
def test_a_range_without_counts_before_or_after_all_others_has_no_estimate(
    tuesdays: Counted, range_: tuple[str, str]
) -> None:
    test = page(tuesdays, **{"from": range_[0], "to": range_[1]})
    assert not test.exception
    assert "About" not in text_of(test)
