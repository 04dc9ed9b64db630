from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Event
from threading import enumerate as enumerate_threads
from typing import NoReturn

import pytest

from api_client import NotFound, ServiceFailure, Unauthorized, Unavailable, Unreachable
from contract import MetricKey, MetricsFilter, MetricsQuery
from runtime import ApiClientError, reads
from runtime.access import NOBODY
from runtime.background import begin
from runtime.cache import Cache
from runtime.reads import (
    forget_sites,
    known_sites,
    read_answers,
    read_metrics,
    read_site,
    read_sites,
    read_sites_now,
    reported_sites,
)
from runtime.resources import close_resources, end_reads
from runtime.upstream import Upstream
from tests.eventually import PATIENCE, eventually
from tests.faults.misbehaving_server import Call, MisbehavingServer, answer_nothing, misbehaving_server
from tests.running_service import RunningService, start_service
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.small_site import SmallSite, create_small_site


async def hang(call: Call) -> None:
    await call.hold()


async def answer_one_site(call: Call) -> None:
    await call.answer(body=b'{"data": [{"id": "a", "name": "A"}], "meta": {}}')


@asynccontextmanager
async def one_site_told(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MisbehavingServer]:
    """The service whose sites are read."""
    async with misbehaving_server(answer_nothing) as server:
        server.other = answer_one_site
        monkeypatch.setenv("HEADROOM_BASE_URL", server.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", "key")
        try:
            yield server
        finally:
            end_reads()
            await asyncio.to_thread(close_resources)


async def refuse(call: Call) -> None:
    await call.answer("401 Unauthorized", body=b"{}")


async def fail(call: Call) -> None:
    await call.answer("500 Internal Server Error", body=b"{}")


def refusing_to_connect() -> NoReturn:
    raise Unreachable("Nobody is there.", code="CONNECTION_FAILED")


async def ask_for_a_pause(call: Call) -> None:
    await call.answer("429 Too Many Requests", body=b"{}", headers="retry-after: 30\r\n")


async def test_visitors_get_answers_as_soon_as_a_hanging_service_is_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with misbehaving_server(answer_nothing) as server:
        server.other = hang
        monkeypatch.setenv("HEADROOM_BASE_URL", server.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", "key")
        try:
            early = [asyncio.create_task(asyncio.to_thread(read_sites)) for _ in range(4)]
            await eventually(lambda: bool(server.calls))
            server.other = answer_one_site
            sites = await asyncio.to_thread(read_sites)
            assert [site.id for site in sites] == ["a"]
            await eventually(lambda: sum(task.done() for task in early) >= 3)
            end_reads()
            await asyncio.gather(*early, return_exceptions=True)
        finally:
            await asyncio.to_thread(close_resources)


async def test_what_is_known_outlives_a_new_notice_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """The notice changes with each attempt to start the service again."""
    async with misbehaving_server(answer_nothing) as server:
        server.other = answer_one_site
        known = Upstream(server.base_url, "key of this test", embedded=True)
        monkeypatch.setattr("runtime.resources.get_upstream", lambda: known)
        for notice in (None, "Started again at 12:00:01.", "Started again at 12:00:03."):
            told = known._replace(notice=notice)
            monkeypatch.setattr("runtime.reads.get_upstream", lambda told=told: told)
            assert [site.id for site in await asyncio.to_thread(read_sites)] == ["a"]
        assert len(server.calls) == 1
        await asyncio.to_thread(close_resources)


async def test_names_of_sites_stay_known_while_the_service_cannot_be_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("runtime.reads._sites", Cache(timedelta(0), most=9))
    monkeypatch.setattr("runtime.reads._WAIT", PATIENCE)
    async with one_site_told(monkeypatch) as server:
        assert await asyncio.to_thread(known_sites) == ({"a": "A"}, True)
        server.other = refuse
        asked = len(server.calls)
        assert await asyncio.to_thread(known_sites) == ({"a": "A"}, False)
        assert len(server.calls) > asked


async def test_an_open_page_keeps_the_sites_that_were_told_while_the_service_hangs_or_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("runtime.reads._sites", Cache(timedelta(0), most=9, patience=0.0))
    async with one_site_told(monkeypatch) as server:
        first = await asyncio.to_thread(reported_sites)
        server.other = hang
        kept = await asyncio.to_thread(reported_sites)
        assert kept == first  # that it fails is not known yet
        assert (await asyncio.to_thread(known_sites)).are_reported
        monkeypatch.setattr("runtime.reads._WAIT", PATIENCE)
        server.other = fail
        kept = await asyncio.to_thread(reported_sites)
        assert (kept.sites, kept.reported_at, kept.is_last) == (first.sites, first.reported_at, True)
        assert not (await asyncio.to_thread(known_sites)).are_reported
        server.other = refuse
        with pytest.raises(Unauthorized):
            await asyncio.to_thread(reported_sites)
        server.other = answer_one_site
        assert not (await asyncio.to_thread(reported_sites)).is_last


async def test_sites_that_were_told_are_read_on_while_the_service_hangs_or_fails_and_not_once_it_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("runtime.reads._sites", Cache(timedelta(0), most=9, patience=0.0, keeps_old=True))
    async with one_site_told(monkeypatch) as server:
        told = await asyncio.to_thread(read_sites)
        for trouble in (hang, fail):
            server.other = trouble
            assert await asyncio.to_thread(read_sites) == told
        with pytest.raises(ApiClientError):
            await asyncio.to_thread(read_sites_now)
        for trouble, error in ((refuse, Unauthorized), (fail, ServiceFailure)):
            server.other = trouble
            with pytest.raises(error):
                await asyncio.to_thread(read_sites)


def test_what_somebody_has_just_changed_does_not_come_back_old(
    site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    for read in (read_sites, partial(read_site, site.site_id)):
        assert read()
    monkeypatch.setattr("runtime.reads.get_client", refusing_to_connect)
    assert read_sites()
    forget_sites()
    for read in (read_sites, partial(read_site, site.site_id)):
        with pytest.raises(Unreachable):
            read()


def test_of_sites_told_last_a_person_sees_their_own(site: SmallSite, monkeypatch: pytest.MonkeyPatch) -> None:
    read_site(site.site_id)
    assert read_sites()
    monkeypatch.setattr("runtime.reads.get_client", refusing_to_connect)
    monkeypatch.setattr("runtime.person_of_page.current_person", lambda: NOBODY)
    assert read_sites() == []
    with pytest.raises(NotFound):
        read_site(site.site_id)


def test_a_link_to_a_site_that_a_person_may_not_see_tells_not_whether_it_is_there_while_none_are_told(
    site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runtime.reads._sites", Cache(timedelta(0), most=9, keeps_old=True))
    assert read_sites()
    monkeypatch.setattr("runtime.reads.get_client", refusing_to_connect)
    with pytest.raises(Unreachable):
        read_sites(["nowhere"])
    monkeypatch.setattr("runtime.person_of_page.current_person", lambda: NOBODY)
    assert read_sites([site.site_id]) == read_sites(["nowhere"]) == []


async def test_a_pause_that_the_list_of_sites_asks_for_is_kept_for_all_who_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("runtime.reads._sites", Cache(timedelta(0), most=9, patience=0.0))
    async with one_site_told(monkeypatch) as server:
        first = await asyncio.to_thread(reported_sites)
        server.other = ask_for_a_pause
        before = datetime.now(UTC)
        with pytest.raises(Unavailable):
            await asyncio.to_thread(read_sites_now)
        asked = len(server.calls)
        for _ in range(5):
            kept = await asyncio.to_thread(reported_sites)
            assert (kept.sites, kept.is_last) == (first.sites, True)
            assert kept.pause_until
            assert before <= kept.pause_until - timedelta(seconds=30) <= datetime.now(UTC)
        with pytest.raises(Unavailable) as raised:
            await asyncio.to_thread(read_sites_now)
        assert 0 < (raised.value.retry_after or 0) <= 30
        assert len(server.calls) == asked


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallSite]:
    small = create_small_site(tmp_path / "service")
    service: RunningService = start_service(small.data_dir)
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", small.read_key)
    yield small
    service.kill()


def query(site: SmallSite, zone_id: str) -> MetricsQuery:
    return MetricsQuery(
        metrics=(MetricKey.ENTRANCES,),
        site_id=site.site_id,
        from_="1 hour ago",
        to="now",
        filter=MetricsFilter(zone_ids=(zone_id,)),
    )


def test_what_fails_for_one_zone_leaves_the_others_be(site: SmallSite) -> None:
    answers = read_answers({zone: query(site, zone) for zone in ("hall", "gone", "cafe")})
    assert set(answers.known) == {"hall", "cafe"}
    assert isinstance(answers.failures["gone"], ApiClientError)
    assert answers.failures["gone"].request_id


def test_whoever_waits_is_told_that_one_of_several_failed(site: SmallSite) -> None:
    for zones, is_lacking in ((("hall", "cafe"), False), (("hall", "gone"), True)):
        reading = begin(partial(read_answers, {zone: query(site, zone) for zone in zones}))
        reading.result(PATIENCE)
        assert reading.is_lacking is is_lacking


def test_no_question_has_no_answer() -> None:
    assert read_answers({}) == ({}, {})


def hours_of(day: str, end: str = "00:00:00") -> MetricsQuery:
    return MetricsQuery(
        metrics=(MetricKey.ENTRANCES,), site_id="a", from_=f"{day}T00:00:00", to=f"{day}T{end}"
    )


def asked_twice(query: MetricsQuery, service: ScriptedService, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the service is asked for it, where nothing is kept that is not over."""
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", KEY)
    monkeypatch.setattr("runtime.told_answer._METRICS_AGE", timedelta())
    before = len(service.asked)
    first, second = read_metrics(query), read_metrics(query)
    assert first.points == second.points
    return len(service.asked) - before


def test_a_past_that_is_over_is_asked_for_once_and_what_is_not_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = datetime.now(UTC)
    today, tomorrow = now.date().isoformat(), (now + timedelta(days=2)).date().isoformat()
    with scripted_service(ScriptedService(is_past_of_range=True)) as service:
        yesterday = hours_of("2026-03-01", "23:00:00")
        assert asked_twice(yesterday, service, monkeypatch) == 1
        assert asked_twice(yesterday.model_copy(update={"to": "now"}), service, monkeypatch) == 2
        assert asked_twice(yesterday.model_copy(update={"to": "5 minutes ago"}), service, monkeypatch) == 2
        until_tomorrow = yesterday.model_copy(update={"to": f"{tomorrow}T00:00:00"})
        assert asked_twice(until_tomorrow, service, monkeypatch) == 2
        service.past = range(0)
        empty = yesterday.model_copy(update={"from_": "2026-03-01T01:00:00"})
        assert asked_twice(empty, service, monkeypatch) == 2
    assert today < tomorrow


def test_answers_are_kept_by_how_many_points_they_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.reads._metrics._most", 100)
    with scripted_service(ScriptedService(is_past_of_range=True)) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        for day in range(1, 10):
            read_metrics(hours_of(f"2026-03-0{day}", "23:00:00"))
        kept = [told.value.answer.points for told in reads._metrics._kept.values()]
    assert [len(points) for points in kept] == [30, 30]


async def test_once_nobody_waits_for_answers_no_more_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    held = Event()
    queries = {hour: hours_of("2026-02-01", f"{hour:02}:00:00") for hour in range(1, 24)}
    with scripted_service(ScriptedService(held={"a": held})) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        outcome = begin(partial(read_answers, queries))
        await eventually(lambda: len(service.asked) == 6)
        outcome.cancel()
        held.set()
        await eventually(lambda: "background" not in {thread.name for thread in enumerate_threads()})
        assert len(service.asked) == 6


async def test_however_many_pages_ask_a_slow_service_gets_few_questions_at_once_and_one_of_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And what is known is there meanwhile."""
    held, pages = Event(), [f"page-{page}" for page in range(6)]
    known = hours_of("2026-02-02", "12:00:00")
    with scripted_service(ScriptedService(held=dict.fromkeys(pages, held))) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        read_metrics(known)
        before = len(service.asked)
        queries = {hour: hours_of("2026-02-01", f"{hour:02}:00:00") for hour in range(1, 11)}
        outcomes = []
        for page in pages:
            own = {hour: one.model_copy(update={"site_id": page}) for hour, one in queries.items()}
            outcomes.append(begin(partial(read_answers, own)))
            # The first gets six, the second the two that are not spare, each other page one.
            most = min(6 + 2 * (len(outcomes) > 1) + max(len(outcomes) - 2, 0), 12)
            await eventually(lambda most=most: len(service.asked) - before == most)  # type: ignore[misc]
        assert set(read_answers({"known": known}).known) == {"known"}
        assert len(service.asked) - before == 12
        assert {query["siteId"] for query in service.asked[before:]} == set(pages)
        held.set()
        for outcome in outcomes:
            answers = await asyncio.to_thread(outcome.result, PATIENCE)
            assert len(answers.known) == len(queries)
