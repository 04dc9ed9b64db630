"""Sites that do not answer, among others that do, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from api_client import Client
from contract import MetricKey, SiteSummary
from live import FeedKey, FeedState, Reading, Snapshot, ToldSite
from live.deliveries import Deliveries
from runtime.site_reports import SiteReader
from runtime.survey import Survey
from runtime.survey_limits import SurveyLimits
from tests.eventually import PATIENCE, eventually
from tests.scripted_service import KEY, ScriptedService, scripted_service

FOR_EVER = 600.0
LIMITS = SurveyLimits(age=FOR_EVER, patience=0.3, longest=2.0)
SITES = [SiteSummary(id=f"s{number}", name=f"S{number}") for number in range(20)]


class NoFeeds:
    def deliveries(self, _key: FeedKey) -> Deliveries:
        return Deliveries()

    def snapshot(self, key: FeedKey) -> Snapshot:
        return Snapshot(key)

    def latest(self, _site_id: str, _patience: float = 0.0) -> ToldSite | None:
        return None


def chain() -> ScriptedService:
    zones = [{"id": "hall", "name": "Hall", "capacity": 100}]
    return ScriptedService([{"id": site.id, "name": site.name, "zones": zones} for site in SITES])


@contextmanager
def surveyed(scripted: ScriptedService, limits: SurveyLimits = LIMITS) -> Iterator[Survey]:
    with scripted_service(scripted) as service, Client(service.base_url, KEY) as client:
        reader = SiteReader(client, (service.base_url, KEY), NoFeeds())
        with closing(Survey(reader.read, reader.streamed, limits=limits)) as survey:
            yield survey


def inside(survey: Survey, sites: Sequence[SiteSummary] = SITES) -> dict[str, float | None]:
    """Of the sites that were read well."""
    return {id_: report.inside for id_, report in survey.look(sites).items() if not report.failure}


@pytest.mark.parametrize("place", [slice(0, None, 2), slice(0, 15), slice(5, None)], ids=str)
async def test_sites_that_hang_are_asked_again_when_all_others_are_read(place: slice) -> None:
    scripted = chain()
    hanging = {site.id for site in SITES[place]}
    scripted.now_waits = dict.fromkeys(hanging, FOR_EVER)
    with surveyed(scripted, replace(LIMITS, patience=0.8)) as survey:
        healthy = {site.id for site in SITES} - hanging
        # On a busy machine a healthy one hangs, too, and is asked again.
        await eventually(
            lambda: len(survey.look(SITES)) == len(SITES) and inside(survey).keys() == healthy,
            patience=2 * PATIENCE,
        )
        last_first = max(scripted.asked_now.index(id_) for id_ in healthy)
        asked = [id_ for id_ in scripted.asked_now[:last_first] if id_ in hanging]
        assert len(asked) == len(set(asked))


async def test_a_site_that_is_slow_is_read_after_the_others() -> None:
    scripted = chain()
    scripted.now_waits = {"s0": 3.0, "s5": FOR_EVER}
    with surveyed(scripted, replace(LIMITS, longest=9.0)) as survey:
        await eventually(lambda: inside(survey).keys() == {site.id for site in SITES} - {"s5"})
        assert scripted.asked_now.count("s0") >= 2


async def test_a_service_all_of_whose_sites_are_slow_is_read_whole() -> None:
    scripted = chain()
    scripted.now_waits = {site.id: 0.4 for site in SITES}
    with surveyed(scripted, replace(LIMITS, patience=0.2, longest=60.0, rest=0.0)) as survey:
        await eventually(lambda: len(inside(survey)) == len(SITES))
        # Twice each, for the value and its past, and again the few that were asked before it was known.
        assert len(scripted.asked_now) <= 2.5 * len(SITES)


async def test_what_is_known_of_a_site_that_hangs_holds_until_it_is_asked_again() -> None:
    scripted, few = chain(), SITES[:3]
    with surveyed(scripted, replace(LIMITS, age=1.0, longest=60.0, rest=0.0)) as survey:
        await eventually(lambda: len(inside(survey, few)) == len(few))  # late at first, on a busy machine
        scripted.now_waits = {"s0": 0.7}
        asked = scripted.asked_now.count("s0") + 3
        while scripted.asked_now.count("s0") < asked:
            assert not survey.look(few)["s0"].failure
            await asyncio.sleep(0.01)


class Streams(NoFeeds):
    """Open feeds, by site id."""

    def __init__(self, inside: dict[str, int], *, is_proven: bool = True) -> None:
        self.inside = inside
        self.is_proven = is_proven

    def snapshot(self, key: FeedKey) -> Snapshot:
        if key.site_id not in self.inside:
            return Snapshot(key)
        reading = Reading(datetime.now(UTC), {MetricKey.VISITORS_INSIDE: self.inside[key.site_id]})
        unproven = None if self.is_proven else reading.measured_at
        return Snapshot(key, FeedState.LIVE, readings=(reading,), top_zone_ids=("hall",), unproven=unproven)


async def test_a_site_that_hangs_is_counted_by_the_stream_that_its_card_is_drawn_from() -> None:
    scripted, few = chain(), SITES[:3]
    scripted.now_waits = {"s0": FOR_EVER, "s1": FOR_EVER}
    with scripted_service(scripted) as service, Client(service.base_url, KEY) as client:
        reader = SiteReader(client, (service.base_url, KEY), Streams({"s0": 93, "s2": 4}))
        with closing(Survey(reader.read, reader.streamed, limits=replace(LIMITS, age=1.0))) as survey:

            def reports() -> dict[str, tuple[float | None, float | None, bool]]:
                seen = survey.look(few).items()
                return {id_: (one.inside, one.capacity, one.is_of_stream) for id_, one in seen}

            # On a busy machine the site that answers may be late, too, and is asked again.
            await eventually(
                lambda: (
                    reports() == {"s0": (93, 100, True), "s1": (None, None, False), "s2": (7, None, False)}
                )
            )
            assert survey.look(few)["s1"].failure


@pytest.mark.parametrize("is_proven", [True, False])
def test_a_minute_of_a_stream_is_called_counted_once_it_is_proven(*, is_proven: bool) -> None:
    scripted = chain()
    scripted.newest = None
    with scripted_service(scripted) as service, Client(service.base_url, KEY) as client:
        reader = SiteReader(client, (service.base_url, KEY), Streams({"s0": 93}, is_proven=is_proven))
        report = reader.read(SITES[0], None)
    assert (report.inside, report.is_of_stream, report.is_proven) == (93, True, is_proven)
    assert report.counted_at == (report.measured_at if is_proven else None)


async def test_a_site_whose_service_knows_nothing_of_now_is_counted_by_its_stream() -> None:
    scripted, few = chain(), SITES[:2]
    scripted.newest = None
    with scripted_service(scripted) as service, Client(service.base_url, KEY) as client:
        reader = SiteReader(client, (service.base_url, KEY), Streams({"s0": 93}))
        with closing(Survey(reader.read, reader.streamed, limits=LIMITS)) as survey:
            await eventually(lambda: len(survey.look(few)) == len(few))
            reports = survey.look(few)
    assert (reports["s0"].inside, reports["s0"].is_of_stream) == (93, True)
    assert (reports["s1"].inside, reports["s1"].counted_at) == (None, None)


async def test_a_site_that_is_counted_by_its_stream_is_read_when_it_is_for_its_service() -> None:
    scripted, few = chain(), SITES[:1]
    scripted.newest, scripted.ahead = None, timedelta(days=-3)
    with scripted_service(scripted) as service, Client(service.base_url, KEY) as client:
        reader = SiteReader(client, (service.base_url, KEY), Streams({"s0": 93}))
        with closing(Survey(reader.read, reader.streamed, limits=replace(LIMITS, age=1.0))) as survey:

            def is_of_now() -> bool:
                """On a busy machine the service may be late to tell its clock."""
                report = survey.look(few).get("s0")
                return report is not None and abs(report.as_of - scripted.now()) < timedelta(minutes=1)

            await eventually(is_of_now)
            assert survey.look(few)["s0"].is_of_stream
