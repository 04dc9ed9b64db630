"""Questions that rest on each other, asked of a real service in as few rounds as they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from analysis.comparison import Against, Comparison
from analysis.granularity import answered_granularity
from analysis.history_answer import ComparedRange, history_answer
from analysis.history_band import with_inside_band
from analysis.history_request import HistoryRequest, RunQueries
from analysis.hourly_verdict import with_hourly_verdict
from analysis.subject import whole_site
from analysis.time_range import TimeRange
from analysis.trust_grid import Grid, place_grid
from analysis.trust_request import trust_request
from contract import MetricKey, MetricPoint, MetricsQuery
from runtime import asked_together, history_reads
from runtime.answers import Answers
from runtime.asked_together import AskedTogether
from runtime.cache import Cache
from runtime.history_reads import read_history
from runtime.reads import read_answers, read_points
from tests.running_service import RunningService, start_service
from tests.small_site import SITE, SmallSite, create_small_site, store_counts

ZURICH = ZoneInfo("Europe/Zurich")
THIS_HOUR = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)


@pytest.fixture(scope="module")
def site_and_service(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[SmallSite, RunningService]]:
    data_dir: Path = tmp_path_factory.mktemp("asked-together")
    site = create_small_site(data_dir)
    minutes = range(1, 6 * 24 * 60)
    store_counts(data_dir, [(THIS_HOUR - timedelta(minutes=ago), "entrance", 2, 2) for ago in minutes])
    service = start_service(data_dir)
    yield site, service
    service.kill()


@pytest.fixture
def rounds(
    site_and_service: tuple[SmallSite, RunningService], monkeypatch: pytest.MonkeyPatch
) -> list[Sequence[MetricsQuery]]:
    """The questions that were asked side by side, each time."""
    site, service = site_and_service
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", site.read_key)
    asked: list[Sequence[MetricsQuery]] = []

    def noted(queries: Mapping[Any, MetricsQuery], *, takes_part: bool) -> Answers[Any]:
        asked.append(tuple(queries.values()))
        return read_answers(queries, takes_part=takes_part)

    monkeypatch.setattr(asked_together, "read_answers", noted)
    return asked


def request(*metrics: MetricKey, days: int = 3) -> HistoryRequest:
    """A range that no other test asks about."""
    range_ = TimeRange(THIS_HOUR - timedelta(days=days), THIS_HOUR)
    asked_at = THIS_HOUR + timedelta(minutes=30)
    return HistoryRequest(SITE.id, (whole_site(SITE),), metrics, range_, ZURICH, asked_at)


def query_of(one: HistoryRequest) -> MetricsQuery:
    return one.query(one.subjects[0])


def test_what_does_not_rest_on_each_other_is_asked_side_by_side(
    rounds: list[Sequence[MetricsQuery]],
) -> None:
    asking, queries = AskedTogether(), [query_of(request(MetricKey.ENTRANCES, days=day)) for day in (1, 2)]

    def work() -> list[Mapping[str, Sequence[MetricPoint]]]:
        return [asking.points({"it": query}) for query in queries]

    first, second = asking.worked_out(work)
    assert [list(one) for one in rounds] == [queries]
    assert (len(first["it"]), len(second["it"])) == (24, 48)


def test_what_rests_on_an_answer_is_asked_after_it(rounds: list[Sequence[MetricsQuery]]) -> None:
    asking = AskedTogether()
    first, second = (query_of(request(metric, days=5)) for metric in (MetricKey.ENTRANCES, MetricKey.EXITS))

    def work() -> int:
        if not asking.points({"first": first}):
            assert asking.is_waiting
            return 0
        return len(asking.points({"second": second}).get("second", ()))

    assert asking.worked_out(work) == 5 * 24
    assert not asking.is_waiting
    assert [list(one) for one in rounds] == [[first], [second]]


def test_what_fails_is_asked_once_and_leaves_the_others_be(rounds: list[Sequence[MetricsQuery]]) -> None:
    asking, good = AskedTogether(), query_of(request(MetricKey.ENTRANCES, days=4))
    bad = good.model_copy(update={"site_id": "nowhere"})
    answers = asking.worked_out(lambda: asking.answers({"good": good, "bad": bad}))
    assert list(answers.known) == ["good"]
    assert list(answers.failures) == ["bad"]
    assert len(rounds) == 1


def test_a_history_takes_three_rounds_and_says_what_one_question_after_the_other_does(
    rounds: list[Sequence[MetricsQuery]],
) -> None:
    """Its buckets; what these are made of; and, around the fullest of these, minutes."""
    asked = request(MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.TIME_SPENT)
    compare = ComparedRange(None, asked.range, Against(Comparison.PERIOD))
    read = read_history(asked, compare, SITE, None)
    assert len(rounds) == 3
    asked, granularity = read.request, answered_granularity(read.request, {}, {})
    one_by_one = partial(read_points)
    points, grid_of = read_points(asked.queries()), partial(place_grid, run=one_by_one)
    answer = history_answer(asked, points, granularity, compare, run=one_by_one, run_other=one_by_one)
    data = with_hourly_verdict(answer.data, asked, answer.peaks, grid_of)
    data = with_inside_band(data, asked, grid_of)
    assert read.reads.points == points
    assert read.answer is not None
    assert (read.answer.peaks, read.answer.other_peaks) == (answer.peaks, answer.other_peaks)
    assert str(read.answer.data) == str(data)
    assert read.answer.data.table.equals(data.table)
    assert len(rounds) == 3, "all else was known"


def test_what_is_made_of_the_same_answers_is_made_once(rounds: list[Sequence[MetricsQuery]]) -> None:
    query, made = query_of(request(MetricKey.ENTRANCES, days=1)), []

    def work(asking: AskedTogether) -> int:
        points = asking.points({"it": query}).get("it", ())
        made.append(len(points))
        return len(points)

    for key in ("one", "one", "another"):
        asking = AskedTogether()
        assert asking.worked_out(partial(asking.remembered, key, partial(work, asking))) == 24
    assert made[-2:] == [24, 24], "once for each key"
    assert made.count(24) == 2


def test_what_was_made_of_an_answer_is_made_anew_of_another(
    rounds: list[Sequence[MetricsQuery]], monkeypatch: pytest.MonkeyPatch
) -> None:
    query = query_of(request(MetricKey.EXITS, days=1))
    seen: list[Mapping[str, Sequence[MetricPoint]]] = []

    def work(asking: AskedTogether) -> None:
        seen.append(asking.points({"it": query}))

    for _ in range(2):
        asking = AskedTogether()
        asking.worked_out(partial(asking.remembered, "newer", partial(work, asking)))
        monkeypatch.setattr("runtime.reads._metrics", Cache(timedelta(seconds=20), most=100))
    assert [list(points) for points in seen] == [[], ["it"], [], ["it"]], "it was asked for twice"


def test_what_rests_on_answers_that_are_known_no_longer_is_not_kept(
    rounds: list[Sequence[MetricsQuery]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could not be found again, and weeks of it would lie about."""
    query = query_of(request(MetricKey.EXITS, days=3))

    def remember(key: str) -> None:
        asking = AskedTogether()
        asking.worked_out(partial(asking.remembered, key, lambda: asking.points({"it": query})))

    remember("one")
    remember("another")
    assert {"one", "another"} <= {key for _, key in asked_together._remembered}
    monkeypatch.setattr("runtime.reads._metrics", Cache(timedelta(seconds=20), most=100))
    remember("of later")
    assert [key for _, key in asked_together._remembered] == ["of later"]


