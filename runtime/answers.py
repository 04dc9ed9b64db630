"""Several metrics queries at once; what fails for one leaves the others be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Generic, NamedTuple, TypeVar

from api_client import ApiClientError, MetricsAnswer
from contract import MetricsQuery
from runtime.reads import read_metrics

_AT_ONCE: Final = 6
"""Requests under way together for one page."""

Key = TypeVar("Key")


class Answers(NamedTuple, Generic[Key]):
    known: Mapping[Key, MetricsAnswer]
    failures: Mapping[Key, ApiClientError]


def read_answers(
    queries: Mapping[Key, MetricsQuery], *, read: Callable[[MetricsQuery], MetricsAnswer] = read_metrics
) -> Answers[Key]:
    """The answer to each query as `read` gives it: if nothing else is told, each at most 20 s old."""

    def attempt(query: MetricsQuery) -> MetricsAnswer | ApiClientError:
        try:
            return read(query)
        except ApiClientError as error:
            return error

    if not queries:
        return Answers({}, {})
    with ThreadPoolExecutor(min(_AT_ONCE, len(queries)), thread_name_prefix="answers") as pool:
        outcomes = dict(zip(queries, pool.map(attempt, queries.values()), strict=True))
    return Answers(
        {key: outcome for key, outcome in outcomes.items() if isinstance(outcome, MetricsAnswer)},
        {key: outcome for key, outcome in outcomes.items() if isinstance(outcome, ApiClientError)},
    )
