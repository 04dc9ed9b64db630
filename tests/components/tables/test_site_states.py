from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from analysis.site_report import SiteReport
from components.tables.site_states import (
    Order,
    Progress,
    SiteState,
    counted,
    fullest,
    inside_together,
    matching,
    ordered,
    progress_of,
    states_of,
)
from contract import Address, SiteSummary
from gauge.levels import Thresholds

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
A_MINUTE_AGO = NOW - timedelta(minutes=1)
AN_HOUR_AGO = NOW - timedelta(hours=1)


def report(
    inside: int | None = 0,
    capacity: float | None = 10,
    measured_at: datetime | None = A_MINUTE_AGO,
    silent_since: datetime | None = None,
) -> SiteReport:
    return SiteReport(NOW, inside, capacity, measured_at, silent_since)


def site(name: str, city: str = "", category: str | None = None) -> SiteSummary:
    return SiteSummary(id=name.lower(), name=name, address=Address(city=city), category=category)


def names(sites: list[SiteSummary]) -> list[str]:
    return [one.name for one in sites]


SITES = [site("Bern", "Bern", "shop"), site("alpha", "Zürich"), site("Cellar", "Zürich", "Shop")]
NO_STATES: dict[str, frozenset[SiteState]] = {}


@pytest.mark.parametrize(
    ("known", "states"),
    [
        (report(inside=9), {SiteState.FULL}),
        (report(inside=7), {SiteState.FILLING}),
        (report(inside=0), {SiteState.FREE}),
        (report(inside=9, capacity=None), set()),
        (report(inside=9)._replace(is_proven=False), set()),
        (report(inside=9, measured_at=AN_HOUR_AGO), {SiteState.FULL, SiteState.QUIET}),
        (report(inside=9, measured_at=AN_HOUR_AGO, silent_since=AN_HOUR_AGO), {SiteState.SILENT}),
        (report(inside=9, measured_at=NOW - timedelta(days=3)), {SiteState.QUIET}),
        (report(inside=9, measured_at=AN_HOUR_AGO)._replace(is_past_unread=True), {SiteState.QUIET}),
        (report(inside=9)._replace(is_unreliable=True), {SiteState.UNRELIABLE}),
        (
            report(inside=9, measured_at=AN_HOUR_AGO)._replace(is_unreliable=True, devices_offline=1),
            {SiteState.UNRELIABLE, SiteState.DEVICE_OFFLINE},
        ),
        (report(inside=None, measured_at=None), {SiteState.NEVER_COUNTED}),
        (report(inside=9)._replace(devices_offline=2), {SiteState.FULL, SiteState.DEVICE_OFFLINE}),
        (SiteReport(NOW, devices_offline=1), {SiteState.NEVER_COUNTED, SiteState.DEVICE_OFFLINE}),
        (SiteReport(NOW, failure="The service failed."), {SiteState.NOT_READ}),
    ],
)
def test_a_site_is_in_the_states_that_its_report_tells(known: SiteReport, states: set[SiteState]) -> None:
    assert states_of({"a": known}, lambda _: Thresholds())["a"] == states


@pytest.mark.parametrize(
    ("known", "states"),
    [
        (report(inside=0), {SiteState.CLOSED}),
        (report(inside=9, capacity=None), {SiteState.CLOSED}),
        (report(inside=0, measured_at=AN_HOUR_AGO), {SiteState.CLOSED, SiteState.QUIET}),
        (
            report(inside=9, measured_at=AN_HOUR_AGO, silent_since=AN_HOUR_AGO),
            {SiteState.CLOSED, SiteState.SILENT},
        ),
        (report(inside=7), {SiteState.FILLING}),
        (report(inside=9), {SiteState.FULL}),
    ],
)
def test_a_closed_site_is_not_free_and_is_open_where_as_many_are_inside(
    known: SiteReport, states: set[SiteState]
) -> None:
    assert states_of({"a": known}, lambda _: Thresholds(), {"a", "unread"}) == {"a": states}


