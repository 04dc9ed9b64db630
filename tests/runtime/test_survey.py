from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from threading import Event, Lock
from typing import Self

import pytest

from analysis.site_report import SiteReport
from api_client import CLIENT_ENDED, ApiClientError, NotFound, ServiceFailure, Unavailable, Unreachable
from contract import SiteSummary
from runtime.survey import Survey
from runtime.survey_limits import SurveyLimits
from tests.eventually import eventually

QUICK = SurveyLimits(age=0.01, share=0.0, rest=0.0)
ONCE = SurveyLimits(age=600.0, rest=0.0)


def sites(count: int) -> list[SiteSummary]:
    return [SiteSummary(id=f"s{number}", name=f"S{number}") for number in range(count)]


class Service:
    """Answers at once, after `held` where that is not set; counts what is asked."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.failures: dict[str, ApiClientError] = {}
        self.at_once = self.most_at_once = 0
        self.held = Event()
        self.held.set()
        self.hanging: set[str] = set()
        """Whom alone `held` concerns; empty: all."""
        self.takes = 0.0
        """Seconds."""
        self.streaming: set[str] = set()
        self.unjudged: set[str] = set()
        self.order: list[str] = []
        self._lock = Lock()

    def __call__(self, site: SiteSummary, before: SiteReport | None, _patience: float) -> SiteReport:
        with self._lock:
            self.asked[site.id] += 1
            self.order.append(site.id)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        time.sleep(self.takes)
        if not self.hanging or site.id in self.hanging:
            self.held.wait(30.0)
        with self._lock:
            self.at_once -= 1
        if site.id in self.failures:
            raise self.failures[site.id]
        is_judged = site.id not in self.unjudged or before is not None
        return SiteReport(datetime.now(UTC), inside=1, is_judged=is_judged)

    def streamed(
        self, site: SiteSummary, _before: SiteReport | None, _patience: float | None
    ) -> SiteReport | None:
        return (
            SiteReport(datetime.now(UTC), inside=2, is_of_stream=True) if site.id in self.streaming else None
        )


class Watch:
    """A monotonic clock that can be put forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead


class SetClock(datetime):
    """A wall clock that is set while the survey goes on."""

    by = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) + cls.by


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def opened() -> Iterator[list[Survey]]:
    surveys: list[Survey] = []
    yield surveys
    for survey in surveys:
        survey.close()


async def test_a_look_waits_for_nobody_and_lets_all_be_read(service: Service, opened: list[Survey]) -> None:
    survey = Survey(service, limits=ONCE)
    opened.append(survey)
    service.held.clear()
    assert survey.look(sites(40)) == {}
    service.held.set()
    await eventually(lambda: len(survey.look(sites(40))) == 40)
    assert set(service.asked.values()) == {1}


async def test_however_many_look_few_are_asked_at_once_and_each_site_once(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=ONCE)
    opened.append(survey)
    service.held.clear()
    await asyncio.gather(*(asyncio.to_thread(survey.look, sites(100)) for _ in range(20)))
    await eventually(lambda: service.at_once == ONCE.at_once)
    service.held.set()
    await eventually(lambda: len(survey.look(sites(100))) == 100)
    assert service.most_at_once == ONCE.at_once
    assert set(service.asked.values()) == {1}


async def test_values_are_read_again_while_somebody_looks_and_no_longer(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=replace(QUICK, linger=0.2))
    opened.append(survey)
    await eventually(lambda: bool(survey.look(sites(2))) and service.asked["s1"] >= 3)
    await eventually(lambda: survey.readers == 0)
    await eventually(lambda: survey.look(sites(2)) is not None and survey.readers > 0)


async def test_a_round_takes_its_share_of_time_for_each_site(opened: list[Survey]) -> None:
    spared, pressed = Service(), Service()
    opened.append(survey := Survey(spared, limits=replace(QUICK, share=600.0)))
    opened.append(other := Survey(pressed, limits=QUICK))
    await eventually(lambda: len(survey.look(sites(2))) == 2)
    await eventually(lambda: bool(other.look(sites(2))) and pressed.asked["s1"] >= 5)
    assert spared.asked == {"s0": 1, "s1": 1}


