"""The page Compare before a real service: three sites of two time zones, zones of one, and one site."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours
from analysis.targets import Target
from contract import Passage, Site, Zone
from runtime.site_knowledge import keep_opening_hours, keep_target, read_targets
from service.open_store import open_store, store_url
from service.store.protocol import KeyScope, Organization, PassageCount, SiteRecord, WriteMode
from tests.pages.analysis import Counted, configure, counted_site, text_of
from tests.pages.pair_of_sites import run
from tests.running_service import RunningService, start_service
from tests.scripted_service import KEY, ScriptedService, scripted_service

ZURICH, TOKYO = ZoneInfo("Europe/Zurich"), ZoneInfo("Asia/Tokyo")
DAYS = 15
SILENT = 3
"""So many of the last seven days nothing is counted in the south."""
UNFOLDED = ("folded-table",)


def shop(name: str, timezone: str, *, area: float | None, capacity: int) -> SiteRecord:
    top = Zone(id=f"{name}-all", name="All", category="site", capacity=capacity, area=area)
    hall = Zone(id=f"{name}-hall", name="Hall", category="hall", capacity=50, area=40)
    cafe = Zone(id=f"{name}-cafe", name="Café", category="hall", capacity=10, area=10)
    doors = (
        Passage(id=f"{name}-door", name="Door", to_zone_id=hall.id),
        Passage(id=f"{name}-side", name="Side", to_zone_id=cafe.id),
    )
    site = Site(
        id=name, name=name.title(), timezone=timezone, organization_id="chain", zones=(top, hall, cafe),
        passages=doors,
    )  # fmt: skip
    return SiteRecord(site, top.id)


def counts_of(name: str, zone: ZoneInfo, people: int, *, silent: int) -> Iterator[PassageCount]:
    """Each day from nine for an hour come, by the door, so many a minute, one of ten by the side; from ten on
    they go. Every minute is counted, but of the `silent` last days none.
    """
    today = datetime.now(zone).date()
    for ago in range(DAYS, silent, -1):
        midnight = datetime.combine(today - timedelta(days=ago), time(), zone)
        for minute in range(24 * 60):
            at = int((midnight.astimezone(UTC) + timedelta(minutes=minute)).timestamp()) // 60
            came, went = people * (minute // 60 == 9), people * (minute // 60 == 10)
            yield PassageCount(f"{name}-door", at, came, went)
            yield PassageCount(f"{name}-side", at, came // 10, went // 10)


@pytest.fixture(scope="module")
def chain(
    tmp_path_factory: pytest.TempPathFactory, lasting: set[int]
) -> Iterator[tuple[str, RunningService]]:
    data_dir: Path = tmp_path_factory.mktemp("chain")
    store = open_store(store_url(data_dir))
    records = [
        shop("north", "Europe/Zurich", area=200, capacity=1000),
        shop("east", "Asia/Tokyo", area=None, capacity=400),
        shop("south", "Europe/Zurich", area=100, capacity=100),
    ]
    try:
        store.catalogue.save(Organization("chain", "Chain"), records)
        key = store.keys.create("chain", "reads", KeyScope.READ)[1]
        for name, zone, people, silent in (
            ("north", ZURICH, 10, 0), ("east", TOKYO, 20, 0), ("south", ZURICH, 30, SILENT),
        ):  # fmt: skip
            store.metrics.append(list(counts_of(name, zone, people, silent=silent)), WriteMode.SET)
    finally:
        store.close()
    service = start_service(data_dir)
    lasting.add(service.process.pid)
    yield key, service
    service.kill()


@pytest.fixture
def three(chain: tuple[str, RunningService], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    key, service = chain
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", key)
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))


def page(**parameters: str | list[str]) -> AppTest:
    test = run("compare", **parameters)
    test.session_state["folded-table"] = True
    test.run()
    assert not test.exception
    return test


def rows(test: AppTest, noun: str = "Site") -> dict[str, dict[Hashable, Any]]:
    return {row[noun]: row for row in test.dataframe[0].value.to_dict("records")}


@pytest.mark.usefixtures("three")
def test_sites_are_ranked_and_the_silent_one_is_left_out_with_why() -> None:
    """In the east 60 minutes of 22 people, in the north of 11, on each of seven days."""
    test = page()
    said = text_of(test)
    assert "Most: East (9,240 came in, as many as a week earlier)." in said
    assert "Fewest: North (4,620, as many as a week earlier)." in said
    assert "At these 2 together 13,860 came in, as many as a week earlier." in said
    assert "Trust names doors that have stopped." in said
    assert "days are each site's own, in 2 time zones" in said
    assert "Ranked are 2 of 3 sites" in said
    assert "- **South**: counted in 480 of 840 minutes" in said
    table = rows(test)
    assert [(table[name]["Rank"], table[name]["Entrances"]) for name in ("East", "North")] == [
        (1, 9240),
        (2, 4620),
    ]
    assert table["North"]["Counted"] == "all 840 minutes"
    assert table["South"]["Left out"] == "counted in 480 of 840 minutes"


@pytest.mark.usefixtures("three")
def test_the_reader_says_how_complete_a_site_must_be() -> None:
    test = page(least="50")
    assert "Most: South (7,920 came in)." not in text_of(test)
    assert "Most: East (9,240" in text_of(test)
    assert rows(test)["South"]["Rank"] == 2
    assert "Left out" not in rows(test)["South"]
    assert rows(test)["South"]["Change"] == ""  # of four days against seven there is no percentage


@pytest.mark.usefixtures("three")
def test_of_zones_it_is_chosen_in_sight_to_what_numbers_are_related() -> None:
    folded = {of: [one.label for one in page(of=of).expander[0].selectbox] for of in ("sites", "zones")}
    assert folded == {"sites": ["Numbers", "Ranked if"], "zones": ["Ranked if"]}
    assert "Numbers" in [one.label for one in page(of="zones").selectbox]


@pytest.mark.usefixtures("three")
def test_numbers_are_told_per_area_where_one_is_reported() -> None:
    test = page(per="area", least="0")
    table = rows(test)
    assert table["North"]["Entrances per 100 m²"] == 2310
    assert table["South"]["Entrances per 100 m²"] == 7920
    assert table["East"]["Left out"] == "no area is reported"


@pytest.mark.usefixtures("three")
def test_numbers_are_told_per_place_of_the_capacity() -> None:
    """660 are inside at most in the north, of 1,000 places; 1,320 in the east, of 400."""
    table = rows(page(metric="peak", per="capacity"))
    assert table["North"]["People inside, at most, % of the capacity"] == 66
    assert table["East"]["People inside, at most, % of the capacity"] == 330


@pytest.mark.usefixtures("three")
def test_numbers_are_told_per_opening_hour_as_somebody_has_said() -> None:
    """Open for three hours on seven days."""
    keep_opening_hours("north", OpeningHours(week=(spans_of_text("9-12"),) * 7))
    table = rows(page(per="open-hour"))
    assert table["North"]["Entrances per opening hour"] == 4620 / 21
    assert table["North"]["Counted"] == f"all {7 * 180:,} minutes"
    assert table["East"]["Left out"] == "nobody has said when it is open"


@pytest.mark.usefixtures("three")
def test_people_and_time_inside_are_averages_of_the_hours_in_which_somebody_was() -> None:
    """Ten minutes after nine 110 are inside, ten minutes before eleven again."""
    inside = rows(page(metric="visitorsInside"))["North"]["People inside, on average"]
    course = [11 * (minute + 1) for minute in range(60)] + [11 * (59 - minute) for minute in range(60)]
    assert inside == round(sum(course) / 120)
    stay = rows(page(metric="timeSpent"))["North"]["Time inside, min"]
    assert stay == pytest.approx(sum(course) / (11 * 60), abs=0.1)


@pytest.mark.usefixtures("three")
def test_days_are_chosen_and_stand_in_the_link() -> None:
    first, last = (datetime.now(ZURICH).date() - timedelta(days=ago) for ago in (5, 4))
    test = page(period="days", first=first.isoformat(), last=last.isoformat(), least="0")
    assert rows(test)["North"]["Entrances"] == 2 * 660
    assert rows(test)["South"]["Entrances"] == 2 * 1980


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        ("2026-01-05", "2026-01-01", "The last day lies before the first."),
        ("2026-01-05", "", "Choose from which day to which"),
        ("2025-01-05", "2026-01-05", "Up to 92 days can be compared."),
    ],
)
def test_days_that_cannot_be_compared_are_explained(first: str, last: str, said: str) -> None:
    assert said in text_of(run("compare", period="days", first=first, last=last))


@pytest.mark.usefixtures("three")
def test_zones_of_a_site_stand_side_by_side() -> None:
    test = page(of="zones", site="north", metric="entrances", per="area")
    table = rows(test, "Zone")
    assert table["Hall"]["Entrances per 100 m²"] == 7 * 600 / 0.4
    assert table["Café"]["Entrances per 100 m²"] == 7 * 60 / 0.1
    assert "in Zurich time" in text_of(test)


@pytest.mark.usefixtures("three")
def test_what_a_link_asks_for_that_means_nothing_is_said() -> None:
    said = text_of(run("compare", metric="timeSpent", per="area", least="91"))
    assert "per “area”" in said
    assert "least “91”" in said


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[Counted]:
    for counted in counted_site(tmp_path_factory.mktemp("alone")):
        lasting.add(counted.service.process.pid)
        yield counted


def test_one_site_is_compared_with_none_and_its_zones_are_offered(
    counting: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(counting, monkeypatch)
    test = run("compare", of="sites", period="today")
    assert "There is one site, so there is nothing to compare it with." in text_of(test)
    assert [link.proto.label for link in test.get("page_link")] == ["Compare its zones"]


def test_of_one_site_the_zones_are_compared_first_by_their_area_after_what_the_whole_of_it_did(
    counting: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(counting, monkeypatch)
    test = run("compare", period="yesterday")
    said = text_of(test)
    assert said.index("Whole site: ") < said.index("Most: Hall (")
    assert "per 100 m²" in said
    assert [str(test.query_params[one]) for one in ("of", "per")] == ["zones", "area"]
    test.selectbox(key="choose-per").select("").run()
    assert "per 100 m²" not in text_of(test)


@pytest.mark.usefixtures("three")
def test_who_looked_at_a_site_compares_its_zones_first_and_everybody_else_sites() -> None:
    assert run("compare").selectbox(key="choose-of").value == "sites"
    assert run("compare", site="south").selectbox(key="choose-of").value == "zones"


def test_a_day_without_anything_yet_is_no_zero(counting: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(counting, monkeypatch)
    future = (date.today() + timedelta(days=3)).isoformat()  # noqa: DTZ011 - a future day in any zone
    said = text_of(run("compare", of="sites", period="days", first=future, last=future))
    assert "nothing of this time has passed there yet" in said
    assert "No site can be ranked" in said


@pytest.mark.usefixtures("three")
def test_a_target_is_set_told_and_forgotten() -> None:
    """Last month is over; whatever of it is counted, 1 is reached and a billion is not."""
    today = datetime.now(ZURICH).date()
    month = f"{today:%Y-%m}"
    test = run("compare", of="targets", site="north", month=month)
    assert "Nobody has set a target for" in text_of(test)
    for wanted in (-5, 1_000_000):
        test.number_input[0].set_value(wanted).run()
        next(one for one in test.button if one.label == "Keep this target").click().run()
        assert not test.exception
        assert [one.value.startswith("Write 1 to ") for one in test.error] == [True] * (wanted < 0)
    days = min(today.day - 1, DAYS)
    said = text_of(test)
    assert "who came by one that has stopped is missing." in said, "it has two doors"
    if days:
        assert f"{days * 660:,} of 1,000,000 came in so far" in said
        assert "By the hours of the last four weeks" in said
    again = run("compare", of="targets", site="north", month=month)
    assert again.number_input[0].value == 1_000_000
    assert "target 1,000,000" in " ".join(again.selectbox[2].options)
    next(one for one in again.button if one.label == "Forget it").click().run()
    assert "Nobody has set a target for" in text_of(again)


@pytest.mark.usefixtures("three")
def test_a_target_that_another_has_set_meanwhile_is_told_and_neither_number_is_lost() -> None:
    """In a month that no other test sets one for."""
    month = f"{datetime.now(ZURICH).date().replace(day=1) - timedelta(days=1):%Y-%m}"
    chosen = {"of": "targets", "site": "east", "month": month}
    mine = run("compare", **chosen)
    assert keep_target("east", month, Target(entrances=700), None)
    mine.number_input[0].set_value(900).run()
    said = text_of(mine) + " ".join(one.value for one in mine.warning).replace("\\", "")
    assert "Since you began, somebody has set another target: 700. That was at " in said
    assert "What you wrote still stands here, and is not kept." in said
    assert mine.number_input[0].value == 900
    assert "Keep this target" not in [one.label for one in mine.button]
    assert keep_target("east", month, Target(entrances=800), Target(entrances=700))
    pressed(mine, "Keep mine instead")
    assert read_targets("east")[month].entrances == 800, "that one was never seen"
    pressed(mine, "Keep mine instead")
    assert read_targets("east")[month].entrances == 900
    assert not mine.warning
    other = run("compare", **chosen)
    other.number_input[0].set_value(1000).run()
    assert keep_target("east", month, None, Target(entrances=900))
    pressed(other, "Keep this target")
    said = " ".join(one.value for one in other.warning).replace("\\", "")
    assert "somebody has made this dashboard forget it. What you wrote" in said
    pressed(other, "Take theirs into the fields")
    assert other.number_input[0].value is None
    assert read_targets("east").get(month) is None


@pytest.mark.usefixtures("three")
def test_reading_tells_how_far_it_is_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.panels.compare_view._TURN", 0.0)
    days = {"period": "days", "first": "2026-01-05", "last": "2026-01-06"}  # which no other test has read
    test = run("compare", **days)
    assert "0 of 3 sites are read so far. Ranks change until all are." in text_of(test).replace("*", "")
    pressed(test, "Stop reading")
    monkeypatch.setattr("components.panels.compare_view._TURN", 60.0)
    test.run()
    assert "0 of 3 sites are read so far. Reading was stopped." in text_of(test).replace("*", "")
    pressed(test, "Go on reading")
    assert "read so far" not in text_of(test)
    assert "No site can be ranked" in text_of(test)
    assert text_of(test).count("no counts are stored of this time") == 3


@pytest.mark.usefixtures("three")
def test_sites_are_told_by_the_target_of_their_month() -> None:
    yesterday = datetime.now(ZURICH).date() - timedelta(days=1)
    period = "month" if yesterday.month == datetime.now(ZURICH).month else "last-month"
    for name, people in (("north", 660_000), ("south", 1)):
        assert keep_target(name, f"{yesterday:%Y-%m}", Target(entrances=people), None)
    table = rows(page(per="target", period=period, least="0"))
    days = min(yesterday.day, DAYS)
    assert table["North"]["Entrances, % of the target"] == round(0.1 * days, 2)
    assert table["East"]["Left out"] == "nobody has set a target for the month"
    assert "Targets are those of months." in text_of(run("compare", per="target", period="7-days"))


def pressed(test: AppTest, label: str) -> None:
    next(one for one in test.button if one.label == label).click().run()
    assert not test.exception


@pytest.mark.parametrize("name", ["Plain", "**Bold** [link](https://a.example) :fire: <b>b</b> ${x} =1+1"])
def test_a_site_that_cannot_be_read_is_named_with_what_happens_next(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = {"id": "odd", "name": name, "timezone": "Etc/UTC", "zones": [], "passages": []}
    other = site | {"id": "other", "name": "Other"}
    with scripted_service(ScriptedService(sites=[site, other], past_failure=(500, {}))) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        test = run("compare")
    said = text_of(test).replace("\N{WORD JOINER}", "")
    assert "No site can be ranked: all are left out, for the reasons below." in said
    assert f"- **{name}**: could not be read: " in said
    assert "asked again by itself in half a minute" in said


def test_without_sites_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_service(ScriptedService()) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        assert "There is no site to show" in text_of(run("compare"))


def test_names_are_drawn_as_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plotly would read tags and placeholders in them."""
    name = "<b>b</b> %{x}" + " of a long name" * 3
    site = {"id": "odd", "name": name, "timezone": "Etc/UTC", "zones": [], "passages": []}
    past_the_hour = datetime.now(UTC).minute
    hours = range(24 * 60 * 2 + past_the_hour, past_the_hour, -60)
    with scripted_service(ScriptedService(sites=[site], past=hours)) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        test = run("compare", period="yesterday", least="0")
    (chart,) = test.get("plotly_chart")
    layout = json.loads(chart.proto.spec)["layout"]
    (on_screen,), (in_picture,) = layout["yaxis"]["ticktext"], layout["meta"]["ticktextOfPicture"]
    assert on_screen.rpartition("<br>")[0] == "1 &lt;b>b&lt;/b> % {x} of a<br>long name of a long…"
    whole = "1 &lt;b>b&lt;/b> % {x} of a long name of a long name of a long name"
    assert in_picture.rpartition("<br>")[0] == whole
    assert layout["xaxis"]["tickformat"] == ",.2~f"
