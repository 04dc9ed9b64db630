"""What each metric is, in one table: its kind, its unit, how minutes become one number, what it is called.

The specification names the keys only. Kinds, units and what an aggregation means are our reading of it
(`docs/decisions/0004-what-the-specification-leaves-open.md`).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from contract.vocabulary import Aggregation, MetricKey


class MetricKind(StrEnum):
    """How the values of a metric relate to the minutes of a bucket, and to whom it belongs."""

    FLOW = "flow"
    """Counted within a bucket: buckets add up, and passages have it, too."""
    LEVEL = "level"
    """Holds from one minute to the next; belongs to zones."""
    MEAN = "mean"
    """Already a mean over people, of a whole bucket; belongs to zones."""


class Unit(StrEnum):
    """In what a metric's values are sent; a page may write seconds as minutes."""

    PEOPLE = "people"
    SECONDS = "seconds"


class MetricSpec(NamedTuple):
    """One row of the table."""

    key: MetricKey
    kind: MetricKind
    unit: Unit
    default_aggregation: Aggregation
    """What a query without `aggregation` gets."""
    aggregations: frozenset[Aggregation]
    """Those that mean something, and so are offered on a page. The service answers any, as specified."""
    minimum: int | None
    """A client takes no lower value from a service; None: it takes any."""
    label: str
    """Its name on a page."""
    counted: str
    """What its number is a number of, after it: `31 came in`."""
    quotient: str | None = None
    """Of a mean: what is divided by what. No aggregation changes it."""

    @property
    def is_of_passages(self) -> bool:
        """Whether a passage has it; zones have all."""
        return self.kind is MetricKind.FLOW


_ALL: Final = frozenset(Aggregation)
_SPECS: Final = (
    MetricSpec(
        MetricKey.VISITORS_INSIDE,
        MetricKind.LEVEL,
        Unit.PEOPLE,
        Aggregation.AVERAGE,
        # Summed over minutes, whoever stays is counted again each minute.
        _ALL - {Aggregation.SUM},
        minimum=0,
        label="People inside",
        counted="inside",
    ),
    MetricSpec(
        MetricKey.ENTRANCES,
        MetricKind.FLOW,
        Unit.PEOPLE,
        Aggregation.SUM,
        _ALL,
        minimum=0,
        label="Entrances",
        counted="came in",
    ),
    MetricSpec(
        MetricKey.EXITS,
        MetricKind.FLOW,
        Unit.PEOPLE,
        Aggregation.SUM,
        _ALL,
        minimum=0,
        label="Exits",
        counted="went out",
    ),
    MetricSpec(
        MetricKey.TIME_SPENT,
        MetricKind.MEAN,
        Unit.SECONDS,
        Aggregation.AVERAGE,
        # A mean has no highest and no lowest minute of its own.
        frozenset({Aggregation.AVERAGE}),
        minimum=None,
        label="Time inside",
        counted="min inside per person",
        quotient="person-seconds inside per entrance of the bucket",
    ),
)
METRICS: Final[Mapping[MetricKey, MetricSpec]] = MappingProxyType({spec.key: spec for spec in _SPECS})
"""In the order in which pages show them."""

CROSSINGS: Final = (MetricKey.ENTRANCES, MetricKey.EXITS)
"""The pair that is counted, and from which all else is made. What a passage has is `is_of_passages`."""
