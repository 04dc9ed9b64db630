"""What the rest of the service may ask of a store, and the values that pass between them.

A `Store` has parts: `SiteCatalogue` (organizations and their sites), `KeyRing` (API keys), `MetricStore`
(counts in, metrics out), `LevelStore` (how many are inside, as it is told), `SensorRegistry` (counters),
`MappingStore` (how others are read) and `AuditLog` (who changed what); and, for what goes on beside them,
`CountImports`, `Retention` and `Archiving`.

All methods are safe to call from several threads and may raise `StoreError`; other errors are named where
they belong (`service/store/errors.py` has all). They block, but where it says that an event loop may call
them. Minutes are whole minutes since the epoch, UTC; datetimes are aware.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from contract import Aggregation, Granularity, MetricKey
from service.store.audit_protocol import AuditLog
from service.store.checked import Checked
from service.store.database import ReplicaState
from service.store.errors import IdempotencyConflictError, StoreError
from service.store.key_protocol import KeyRecord, KeyRing, KeyScope
from service.store.level_protocol import LevelStore
from service.store.mapping_protocol import MappingStore
from service.store.sensor_protocol import SensorRegistry
from service.store.site_protocol import (
    DEFAULT_DAILY_RESET_HOUR,
    Organization,
    SiteCatalogue,
    SiteRecord,
)
from service.store.upkeep_protocol import Archiving, CountImports, Retention

__all__ = [
    "DEFAULT_DAILY_RESET_HOUR",
    "Bucket",
    "BucketQuery",
    "CountBatch",
    "CountSeries",
    "HiddenPeople",
    "KeyRecord",
    "KeyRing",
    "KeyScope",
    "MetricStore",
    "Numbers",
    "Organization",
    "PassageCount",
    "Past",
    "SiteCatalogue",
    "SiteRecord",
    "SpreadMinutes",
    "Store",
    "WriteMode",
]

Numbers = npt.NDArray[np.int64]
"""A column of whole numbers."""


class PassageCount(NamedTuple):
    """People who crossed one passage during one minute."""

    passage_id: str
    minute: int
    """Minutes since the epoch, UTC."""
    forward: int
    """From `fromZoneId` to `toZoneId`."""
    backward: int


@dataclass(frozen=True, slots=True)
class CountBatch:
    """Counts that are stored together or not at all."""

    counts: Sequence[PassageCount]
    idempotency: tuple[str, str] | None = None
    """(key, digest of the body), see `MetricStore.append`."""


class WriteMode(StrEnum):
    ADD = "add"
    """Counts of the same passage and minute add up: a sensor reports what it saw since last time."""
    SET = "set"
    """Counts replace what is stored for the passage and minute: a file imported twice changes nothing."""
    FILL = "fill"
    """Counts are stored for those minutes of the passage that have none yet; the others stay as they are."""


class CountSeries(NamedTuple):
    """Counts of one passage as columns, for rows by the million. Minutes ascend, each at most once."""

    passage_id: str
    minutes: Numbers
    """Since the epoch, UTC."""
    forward: Numbers
    backward: Numbers
    mode: WriteMode = WriteMode.SET


class Bucket(NamedTuple):
    start: datetime
    """First instant of the bucket, UTC."""
    values: Mapping[MetricKey, int | float]
    """Only metrics that have a value here."""


class BucketColumns(NamedTuple):
    """Buckets as they are read: a year of minutes costs no object each."""

    metrics: tuple[MetricKey, ...]
    """Each once."""
    starts: Numbers
    """The minute with which each bucket begins, since the epoch, UTC; ascending."""
    values: Sequence[Sequence[int | float | None]]
    """Of each metric one for each start; None: the bucket has none."""


class Past(NamedTuple):
    """What was asked of the past."""

    buckets: BucketColumns
    behind: timedelta
    """They have all that was stored so long ago, at most."""


class HiddenPeople(NamedTuple):
    """What visitorsInside of the asked zones does not show of one count: from a daily reset to the next."""

    since: datetime
    """The reset at which it began, UTC."""
    until: datetime
    """The next reset, or the end of the range where that is sooner, UTC."""
    is_reset: bool
    """Whether it ended with a reset."""
    left_over: int
    """People inside at its end: a reset forgets them."""
    unentered: int
    """People who went out while nobody was inside, added so that the level stops at 0."""


class SpreadMinutes(NamedTuple):
    """Minutes [start, end) of a passage of which a counter told a sum alone, UTC."""

    passage_id: str
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class BucketQuery:
    """A query that has been checked: every zone and passage belongs to the site."""

    site_id: str
    metrics: Sequence[MetricKey]
    start: datetime
    """First minute that counts, UTC."""
    end: datetime
    """Exclusive. The store answers with what it has: what is published yet is the caller's business."""
    granularity: Granularity
    timezone: ZoneInfo
    zone_ids: Sequence[str] = ()
    """Summed minute by minute, a zone without a row keeping its level. Empty: the top zone."""
    passage_ids: Sequence[str] = ()
    """Not empty: entrances and exits through these passages only, inner ones too."""
    aggregation: Aggregation | None = None
    """None: each metric's default."""