def test_what_failed_is_made_anew(rounds: list[Sequence[MetricsQuery]]) -> None:
    asking = AskedTogether()
    bad = query_of(request(MetricKey.EXITS)).model_copy(update={"site_id": "nowhere"})
    made = []
    for _ in range(2):
        asking.worked_out(
            partial(asking.remembered, "failed", lambda: made.append(asking.answers({"it": bad}).failures))
        )
    assert [list(failures) for failures in made] == [[], ["it"], ["it"]]


def test_what_rests_on_something_remembered_rests_on_its_answers(
    rounds: list[Sequence[MetricsQuery]], monkeypatch: pytest.MonkeyPatch
) -> None:
    query, made = query_of(request(MetricKey.EXITS, days=2)), []

    def outer(asking: AskedTogether) -> None:
        made.append(asking.remembered("inner", lambda: len(asking.points({"it": query}))))

    for key in ("outer", "beside", "beside"):
        asking = AskedTogether()
        asking.worked_out(partial(asking.remembered, key, partial(outer, asking)))
    assert made == [0, 1, 1], "the first made what the second found, and the third made nothing"
    monkeypatch.setattr("runtime.reads._metrics", Cache(timedelta(seconds=20), most=100))
    asking = AskedTogether()
    asking.worked_out(partial(asking.remembered, "beside", partial(outer, asking)))
    assert made == [0, 1, 1, 0, 1], "its answer is another one"


