"""Answers that rest on each other, asked for in as few rounds as they do.

Who works something out asks for one thing after the other, as that is easily read; most of these questions do
not rest on the answers before. So it is worked out several times, each time with what is known by then: what
is not known yet is left out, as if it could not be read, and asked for afterwards, all of it side by side.
Where everything is known already, as after most choices, it is worked out once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, Final, NamedTuple, TypeVar, cast

from analysis.history_request import HistoryRequest
from analysis.told_archive import leaves_out_archive
from api_client import ApiClientError, MetricsAnswer
from contract import MetricPoint, MetricsQuery
from runtime.answers import Answers
from runtime.reads import known_answer, read_answers
from runtime.upstream import Account, get_upstream

Key = TypeVar("Key")
Outcome = TypeVar("Outcome")

_MOST_POINTS: Final = 300_000
"""A bound on memory: of all answers together on which what is remembered rests. A year by the hour of eight
zones has 240,000, those for its verdict counted twice."""
_OF_AN_OUTCOME: Final = 1_000
"""Points that weigh as much as what is made of any, tables and a drawn chart, were it of a single one."""


class _Remembered(NamedTuple):
    outcome: Any
    rests_on: Mapping[str, MetricsAnswer]
    """By query, as JSON."""

    @property
    def weight(self) -> int:
        return _OF_AN_OUTCOME + sum(len(answer.points) for answer in self.rests_on.values())

    def is_of_use(self, account: Account) -> bool:
        """Whether all that it rests on is still known of `account`, and so may be found again."""
        return all(known_answer((account, asked)) is answer for asked, answer in self.rests_on.items())


_remembered: Final[OrderedDict[tuple[Account, Hashable], _Remembered]] = OrderedDict()
"""What was made of answers, the newest last."""
_remembered_lock: Final = Lock()


def as_of_its_quarter(request: HistoryRequest) -> HistoryRequest:
    """For a key of what is remembered: the request as if it were made when its quarter of an hour began.

    What is told of a range is another thing once an hour or a day more has passed, which begin at a quarter
    in any time zone. How many minutes have shows in the questions that reach until now, of which the answers
    are soon too old.
    """
    asked = request.asked_at
    return replace(request, asked_at=asked.replace(minute=asked.minute // 15 * 15, second=0, microsecond=0))


class AskedTogether:
    """What is known of the questions of one page, for one run of it: an answer does not change meanwhile."""

    def __init__(self) -> None:
        self._told: dict[str, MetricsAnswer | ApiClientError] = {}
        """By query, as JSON."""
        self._unknown: dict[str, MetricsQuery] = {}
        self._account = get_upstream().account
        self._asked_within: list[dict[str, MetricsAnswer | ApiClientError | None]] = []
        """What is asked for by each work that is to be remembered, the innermost last."""

    @property
    def is_waiting(self) -> bool:
        """Whether something is left out that will be known when it is worked out once more."""
        return bool(self._unknown)

    @property
    def is_lacking(self) -> bool:
        """Whether anything that the work to be remembered has asked for until now is not known yet."""
        asked = self._asked_within[-1] if self._asked_within else {}
        return any(found is None for found in asked.values())

    def worked_out(self, work: Callable[[], Outcome]) -> Outcome:
        """What `work` gives once all that it asks for by the methods below is known, or has failed.

        It must do nothing else: it is called several times. Raises what it raises, and CancelledError once
        nobody waits for what is read in the background.
        """
        while True:
            self._unknown = {}
            outcome = work()
            if not self._unknown:
                return outcome
            answers = read_answers(self._unknown, takes_part=True)
            self._told |= answers.known
            self._told |= answers.failures

    def answers(self, queries: Mapping[Key, MetricsQuery], /) -> Answers[Key]:
        """As `read_answers`, without what is not known yet."""
        told = {key: found for key, query in queries.items() if (found := self._found(query)) is not None}
        return Answers(
            {key: one for key, one in told.items() if isinstance(one, MetricsAnswer)},
            {key: one for key, one in told.items() if isinstance(one, ApiClientError)},
        )

    def points(self, queries: Mapping[Key, MetricsQuery], /) -> dict[Key, Sequence[MetricPoint]]:
        """As `read_points`, likewise: without those that lack days."""
        answers = self.answers(queries)
        lacking = {key for key, answer in answers.known.items() if leaves_out_archive(answer.warnings)}
        return {key: points for key, points in answers.points.items() if key not in lacking}

    def remembered(self, key: Hashable, work: Callable[[], Outcome]) -> Outcome:
        """What `work` gives, which is made of `key` and of answers alone: once of the same answers.

        It is shared by all pages, and must not be changed.
        """
        own = self._account, key
        with _remembered_lock:
            before = _remembered.get(own)
        if before and all(self._known(asked) is answer for asked, answer in before.rests_on.items()):
            for within in self._asked_within:
                within.update(before.rests_on)
            return cast(Outcome, before.outcome)
        self._asked_within.append({})
        try:
            outcome = work()
        finally:
            rests_on = self._asked_within.pop()
        answers = {asked: one for asked, one in rests_on.items() if isinstance(one, MetricsAnswer)}
        if len(answers) == len(rests_on):
            with _remembered_lock:
                _remembered[own] = _Remembered(outcome, answers)
                _remembered.move_to_end(own)
                _forget_oldest()
        return outcome

    def _found(self, query: MetricsQuery) -> MetricsAnswer | ApiClientError | None:
        asked = query.model_dump_json()
        found = self._known(asked)
        if found is None:
            self._unknown[asked] = query
        for within in self._asked_within:
            within[asked] = found
        return found

    def _known(self, asked: str) -> MetricsAnswer | ApiClientError | None:
        if asked not in self._told and (known := known_answer((self._account, asked))):
            self._told[asked] = known
        return self._told.get(asked)


def _forget_oldest() -> None:
    """What rests on what is known no longer, and what is more than there is room for; not the newest."""
    weight = sum(one.weight for one in _remembered.values())
    while len(_remembered) > 1:
        (account, _), oldest = next(iter(_remembered.items()))
        if weight <= _MOST_POINTS and oldest.is_of_use(account):
            return
        weight -= oldest.weight
        _remembered.popitem(last=False)