class MetricStore(Protocol):
    def append(
        self,
        counts: Iterable[PassageCount],
        mode: WriteMode,
        *,
        idempotency: tuple[str, str] | None = None,
    ) -> bool:
        """Store counts and all that is derived from them in one durable transaction.

        Counts may come from a generator: they are stored as they are read. `idempotency` is (key, digest of
        the body): counts that came under a key already stored with the same digest are not stored again, and
        the answer is False. A key is remembered for seven days, whatever the wall clock does meanwhile.

        Raises UnknownPassageError, IdempotencyConflictError; nothing is stored then.
        """

    def append_all(self, batches: Sequence[CountBatch]) -> list[bool | IdempotencyConflictError]:
        """`append` of several batches that add up, in one transaction.

        For each whether it was stored, False or the conflict of its own idempotency key; the others are
        stored then. Raises UnknownPassageError; nothing at all is stored then.
        """

    def append_series(self, series: Iterable[CountSeries]) -> None:
        """`append` for columns: all of them in one durable transaction, stored as they are read.

        Raises UnknownPassageError; nothing is stored then.
        """

    def buckets(self, query: BucketQuery) -> list[Bucket]:
        """The buckets that hold at least one stored minute, in order.

        Raises UnknownSiteError, QueryTooLargeError.
        """

    def past(self, query: BucketQuery) -> Past:
        """`buckets`, to be printed; perhaps of a copy of the store that has not yet all that others have
        stored.

        Raises UnknownSiteError, QueryTooLargeError.
        """

    def hidden(self, query: BucketQuery) -> list[HiddenPeople]:
        """What resets and the stop at 0 hid in each count that the range touches, in order.

        Each from its beginning on, summed over the zones; without a stored minute it is left out. Nothing is
        told of passages, nor where counts times zones are more than 100. Raises UnknownSiteError.
        """

    def spread(self, query: BucketQuery) -> list[SpreadMinutes]:
        """Minutes in the range, by passage and time, whose people are spread over them; stretches that meet
        are one. Raises UnknownSiteError.
        """

    def check(self) -> Iterator[Checked]:
        """Of each site, whether all that is derived from its counts follows from them."""

    def repair(self, site_id: str) -> None:
        """Make all that is derived from the site's counts again. Raises UnknownSiteError."""

    def newest(
        self,
        site_id: str,
        *,
        zone_ids: Sequence[str] = (),
        passage_ids: Sequence[str] = (),
        metrics: Sequence[MetricKey],
    ) -> Bucket | None:
        """The newest stored minute that has begun, as far as it is filled; None before the first count.

        Takes microseconds: an event loop may call it. What other processes committed is seen from the next
        `poll_changes` on.
        """

    def add_listener(self, listener: Callable[[Mapping[str, int]], None]) -> Callable[[], None]:
        """Call `listener` after each commit with the changed sites; the answer removes it.

        Site id -> the first minute that may have changed: 0 (any) after a change of the site itself, and
        after changes by other processes.
        """

    def poll_changes(self) -> bool:
        """Call the listeners with what other processes committed since the last call, and with stored
        minutes that have begun since; True when there was something.
        """


class Store(Protocol):
    """Several processes may have it open."""

    @property
    def catalogue(self) -> SiteCatalogue: ...

    @property
    def keys(self) -> KeyRing: ...

    @property
    def metrics(self) -> MetricStore: ...

    @property
    def imports(self) -> CountImports: ...

    @property
    def retention(self) -> Retention: ...

    @property
    def archiving(self) -> Archiving: ...

    @property
    def levels(self) -> LevelStore: ...

    @property
    def sensors(self) -> SensorRegistry: ...

    @property
    def mappings(self) -> MappingStore: ...

    @property
    def audit(self) -> AuditLog: ...

    def make_ready(self) -> None:
        """Make ahead what is stored into in the next weeks; called now and then."""

    def reading_together(self) -> AbstractContextManager[None]:
        """Whatever this thread asks for within the block is answered of one state; it only reads."""

    def wait_for_changes(self, seconds: float, stop: threading.Event) -> None:
        """Return once another process may have stored something, as far as the store hears of it, after so
        many seconds, or soon after `stop`. For one thread alone.
        """

    def announce_by(self, announce: Callable[[], None] | None) -> None:
        """Have other processes told by `announce` that something was stored, after each commit: in the thread
        of whoever stored, so it neither waits nor raises. None: by what the store has for that.
        """

    def check(self) -> None:
        """Raise StoreMissingError where what was opened is no longer there. An event loop may call it."""

    def trouble(self) -> StoreError | None:
        """What keeps the store from being read or written; None: all is well. An event loop may call it."""

    def replica(self) -> ReplicaState | None:
        """The copy that is read for the past; None: there is none. An event loop may call it."""

    def stop_waiting(self) -> None:
        """Have what waits for other processes fail now, as busy, where the engine can: this process ends."""

    def close(self) -> None:
        """May be called again."""