def test_a_closed_site_has_no_places_left() -> None:
    seen = {"bern": report(inside=0), "alpha": report(inside=8), "cellar": report(inside=3)}
    states = states_of(seen, lambda _: Thresholds(), {"bern"})
    assert names(ordered(SITES, Order.PLACES_LEFT, seen, states)) == ["Cellar", "alpha", "Bern"]
    assert names(ordered(SITES, Order.FULLEST, seen, states)) == ["alpha", "Cellar", "Bern"]


def test_the_viewers_thresholds_decide_what_is_full() -> None:
    assert states_of({"a": report(inside=5)}, lambda _: Thresholds(filling=20, full=40))["a"] == {
        SiteState.FULL
    }


def test_each_state_is_counted_and_a_site_that_was_not_read_counts_for_none() -> None:
    states = states_of(
        {"bern": report(inside=9)._replace(devices_offline=1), "alpha": report()}, lambda _: Thresholds()
    )
    assert counted(SITES, states) == {
        SiteState.FULL: 1,
        SiteState.DEVICE_OFFLINE: 1,
        SiteState.FREE: 1,
    }


def test_no_search_finds_all_by_name_whatever_the_case() -> None:
    assert names(matching(SITES, "", NO_STATES)) == ["alpha", "Bern", "Cellar"]


def test_every_word_must_occur_in_name_city_or_category() -> None:
    assert names(matching(SITES, "SHOP zürich", NO_STATES)) == ["Cellar"]
    assert matching(SITES, "shop zürich bern", NO_STATES) == []


def test_a_search_finds_words_of_states_beside_others() -> None:
    states = {
        "bern": frozenset({SiteState.DEVICE_OFFLINE}),
        "alpha": frozenset({SiteState.NEVER_COUNTED, SiteState.DEVICE_OFFLINE}),
    }
    assert names(matching(SITES, "offline", states)) == ["alpha", "Bern"]
    assert names(matching(SITES, "Offline zürich never", states)) == ["alpha"]


@pytest.mark.parametrize("search", ["no counts", "silent"])
def test_a_search_finds_a_silent_site_by_its_word_on_a_gauge_and_by_the_one_in_a_link(search: str) -> None:
    assert names(matching(SITES, search, {"bern": frozenset({SiteState.SILENT})})) == ["Bern"]


def test_fullest_first_goes_by_share_and_not_by_number() -> None:
    seen = {"bern": report(90, 1000), "alpha": report(8, 10), "cellar": report(0, 10)}
    assert names(ordered(SITES, Order.FULLEST, seen)) == ["alpha", "Bern", "Cellar"]


def test_most_inside_goes_by_number_and_not_by_share() -> None:
    seen = {"bern": report(90, 1000), "alpha": report(8, 10), "cellar": report(0, None)}
    assert names(ordered(SITES, Order.MOST_INSIDE, seen)) == ["Bern", "alpha", "Cellar"]


def test_most_places_left_goes_by_places() -> None:
    seen = {"bern": report(90, 1000), "alpha": report(8, 10), "cellar": report(0, 10)}
    assert names(ordered(SITES, Order.PLACES_LEFT, seen)) == ["Bern", "Cellar", "alpha"]


def test_oldest_count_first_goes_by_the_newest_minute() -> None:
    seen = {"bern": report(), "alpha": report(measured_at=AN_HOUR_AGO), "cellar": SiteReport(NOW)}
    assert names(ordered(SITES, Order.OLDEST_COUNT, seen)) == ["alpha", "Bern", "Cellar"]


