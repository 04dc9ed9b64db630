"""What several queries at once come to: the answers that are known, and what failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from api_client import ApiClientError, MetricsAnswer, has_refused_values
from contract import MetricPoint

Key = TypeVar("Key")


class Answers(NamedTuple, Generic[Key]):
    known: Mapping[Key, MetricsAnswer]
    failures: Mapping[Key, ApiClientError]

    @property
    def points(self) -> dict[Key, Sequence[MetricPoint]]:
        """Of the answers that are known."""
        return {key: _valued(answer) for key, answer in self.known.items()}

    @property
    def has_refused(self) -> bool:
        """Whether values of them are left out because they cannot be right."""
        return any(has_refused_values(answer.left_out) for answer in self.known.values())

    @property
    def warnings(self) -> dict[Key, Sequence[Any]]:
        """Of the answers that are known; of any shape."""
        return {key: answer.warnings for key, answer in self.known.items()}


def _valued(answer: MetricsAnswer) -> Sequence[MetricPoint]:
    """Without points all of whose values are left out: they tell no count."""
    if not has_refused_values(answer.left_out):
        return answer.points
    return [point for point in answer.points if point.metrics]
