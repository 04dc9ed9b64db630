"""A query as it was asked, and what the service said beside its answer: what a page shows of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from contract import MetricsQuery


class AskedQuery(NamedTuple):
    label: str
    """The zone or passage it is about."""
    query: MetricsQuery
    inferred: Mapping[str, Any]
    """Optional parameters that the service filled in."""
    warnings: Sequence[Any]
    request_id: str
    alike: int = 0
    """So many others were asked like it, each about another stretch of open time."""