@pytest.mark.parametrize(("eager", "soon"), [(39, 600.0), (40, 0.0)], ids=["many sites", "slow answers"])
async def test_nobody_rests_before_first_values_of_few_sites_that_answer_soon(
    service: Service, opened: list[Survey], eager: int, soon: float
) -> None:
    """A rest would outlast the test."""
    service.takes = 0.001
    limits = SurveyLimits(age=600.0, rest=1e6, eager=40, soon=600.0)
    opened.append(survey := Survey(service, limits=limits))
    await eventually(lambda: len(survey.look(sites(40))) == 40)
    opened.append(resting := Survey(service, limits=replace(limits, eager=eager, soon=soon)))
    before = service.asked.total()
    await eventually(lambda: len(resting.look(sites(40))) == limits.at_once)
    assert service.asked.total() - before == limits.at_once


async def test_every_reader_rests_after_a_site_that_is_read_again(
    service: Service, opened: list[Survey]
) -> None:
    """However few the sites are and however soon they answer. A rest would outlast the test."""
    limits = SurveyLimits(age=0.01, share=0.0, rest=1e6, eager=40, soon=600.0)
    service.takes = 0.001
    opened.append(survey := Survey(service, limits=limits))
    await eventually(lambda: bool(survey.look(sites(40))) and service.asked.total() >= 40 + limits.at_once)
    for _ in range(20):  # a reader without rest would read dozens meanwhile
        survey.look(sites(40))
        await asyncio.sleep(0.01)
    assert service.asked.total() == 40 + limits.at_once


async def test_a_round_begins_when_it_is_due_however_often_somebody_looks(
    service: Service, opened: list[Survey]
) -> None:
    opened.append(survey := Survey(service, limits=replace(QUICK, age=1.0)))
    await eventually(lambda: bool(survey.look(sites(2))) and service.asked["s1"] >= 2)


async def test_one_site_that_fails_is_told_and_the_others_are_read(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=ONCE)
    opened.append(survey)
    service.failures["s3"] = NotFound("There is no such site.", code="SITE_NOT_FOUND")
    service.failures["s4"] = ServiceFailure("The service failed.", code="HTTP_500")
    await eventually(lambda: len(survey.look(sites(30))) == 30)
    reports = survey.look(sites(30))
    assert {id_: report.failure for id_, report in reports.items() if report.failure} == {
        "s3": "There is no such site.",
        "s4": "The service failed.",
    }


async def test_a_service_that_is_down_is_let_alone_instead_of_being_asked_for_every_site(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=QUICK)
    opened.append(survey)
    service.failures |= {site.id: Unreachable("No answer.", code="TIMEOUT") for site in sites(500)}
    survey.look(sites(500))
    await eventually(lambda: survey._cooldown.pause is not None)
    asked, until = service.asked.total(), time.monotonic() + 0.5
    assert asked <= 2 * QUICK.at_once
    while time.monotonic() < until:
        survey.look(sites(500))
        await asyncio.sleep(0.05)
    assert service.asked.total() - asked <= QUICK.at_once


async def test_sites_that_are_gone_are_forgotten_and_new_ones_are_read_first(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=ONCE)
    opened.append(survey)
    await eventually(lambda: len(survey.look(sites(5))) == 5)
    fewer_and_one = [*sites(3), SiteSummary(id="new", name="New")]
    await eventually(lambda: survey.look(fewer_and_one).keys() == {"s0", "s1", "s2", "new"})
    assert set(service.asked.values()) == {1}


async def test_what_is_too_old_to_compare_by_is_forgotten(service: Service, opened: list[Survey]) -> None:
    watch = Watch()
    survey = Survey(service, limits=SurveyLimits(age=600.0, rest=0.0, oldest=60.0), clock=watch)
    opened.append(survey)
    service.streaming = {"s1"}
    await eventually(lambda: len(survey.look(sites(2))) == 2)
    watch.ahead = 120.0
    survey.close()
    await eventually(lambda: survey.readers == 0)
    assert survey.look(sites(2)) == {}


