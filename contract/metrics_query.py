"""The body of `POST /v3/metrics`, as a client states it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from contract.resources import Resource
from contract.vocabulary import Aggregation, Granularity, MetricKey


class MetricsFilter(Resource):
    zone_ids: tuple[str, ...] | None = None
    """None: the site's top zone. Several are summed minute by minute, a silent one keeping its level."""
    passage_ids: tuple[str, ...] | None = None
    """Restricts entrances and exits to these passages. Outer and inner ones together count a person twice."""


class MetricsQuery(Resource):
    metrics: tuple[MetricKey, ...] = Field(min_length=1)
    site_id: str
    from_: str | None = Field(default=None, alias="from")
    """`now`, `5 minutes ago`, `YYYY-MM-DDTHH:MM:SS` or `YYYY-MM-DD HH:MM:SS`, local to `timezone`."""
    to: str | None = None
    granularity: Granularity | None = None
    aggregation: Aggregation | None = None
    timezone: str | None = None
    filter: MetricsFilter | None = None
    live: bool | None = None

    def body(self) -> dict[str, Any]:
        """The JSON body; what was left out stays out, so that the server infers it."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