def test_what_is_remembered_is_bounded_by_the_answers_that_it_rests_on(
    rounds: list[Sequence[MetricsQuery]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runtime.asked_together._OF_AN_OUTCOME", 0)
    monkeypatch.setattr("runtime.asked_together._MOST_POINTS", 60)
    query, made = query_of(request(MetricKey.ENTRANCES, days=1)), []
    for key in ("first", "second", "third", "third", "first"):
        asking = AskedTogether()

        def work(asking: AskedTogether = asking, key: str = key) -> None:
            if asking.points({"it": query}):
                made.append(key)

        asking.worked_out(partial(asking.remembered, key, work))
    assert made == ["first", "second", "third", "first"], "each rests on 24 hours: two are kept"


def test_what_rests_on_few_points_is_bounded_too(rounds: list[Sequence[MetricsQuery]]) -> None:
    """A page of one day of one metric holds tables and a chart, and there is another each minute."""
    query, made = query_of(request(MetricKey.ENTRANCES, days=1)), []
    for key in ("first", *range(400), "first"):
        asking = AskedTogether()

        def work(asking: AskedTogether = asking, key: int | str = key) -> None:
            if asking.points({"it": query}):
                made.append(key)

        asking.worked_out(partial(asking.remembered, ("few", key), work))
    assert made == ["first", *range(400), "first"]


def test_weeks_are_laid_out_once_all_that_they_rest_on_is_known(
    rounds: list[Sequence[MetricsQuery]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts begin within them: since when is asked about in questions that rest on each other."""
    laid_out: list[int] = []

    def noted(asked: HistoryRequest, run: RunQueries) -> Grid | None:
        laid_out.append(len(rounds))
        return place_grid(asked, run)

    monkeypatch.setattr(history_reads, "place_grid", noted)
    weeks = trust_request(SITE.id, [whole_site(SITE)], timezone=ZURICH, now=THIS_HOUR)
    asked, asking = replace(weeks, range=request(days=9).range), AskedTogether()
    grid = asking.worked_out(partial(history_reads.read_grid, asking, asked))
    assert len(rounds) > 1
    assert laid_out == [len(rounds)]
    assert grid is not None
    assert grid.since == THIS_HOUR - timedelta(minutes=6 * 24 * 60 - 1)


def test_a_history_is_worked_out_once_for_the_same_answers(rounds: list[Sequence[MetricsQuery]]) -> None:
    asked = request(MetricKey.VISITORS_INSIDE, MetricKey.EXITS, days=4)
    compare = ComparedRange(None, asked.range, Against(Comparison.NONE))
    first = read_history(asked, compare, SITE, None)
    again = read_history(replace(asked, asked_at=asked.asked_at), compare, SITE, None)
    assert first.answer is not None
    assert again.answer is first.answer
    assert again.request == first.request
    other = read_history(replace(asked, metrics=(MetricKey.VISITORS_INSIDE,)), compare, SITE, None)
    assert other.answer is not first.answer