@pytest.mark.parametrize("by", [timedelta(hours=-3), timedelta(hours=3)], ids=["back", "forward"])
async def test_a_wall_clock_that_is_set_neither_keeps_nor_forgets_what_is_known(
    service: Service, opened: list[Survey], monkeypatch: pytest.MonkeyPatch, by: timedelta
) -> None:
    monkeypatch.setattr("runtime.survey.datetime", SetClock)
    watch = Watch()
    opened.append(survey := Survey(service, limits=replace(QUICK, oldest=60.0), clock=watch))
    await eventually(lambda: len(survey.look(sites(2))) == 2)
    monkeypatch.setattr(SetClock, "by", by)
    before = service.asked.total()
    await eventually(lambda: len(survey.look(sites(2))) == 2 and service.asked.total() > before + 4)
    survey.close()
    await eventually(lambda: survey.readers == 0)
    watch.ahead = 120.0
    assert survey.look(sites(2)) == {}


async def test_a_site_that_fails_while_its_stream_flows_has_a_value_and_does_not_pass_for_an_answer(
    service: Service, opened: list[Survey]
) -> None:
    """Else a service that answers nothing would be asked for one site after another for ever."""
    opened.append(survey := Survey(service, service.streamed, limits=replace(QUICK, at_once=1)))
    service.failures |= {site.id: ServiceFailure("It failed.", code="HTTP_500") for site in sites(200)}
    service.streaming = {site.id for site in sites(200)[::3]}
    await eventually(lambda: bool(survey.look(sites(200))) and survey._cooldown.pause is not None)
    assert service.asked.total() < 20
    reports = survey.look(sites(200))
    assert {report.inside for report in reports.values() if report.is_of_stream} == {2}
    assert not [id_ for id_, report in reports.items() if report.failure and id_ in service.streaming]


async def test_what_a_stream_brings_is_known_however_long_its_service_is_let_alone(
    service: Service, opened: list[Survey]
) -> None:
    watch = Watch()
    limits = SurveyLimits(age=600.0, rest=0.0, oldest=60.0, linger=1e9)
    opened.append(survey := Survey(service, service.streamed, limits=limits, clock=watch))
    busy = Unavailable("Ask later.", code="RATE_LIMITED", retry_after=3600.0)
    service.failures |= {site.id: busy for site in sites(8)}
    service.streaming = {"s0"}
    await eventually(lambda: "s0" in survey.look(sites(8)) and survey.rest is not None)
    watch.ahead = 120.0
    assert survey.look(sites(8))["s0"].inside == 2


@pytest.mark.parametrize(("age", "known"), [(600.0, {"s0", "s1"}), (60.0, set())])
async def test_after_a_pause_only_what_is_no_older_than_a_round_is_known(
    service: Service, opened: list[Survey], age: float, known: set[str]
) -> None:
    watch = Watch()
    survey = Survey(service, limits=SurveyLimits(age=age, rest=0.0, linger=0.2), clock=watch)
    opened.append(survey)
    await eventually(lambda: survey.look(sites(2)) is not None and service.asked.total() == 2)
    await eventually(lambda: survey.readers == 0)
    watch.ahead = 120.0
    assert survey.look(sites(2)).keys() == known


async def test_many_failing_sites_in_a_row_keep_no_other_from_being_read(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=ONCE)
    opened.append(survey)
    failing = {f"s{number}" for number in range(24, 114)}
    service.failures |= {id_: ServiceFailure("It failed.", code="HTTP_500") for id_ in failing}
    await eventually(lambda: len(survey.look(sites(300))) == 300)
    assert {id_ for id_, report in survey.look(sites(300)).items() if report.failure} == failing
    assert service.asked.total() < 350  # some that worked were asked once more


async def test_sites_that_failed_are_asked_when_nothing_else_is_due(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=replace(QUICK, age=1.0, at_once=1))
    opened.append(survey)
    service.failures["s0"] = service.failures["s1"] = ServiceFailure("It failed.", code="HTTP_500")
    survey.look(sites(6))
    await eventually(lambda: service.asked.total() >= 12)
    assert set(service.order[6:10]) == {"s2", "s3", "s4", "s5"}


async def test_a_site_that_hangs_lets_no_other_value_grow_old(service: Service, opened: list[Survey]) -> None:
    survey = Survey(service, limits=QUICK)
    opened.append(survey)
    service.hanging = {"s0", "s1"}
    service.failures |= {id_: Unreachable("No answer.", code="TIMEOUT") for id_ in service.hanging}
    service.held.clear()
    await eventually(lambda: bool(survey.look(sites(6))) and service.asked["s5"] >= 5)
    assert service.asked["s0"] == service.asked["s1"] == 1
    service.held.set()


