"""Lists of sites of a service whose newest values come and whose past does not, over real HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from threading import Event

import pytest
from structlog.testing import capture_logs

from analysis.drift import Drift
from analysis.site_report import SiteReport
from api_client import Client, MetricsAnswer, Unavailable
from api_client.site_now import newest_query
from api_client.trouble_log import TroubleLog
from contract import SiteSummary
from live import FeedKey, Snapshot, ToldSite
from live.deliveries import Deliveries
from runtime.past_minutes import DRIFT_AGE, PastMinutes, drift_age
from runtime.site_reports import SiteReader
from tests.eventually import eventually
from tests.scripted_service import KEY, ScriptedService, scripted_service

COUNT = 12
SITES = [SiteSummary(id=f"s{number}", name=f"S{number}") for number in range(COUNT)]
QUIET = {"visitorsInside": 7, "entrances": 0, "exits": 0}
Failure = tuple[int, dict[str, str]]
FAILED: Failure = (500, {})
BUSY: Failure = (503, {"Retry-After": "120"})


class NoFeeds:
    def deliveries(self, _key: FeedKey) -> Deliveries:
        return Deliveries()

    def snapshot(self, key: FeedKey) -> Snapshot:
        return Snapshot(key)

    def latest(self, _site_id: str, _patience: float = 0.0) -> ToldSite | None:
        return None


def scripted(**fields: object) -> ScriptedService:
    sites = [{"id": site.id, "name": site.name, "zones": []} for site in SITES]
    service = ScriptedService(sites, metrics=dict(QUIET))
    for name, value in fields.items():
        setattr(service, name, value)
    return service


Round = Callable[[dict[str, SiteReport]], dict[str, SiteReport]]


@contextmanager
def reading(service: ScriptedService) -> Iterator[Round]:
    """One turn of every site, one after the other."""
    with ExitStack() as stack:
        running = stack.enter_context(scripted_service(service))
        client = stack.enter_context(Client(running.base_url, KEY))
        reader = SiteReader(client, (running.base_url, KEY), NoFeeds())
        yield lambda before: {site.id: reader.read(site, before.get(site.id)) for site in SITES}


@pytest.mark.parametrize("failure", [FAILED, BUSY], ids=["fails", "asks for peace"])
def test_a_past_that_cannot_be_read_is_let_alone_for_all_sites_whatever_comes_of_now(
    failure: Failure,
) -> None:
    service = scripted(past_failure=failure)
    with reading(service) as turn, capture_logs() as lines:
        reports = turn(turn({}))
        asked = {question["siteId"] for question in service.asked}
    assert len(asked) == 1 if failure is BUSY else len(asked) <= COUNT / 2
    assert {report.failure for report in reports.values()} == {""}
    assert not any(report.is_proven for report in reports.values())
    [line] = [line for line in lines if line["event"] == "past minutes cannot be read"]
    assert (line["site"], line["status"], line["request_id"]) == ("s0", failure[0], "r-scripted")


@pytest.mark.parametrize("failure", [FAILED, None], ids=["fails", "answers"])
def test_of_quiet_sites_it_is_known_whether_counts_are_missed_only_where_past_days_can_be_read(
    failure: Failure | None,
) -> None:
    service = scripted(past_failure=failure, newest=180, past=range(0))
    with reading(service) as turn:
        first = turn({})
        second = turn(first)
        third = turn(second)
    assert not any(report.is_past_unread for report in first.values())
    for reports in (second, third):
        assert {report.is_past_unread for report in reports.values()} == {failure is not None}


async def test_a_pause_that_is_asked_for_holds_for_every_site_and_ends() -> None:
    service = scripted(past_failure=(503, {"Retry-After": "6"}))
    with (
        scripted_service(service) as running,
        Client(running.base_url, KEY) as client,
        capture_logs() as lines,
    ):
        past = PastMinutes(client)
        with pytest.raises(Unavailable):
            past.read(newest_query("s0", "Etc/UTC"))
        service.past_failure = None
        with pytest.raises(Unavailable):
            past.read(newest_query("s1", "Etc/UTC"))
        assert len(service.asked) == 1
        await eventually(lambda: _reads(past))
    assert [line["event"] for line in lines][-1] == "past minutes can be read again"


def asked_for(past: PastMinutes, site_id: str) -> MetricsAnswer:
    return past.read(newest_query(site_id, "Etc/UTC"))


async def test_a_pause_that_is_asked_for_outlasts_what_was_asked_before_it_and_comes_well() -> None:
    service = scripted(past_failure=BUSY, held={"s0": Event()})
    with scripted_service(service) as running, Client(running.base_url, KEY) as client:
        past = PastMinutes(client)
        with ThreadPoolExecutor() as threads:
            older = threads.submit(asked_for, past, "s0")
            await eventually(lambda: len(service.asked) == 1)
            with pytest.raises(Unavailable):
                asked_for(past, "s1")
            service.held["s0"].set()
            assert older.result().points
            service.past_failure = None
            later = [threads.submit(asked_for, past, site.id).exception() for site in SITES]
    assert len(service.asked) == 2
    assert {type(error) for error in later} == {Unavailable}
    assert len({id(error) for error in later}) == COUNT


def _reads(past: PastMinutes) -> bool:
    try:
        return bool(past.read(newest_query("s1", "Etc/UTC")).points)
    except Unavailable:
        return False


def test_a_value_without_crossings_is_proven_by_the_past_alone() -> None:
    service = scripted()
    with reading(service) as turn:
        first = turn({})
        second = turn(first)
    assert not any(report.is_proven or report.is_judged for report in first.values())
    assert all(report.is_proven and report.is_judged for report in second.values())


def test_a_value_that_is_dated_anew_is_as_old_as_its_past() -> None:
    service = scripted(past=range(60, 30, -1))
    with reading(service) as turn:
        report = turn(turn({}))["s0"]
    assert report.counted_at
    assert report.measured_at == report.counted_at
    assert 29 <= (report.read_at - report.counted_at).total_seconds() / 60 <= 33


def test_a_value_that_no_minute_of_today_has_is_never_proven() -> None:
    service = scripted(past=range(0))
    with reading(service) as turn:
        second = turn(turn({}))
        third = turn(second)
    assert not any(report.is_proven for report in (*second.values(), *third.values()))


def test_a_value_in_whose_minute_somebody_came_is_taken_at_once() -> None:
    service = scripted(metrics={"visitorsInside": 7, "entrances": 1, "exits": 0})
    with reading(service) as turn:
        assert all(report.is_proven for report in turn({}).values())


def test_a_question_that_is_asked_again_is_told_once_with_the_site_the_status_and_the_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As if nothing had been told in this process yet.
    monkeypatch.setattr("api_client.retries._log", TroubleLog("api_client.retries"))
    service = scripted(past_failure=(503, {"Retry-After": "0"}))
    with reading(service) as turn, capture_logs() as lines:
        turn(turn(turn({})))
    told = [
        line for line in lines if line["event"] == "asking again" and line["asking"] == "read metrics of s0"
    ]
    assert [(line["status"], line["request_id"]) for line in told] == [("503", "r-scripted")]


@pytest.mark.parametrize(
    ("unentered", "peak", "is_soon"),
    [(0, 50, False), (4, 10, False), (5, 200, False), (5, 40, True), (10, 40, True), (60, 100, True)],
)
def test_a_drift_that_spoils_the_number_or_is_near_it_is_asked_for_again_sooner(
    unentered: float, peak: float, is_soon: bool
) -> None:
    drift = Drift(datetime(2025, 6, 2, tzinfo=UTC), unentered=unentered, peak=peak, minutes=9, judged=9)
    assert (drift_age(drift) < DRIFT_AGE) is is_soon
    assert drift_age(None) == DRIFT_AGE