@pytest.mark.parametrize("untrusted", [{"silent_since": AN_HOUR_AGO}, {"is_unreliable": True}])
def test_what_is_unknown_or_not_trusted_comes_last_and_not_as_empty(untrusted: dict[str, Any]) -> None:
    seen = {
        "bern": report(None, 1000),
        "alpha": report(10, 10)._replace(**untrusted),
        "cellar": report(0, 10),
    }
    for order in (Order.FULLEST, Order.PLACES_LEFT, Order.MOST_INSIDE):
        assert names(ordered(SITES, order, seen)) == ["Cellar", "Bern", "alpha"]


def test_by_name_keeps_the_order_found() -> None:
    assert ordered(SITES, Order.NAME, {}) == SITES


def test_the_fullest_are_those_with_anybody_inside_and_a_number_that_stands() -> None:
    seen = {"bern": report(5, 10), "alpha": report(0, 10), "cellar": report(9, 10)}
    assert [(one.name, share) for one, share in fullest(SITES, seen, 10)] == [
        ("Cellar", 90.0),
        ("Bern", 50.0),
    ]
    assert [one.name for one, _ in fullest(SITES, seen, 1)] == ["Cellar"]
    for untrusted in (report(9, 10, silent_since=AN_HOUR_AGO), report(9, 10)._replace(is_unreliable=True)):
        assert [one.name for one, _ in fullest(SITES, seen | {"cellar": untrusted}, 10)] == ["Bern"]


def test_progress_is_as_old_as_the_oldest_report() -> None:
    seen = {"bern": report()._replace(read_at=AN_HOUR_AGO), "alpha": report()}
    assert progress_of(SITES, seen) == Progress(2, 3, AN_HOUR_AGO, 2)
    assert not progress_of(SITES, seen).is_complete
    assert progress_of(SITES, {}) == Progress(0, 3, None)


def test_a_site_that_could_not_be_read_makes_no_value_older() -> None:
    failed = SiteReport(AN_HOUR_AGO, failure="The service failed.")
    newer = report()
    assert progress_of(SITES, {"bern": failed, "alpha": newer}).as_of == newer.read_at


def test_progress_tells_of_how_many_sites_the_minutes_were_asked_too() -> None:
    unjudged = dict.fromkeys(("bern", "alpha", "cellar"), report()._replace(is_judged=False))
    assert progress_of(SITES, unjudged).is_complete
    assert not progress_of(SITES, unjudged).is_judged
    assert progress_of(SITES, dict.fromkeys(unjudged, report())).is_judged


def test_a_value_that_nothing_proves_has_no_rank_and_is_told_once_its_past_was_asked() -> None:
    unproven = report(inside=9)._replace(is_proven=False)
    reports = {"bern": unproven, "alpha": report(inside=1), "cellar": unproven._replace(is_judged=False)}
    assert names(ordered(SITES, Order.FULLEST, reports))[0] == "alpha"
    assert [one.name for one, _ in fullest(SITES, reports, 3)] == ["alpha"]
    assert progress_of(SITES, reports).unproven == 1


def test_quiet_sites_whose_past_days_cannot_be_read_are_counted_once() -> None:
    unread = report()._replace(is_past_unread=True)
    reports = {"bern": unread, "alpha": unread._replace(is_proven=False), "cellar": report()}
    progress = progress_of(SITES, reports)
    assert (progress.past_unread, progress.unproven) == (1, 1)


def test_people_of_all_sites_are_those_whose_number_holds_now() -> None:
    old = report(inside=400, measured_at=AN_HOUR_AGO, silent_since=AN_HOUR_AGO)
    reports = {"bern": report(inside=9), "cellar": old}
    assert inside_together(SITES, reports) == (9, 1)
    assert inside_together(SITES, reports | {"alpha": report(inside=0)}) == (9, 2)
    assert inside_together(SITES, reports | {"alpha": report(inside=5)._replace(is_proven=False)}) == (9, 1)
    unread = report(inside=5, measured_at=AN_HOUR_AGO)._replace(is_past_unread=True)
    assert inside_together(SITES, reports | {"alpha": unread}) == (9, 1)
    assert inside_together(SITES, {}) == (0, 0)