async def test_a_pause_that_the_service_asks_for_is_kept_and_told(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=replace(ONCE, at_once=1))
    opened.append(survey)
    busy = Unavailable("Ask later.", code="RATE_LIMITED", retry_after=3600.0)
    service.failures |= {site.id: busy for site in sites(20)}
    before = datetime.now(UTC)
    await eventually(lambda: survey.look(sites(20)) is not None and survey.rest is not None)
    assert survey.rest
    assert survey.rest.reason == "Ask later."
    assert survey.rest.until <= datetime.now(UTC) + timedelta(seconds=180)
    assert survey.rest.until >= before + timedelta(seconds=180)
    await asyncio.sleep(0.2)
    assert service.asked.total() == 4  # three failures, and one to find out whose they are


async def test_a_pause_that_one_site_asks_for_lets_that_site_alone_and_no_other(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=QUICK)
    opened.append(survey)
    service.failures["s2"] = Unavailable("Ask later.", code="RATE_LIMITED", retry_after=3600.0)
    await eventually(lambda: "s2" in survey.look(sites(6)) and service.asked["s5"] >= 5)
    assert survey.rest is None
    assert service.asked["s2"] == 1
    assert survey.look(sites(6))["s2"].failure == "Ask later."


async def test_a_site_that_asked_for_a_pause_is_read_after_it(service: Service, opened: list[Survey]) -> None:
    survey = Survey(service, limits=QUICK)
    opened.append(survey)
    service.failures["s2"] = Unavailable("Ask later.", code="RATE_LIMITED", retry_after=0.3)
    await eventually(lambda: "s2" in survey.look(sites(6)))
    del service.failures["s2"]
    await eventually(lambda: not survey.look(sites(6))["s2"].failure)


async def test_a_round_that_takes_longer_than_reports_are_kept_becomes_and_stays_whole(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=replace(QUICK, at_once=1, oldest=0.1))
    opened.append(survey)
    service.takes = 0.02
    await eventually(lambda: len(survey.look(sites(20))) == 20)
    while service.asked.total() < 60:
        assert len(survey.look(sites(20))) == 20
        await asyncio.sleep(0.01)


async def test_no_value_is_kept_longer_for_a_service_that_is_let_alone(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=replace(QUICK, oldest=0.5))
    opened.append(survey)
    await eventually(lambda: len(survey.look(sites(20))) == 20)
    busy = Unavailable("Ask later.", code="RATE_LIMITED", retry_after=3600.0)
    service.failures |= {site.id: busy for site in sites(20)}
    await eventually(lambda: all(report.failure for report in survey.look(sites(20)).values()))


async def test_a_survey_ends_with_its_client(service: Service, opened: list[Survey]) -> None:
    survey = Survey(service, limits=QUICK)
    opened.append(survey)
    service.failures["s0"] = Unreachable("This dashboard is ending.", code=CLIENT_ENDED)
    survey.look(sites(1))
    await eventually(lambda: bool(service.asked) and survey.readers == 0)
    survey.look(sites(1))
    assert survey.readers == 0


async def test_what_needs_a_second_look_gets_it_after_all_others_had_theirs(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=SurveyLimits(age=600.0, rest=0.0, at_once=1))
    opened.append(survey)
    service.unjudged = {"s0", "s2"}
    survey.look(sites(4))

    def are_judged() -> bool:
        reports = survey.look(sites(4))
        return len(reports) == 4 and all(report.is_judged for report in reports.values())

    await eventually(are_judged)
    assert service.order == ["s0", "s1", "s2", "s3", "s0", "s2"]


async def test_what_a_page_shows_is_read_first_and_waited_for_no_longer_than_a_moment(
    service: Service, opened: list[Survey]
) -> None:
    survey = Survey(service, limits=replace(ONCE, at_once=1))
    opened.append(survey)
    service.held.clear()
    survey.look(sites(50))
    await eventually(lambda: bool(service.order))
    wanted = ["s40", "s41", "s30"]
    assert survey.look_first(wanted, 0.01) == {}
    service.held.set()
    assert survey.look_first(wanted, 30.0).keys() >= set(wanted)
    assert service.order[1:4] == wanted


