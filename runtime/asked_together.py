"""Answers that rest on each other, asked for in as few rounds as they do.

Who works something out asks for one thing after the other, as that is easily read; most of these questions do
not rest on the answers before. So it is worked out several times, each time with what is known by then: what
is not known yet is left out, as if it could not be read, and asked for afterwards, all of it side by side.
Where everything is known already, as after most choices, it is worked out once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from api_client import ApiClientError, MetricsAnswer
from contract import MetricPoint, MetricsQuery
from runtime.reads import Answers, known_metrics, read_answers

Key = TypeVar("Key")
Outcome = TypeVar("Outcome")


class AskedTogether:
    """What is known of the questions of one page, for one run of it: an answer does not change meanwhile."""

    def __init__(self) -> None:
        self._told: dict[str, MetricsAnswer | ApiClientError] = {}
        """By query, as JSON."""
        self._unknown: dict[str, MetricsQuery] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether something is left out that will be known when it is worked out once more."""
        return bool(self._unknown)

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
            answers = read_answers(self._unknown)
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
        """As `read_points`, likewise."""
        return self.answers(queries).points

    def _found(self, query: MetricsQuery) -> MetricsAnswer | ApiClientError | None:
        asked = query.model_dump_json()
        if asked not in self._told:
            if (known := known_metrics(query)) is None:
                self._unknown[asked] = query
                return None
            self._told[asked] = known
        return self._told[asked]
