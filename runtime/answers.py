"""What several queries at once come to: the answers that are known, and what failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

from analysis.told_archive import leaves_out_archive, told_archive
from api_client import ApiClientError, MetricsAnswer, Unavailable, has_refused_values
from contract import ErrorCode, MetricPoint

_LACKS: Final = "Older days of the range are left out of the answer: they lie in an archive that is away."

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


def lacking(answer: MetricsAnswer) -> Unavailable | None:
    """As what an answer fails that lacks days which the service cannot read now; None: it lacks none."""
    error = Unavailable(_LACKS, code=ErrorCode.ARCHIVE_AWAY, held_from=told_archive(answer.warnings))
    return error if leaves_out_archive(answer.warnings) else None


def _valued(answer: MetricsAnswer) -> Sequence[MetricPoint]:
    """Without points all of whose values are left out: they tell no count."""
    if not has_refused_values(answer.left_out):
        return answer.points
    return [point for point in answer.points if point.metrics]