async def test_after_a_pause_all_that_failed_is_asked_for_as_soon_as_one_site_is_read(
    service: Service, opened: list[Survey]
) -> None:
    """The next round would come ten minutes later."""
    opened.append(survey := Survey(service, limits=ONCE))
    down: dict[str, ApiClientError] = {
        site.id: ServiceFailure("It failed.", code="HTTP_500") for site in sites(12)
    }
    service.failures |= down
    await eventually(lambda: bool(survey.look(sites(12))) and survey._cooldown.pause is not None)
    service.failures.clear()
    await eventually(lambda: len(survey.look(sites(12))) == 12 and not failed_of(survey))


async def test_a_stream_that_flows_again_ends_a_pause_and_has_what_failed_asked_for(
    service: Service, opened: list[Survey]
) -> None:
    """Of three sites all are asked and fail before anybody doubts the service: nothing is due for long."""
    opened.append(survey := Survey(service, service.streamed, limits=ONCE))
    service.failures |= {site.id: ServiceFailure("It failed.", code="HTTP_500") for site in sites(3)}
    await eventually(lambda: len(failed_of(survey, 3)) == 3)
    asked = service.asked.total()
    survey.look(sites(3))
    await asyncio.sleep(0.05)
    assert service.asked.total() == asked
    service.failures.clear()
    service.streaming = {"s1"}
    await eventually(lambda: not failed_of(survey, 3))
    assert not any(report.is_of_stream for report in survey.look(sites(3)).values())


async def test_a_service_that_answers_something_else_again_has_what_failed_asked_for_once(
    service: Service, opened: list[Survey]
) -> None:
    opened.append(survey := Survey(service, limits=ONCE))
    service.failures |= {site.id: ServiceFailure("It failed.", code="HTTP_500") for site in sites(3)}
    await eventually(lambda: len(failed_of(survey, 3)) == 3)
    heard_at = time.monotonic()
    await eventually(lambda: bool(survey.look(sites(3), heard_at)) and service.asked.total() == 6)
    for _ in range(20):
        survey.look(sites(3), heard_at)
        await asyncio.sleep(0.01)
    assert service.asked.total() == 6, "that it was heard says nothing of what failed since"
    service.failures.clear()
    heard_at = time.monotonic()
    await eventually(lambda: bool(survey.look(sites(3), heard_at)) and not failed_of(survey, 3))


async def test_a_stream_of_a_site_that_nobody_may_read_has_it_asked_for_once_more_and_no_oftener(
    service: Service, opened: list[Survey]
) -> None:
    opened.append(survey := Survey(service, service.streamed, limits=ONCE))
    service.failures["s0"] = NotFound("There is no such site.", code="SITE_NOT_FOUND")
    await eventually(lambda: len(failed_of(survey, 2)) == 1 and len(survey.look(sites(2))) == 2)
    service.streaming = {"s0"}
    await eventually(lambda: bool(survey.look(sites(2))) and service.asked["s0"] == 2)
    for _ in range(20):
        survey.look(sites(2))
        await asyncio.sleep(0.01)
    assert service.asked == {"s0": 2, "s1": 1}


async def test_a_pause_that_the_service_asks_for_is_kept_whatever_streams_flow(
    service: Service, opened: list[Survey]
) -> None:
    opened.append(survey := Survey(service, service.streamed, limits=QUICK))
    busy = Unavailable("Ask later.", code="RATE_LIMITED", retry_after=3600.0)
    service.failures |= {site.id: busy for site in sites(8)}
    await eventually(lambda: bool(survey.look(sites(8))) and survey.rest is not None)
    asked = service.asked.total()
    service.streaming = {site.id for site in sites(8)}
    for _ in range(20):
        survey.look(sites(8))
        await asyncio.sleep(0.01)
    assert survey.rest
    assert service.asked.total() <= asked + QUICK.at_once


def failed_of(survey: Survey, count: int = 12) -> list[str]:
    return [id_ for id_, report in survey.look(sites(count)).items() if report.failure]


def test_rounds_that_cost_the_service_nothing_follow_one_another_sooner() -> None:
    limits = SurveyLimits()
    assert (limits.round(10, is_told=False), limits.round(10, is_told=True)) == (60.0, 30.0)
    assert (limits.round(10_000, is_told=False), limits.round(10_000, is_told=True)) == (600.0, 60.0)
