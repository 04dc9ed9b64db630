"""What is asked of each door of a site, remembered together with when it was read."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from api_client import ApiClientError
from contract import MetricPoint, MetricsQuery
from runtime.answers import read_answers
from runtime.remembered import Remembered
from runtime.resources import get_client
from runtime.upstream import Account, get_upstream

_AGE: Final = timedelta(seconds=30)
_MOST_SITES: Final = 500


class DoorAnswers(NamedTuple):
    points: Mapping[str, tuple[MetricPoint, ...]]
    """By passage id; a door that could not be read is absent."""
    failures: Mapping[str, ApiClientError]
    read_at: datetime
    """When the first of them was asked for, by the service's clock, UTC."""


_doors: Final = Remembered[tuple[Account, tuple[str, ...]], DoorAnswers](_AGE, most=_MOST_SITES)


def read_doors(queries: Mapping[str, MetricsQuery]) -> DoorAnswers:
    """The answer to each query, at most 30 s old; what fails for one leaves the others be."""
    asked = tuple(query.model_dump_json() for query in queries.values())
    return _doors.get((get_upstream().account, asked), lambda: _read(queries))


def _read(queries: Mapping[str, MetricsQuery]) -> DoorAnswers:
    client = get_client()
    begun = client.service_time
    answers = read_answers(queries, read=client.metrics)
    points = {door: tuple(answer.points) for door, answer in answers.known.items()}
    return DoorAnswers(points, answers.failures, begun)
