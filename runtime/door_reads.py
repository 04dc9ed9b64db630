"""How many passed the doors of a site, as pages rank them: read together, and cached for a moment."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from api_client import ApiClientError
from contract import MetricPoint, MetricsQuery
from runtime.background import waited
from runtime.cache import Cache
from runtime.reads import read_answers
from runtime.resources import get_client
from runtime.upstream import Account, get_upstream

_DOORS_AGE: Final = timedelta(seconds=30)
_MOST_DOOR_LISTS: Final = 500


class DoorAnswers(NamedTuple):
    points: Mapping[str, tuple[MetricPoint, ...]]
    """By passage id; a door that could not be read is absent."""
    failures: Mapping[str, ApiClientError]
    read_at: datetime
    """When the first of them was asked for, by the service's clock, UTC."""


_doors: Final = Cache[tuple[Account, tuple[str, ...]], DoorAnswers](_DOORS_AGE, most=_MOST_DOOR_LISTS)


def read_doors(queries: Mapping[str, MetricsQuery]) -> DoorAnswers:
    """The answer to each query, at most 30 s old; what fails for one leaves the others be."""
    asked = tuple(query.model_dump_json() for query in queries.values())
    key = get_upstream().account, asked
    return waited(lambda: _doors.get(key, lambda: _ask_doors(queries)), "what was counted at the doors")


def _ask_doors(queries: Mapping[str, MetricsQuery]) -> DoorAnswers:
    client = get_client()
    begun = client.service_time
    answers = read_answers(queries, read=client.metrics)
    points = {door: tuple(answer.points) for door, answer in answers.known.items()}
    return DoorAnswers(points, answers.failures, begun)
