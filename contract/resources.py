"""The resources of the v3 API as they travel: sites, zones, passages, devices, queries, points, the envelope.

One set of models serves both halves. What the specification leaves open is tolerated on the way in
(unknown fields, absent optional fields, offset-free dates); the service fills every field on the way out.
Field names are the specification's in JSON (`fromZoneId`) and snake case in Python (`from_zone_id`).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass

from contract.vocabulary import Aggregation, Granularity, MetricKey

Content = TypeVar("Content")


def _as_utc(value: datetime) -> datetime:
    """Offset-free means UTC: the specification allows `createdAt` without an offset."""
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("in UTC this is beyond the years 1 to 9999") from error


def format_timestamp(value: datetime) -> str:
    """`YYYY-MM-DDTHH:MM:SS+00:00`, the one form in which points carry their timestamp."""
    return value.astimezone(UTC).isoformat(timespec="seconds")


UtcDatetime = Annotated[
    datetime,
    AfterValidator(_as_utc),
    PlainSerializer(format_timestamp, return_type=str, when_used="json"),
]
"""An aware datetime in UTC, read from any ISO 8601 form, printed with `+00:00`."""

Number = Annotated[int, Field(strict=True)] | Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""An int stays an int. NaN and infinities, which JSON does not have, texts and booleans are refused."""


def _without_nulls(value: object) -> object:
    """A null metric is a missing one: some services send it, the specification does not forbid it."""
    if isinstance(value, dict) and None in value.values():
        return {key: number for key, number in value.items() if number is not None}
    return value


MetricValues = Annotated[dict[str, Number], BeforeValidator(_without_nulls)]
"""Metric key -> number; a key without a value is absent."""


_TRAVELS: Final = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")

REPLAYED: Final = "Replay of a recording:"
SIMULATED: Final = "Simulated:"
"""How the category begins of a site at whose doors nobody passes now, as the service's own sites have it."""


class Resource(BaseModel):
    """Base of everything that travels: camelCase in JSON, immutable, unknown fields ignored."""

    model_config = ConfigDict(**_TRAVELS, frozen=True)


class Device(Resource):
    id: str
    name: str
    status: str = ""
    """Free text; `Online` is the only value the specification shows. Empty: not reported."""


class Zone(Resource):
    id: str
    name: str
    category: str | None = None
    capacity: Number | None = None
    """People the zone may hold. None or 0: not reported, so no share of it can be shown."""
    area: Number | None = None
    """In square metres (our reading: the specification names no unit)."""
    devices: tuple[Device, ...] = ()
    """Atmosphere devices."""


class Passage(Resource):
    id: str
    name: str
    from_zone_id: str | None = None
    """None: this side opens to the outside."""
    to_zone_id: str | None = None
    """None: this side opens to the outside."""
    devices: tuple[Device, ...] = ()
    """Pad devices."""


class Address(Resource):
    street: str = ""
    post_code: str = ""
    city: str = ""
    country: str = ""


class SiteSummary(Resource):
    """A site as the list gives it: flat, without topology."""

    id: str
    name: str
    category: str | None = None
    address: Address = Address()
    timezone: str | None = None
    """IANA name. None: not reported; the dashboard then uses UTC and says so."""
    organization_id: str = ""
    archived: bool = False
    created_at: UtcDatetime | None = None
    updated_at: UtcDatetime | None = None

    @property
    def is_replayed(self) -> bool:
        """Whether it says itself that its counts are those of another time."""
        return (self.category or "").startswith(REPLAYED)

    @property
    def is_simulated(self) -> bool:
        """Whether it says itself that nobody was counted there."""
        return (self.category or "").startswith(SIMULATED)


class Site(SiteSummary):
    """A site as `GET /v3/sites/{siteId}` gives it."""

    construction_year: int | None = None
    zones: tuple[Zone, ...] = ()
    passages: tuple[Passage, ...] = ()

    @property
    def place_ids(self) -> frozenset[str]:
        """Of its zones and passages."""
        return frozenset(one.id for places in (self.zones, self.passages) for one in places)


class MatchingFilters(Resource):
    zone_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, config=_TRAVELS)
class MetricPoint:
    """One bucket: its start and one value per requested metric that has one.

    A metric without a value in the bucket (timeSpent without entrances) is left out: missing is never 0.
    Hundreds of thousands are kept: with slots it takes half of the memory that a model does.
    """

    timestamp: UtcDatetime
    metrics: MetricValues
    matching_filters: MatchingFilters | None = None

    @classmethod
    def of_checked(
        cls, timestamp: datetime, metrics: dict[str, int | float], filters: MatchingFilters | None
    ) -> MetricPoint:
        """Of values that are known to be what these have: nothing is looked at again, and nothing copied."""
        point = object.__new__(cls)
        object.__setattr__(point, "timestamp", timestamp)
        object.__setattr__(point, "metrics", metrics)
        object.__setattr__(point, "matching_filters", filters)
        return point


class ErrorEntry(Resource):
    code: str
    """One of `ErrorCode`, or a code of another service's own."""
    message: str = ""
    details: dict[str, str] | None = None
    """Offending field -> explanation."""


class Pagination(Resource):
    limit: int
    offset: int
    total: int
    has_previous: bool
    has_next: bool
    page: int | None = None
    """Optional: one example of the specification carries it."""


class Meta(Resource):
    request_id: str = ""
    server_tag: str = ""
    warnings: tuple[Any, ...] = ()
    """Entries of any shape: the specification shows none."""
    errors: tuple[ErrorEntry, ...] = ()
    pagination: Pagination | None = None
    inferred_params: dict[str, Any] | None = None


class Envelope(Resource, Generic[Content]):
    """What every endpoint answers with; `data` is None when the request failed."""

    data: Content | None
    meta: Meta


class MetricsFilter(Resource):
    """Which zones and passages a metrics query is about."""

    zone_ids: tuple[str, ...] | None = None
    """None: the site's top zone. Several are summed minute by minute, a silent one keeping its level."""
    passage_ids: tuple[str, ...] | None = None
    """Restricts entrances and exits to these passages. Outer and inner ones together count a person twice."""


class MetricsQuery(Resource):
    """The body of `POST /v3/metrics`, as a client states it."""

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
