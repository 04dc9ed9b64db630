"""The resources of the administrator's API (`/admin`), which is ours: counters, keys, sites as set up."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, datetime
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from contract.resources import Resource, Site
from contract.resources import UtcDatetime as AnyUtcDatetime

MOST_DISMISSED: Final = 1_000
"""Lines of counters at once."""
LONGEST_OVERLAP: Final = 30 * 24 * 60 * 60
"""Seconds that a key may still open beside the one that replaces it."""


def _on_any_clock(moment: datetime) -> datetime:
    if not MINYEAR < moment.year < MAXYEAR:
        raise ValueError("in some time zone this is beyond the years 1 to 9999")
    return moment


UtcDatetime = Annotated[AnyUtcDatetime, AfterValidator(_on_any_clock)]
"""One that can be written in every time zone."""
Counted = Annotated[int, Field(le=2**53)]
"""A number that tables and browsers hold exactly."""


class PlacedAt(Resource):
    """Where a line counts."""

    passage_id: Annotated[str, Field(min_length=1, max_length=256)] | None
    """None: nowhere; its reports wait."""
    is_swapped: bool = False
    """Whether what the counter calls forward goes from `toZoneId` to `fromZoneId`."""


class ClockTold(Resource):
    """How the counter's clock stood at its newest report."""

    ahead_seconds: int
    """Negative: behind, or the report came late."""
    is_trusted: bool
    """False: its counts are of when they arrived."""


class SensorsDismissed(Resource):
    """Lines that nobody has placed, and that are no counters of anybody's."""

    numbers: Annotated[
        tuple[Annotated[int, Field(ge=1, le=2**53)], ...],
        Field(min_length=1, max_length=MOST_DISMISSED, strict=False),
    ]
    is_ignored: bool = False
    """False: one that reports again is back on the list."""


class Sensor(Resource):
    """A line of a counter."""

    number: int
    maker: str
    serial: str
    line: str
    """As the counter calls it; empty where it has one line only."""
    placement: PlacedAt | None
    site_id: str | None = None
    """Of the passage at which it is placed."""
    status: str
    """Online, or Offline: silent for longer than it usually is, or so by its own word."""
    status_since: UtcDatetime
    """Of one that is offline; else when it was heard last."""
    usual_silence_seconds: int
    """So long it is silent as a rule, at most."""
    first_heard_at: UtcDatetime
    last_heard_at: UtcDatetime
    """Of this line, the first and the last report."""
    clock: ClockTold | None
    """None before its first count."""
    waiting: Counted
    """Reports that are kept until it is placed, and then until they are counted."""
    conflicts: Counted
    """Reports that were not taken as they told other numbers than before, or more than any line counts."""
    is_ignored: bool = False
    """Whether somebody has said to ignore it: its reports are not kept, until it is placed."""

    @property
    def is_online(self) -> bool:
        return self.status == "Online"


class ListedKey(Resource):
    """An API key as the list tells it: never its secret."""

    id: str
    name: str
    scope: str
    """`read` for /v3, `ingest` for /ingest, `admin` for /admin."""
    created_at: UtcDatetime
    expires_at: UtcDatetime | None
    """From then on it is refused. None: never."""
    revoked_at: UtcDatetime | None
    site_ids: tuple[str, ...] | None
    """The only sites that it reads. None: all of the organization."""
    replaced_by: str | None = None
    """Id of the key that rotation made in its place."""
    last_used_at: UtcDatetime | None
    last_used_from: str | None
    """Address of the client."""


class MadeKey(ListedKey):
    """A key that was just made."""

    secret: str
    """What is sent as `x-api-key`. Told this once; nobody can tell it again."""


class AskedKey(Resource):
    """A key that is asked for."""

    name: str
    scope: str
    expires_at: UtcDatetime | None = None
    site_ids: tuple[str, ...] | None = None


class NamedOrganization(Resource):
    id: str
    name: str


class ListedSite(Resource):
    """A site in a line."""

    id: str
    name: str
    archived: bool
    timezone: str | None
    zones: int
    """How many."""
    passages: int
    updated_at: UtcDatetime | None


class SiteSetUp(Site):
    """A site as `GET /v3/sites/{siteId}` answers it, without placed counters, and what that does not show."""

    top_zone_id: str
    """The zone that is the whole site."""
    daily_reset_hour: int
    """Site-local hour at which visitorsInside begins again at 0."""


class SiteStored(SiteSetUp):
    notes: tuple[str, ...]
    """What was inferred or passed over, in sentences."""


class MappingWritten(Resource):
    """Where, in the JSON of a counter that no adapter knows, stands what it counts: JMESPath expressions.

    They are evaluated on an object of two: `row`, one of what `rows` finds in the body, and the `body`. An
    empty one is of what the counter does not tell.
    """

    kind: str
    """`interval`, `cumulative` or `event`."""
    time_format: str = "iso"
    """`iso`, `iso-utc`, `seconds` or `milliseconds`."""
    rows: str = "@"
    """Finds the rows in the body, of which each tells one count; an object is a single row."""
    serial: str
    line: str = ""
    start: str = ""
    end: str = ""
    """Of an interval; moment of a total or of an event."""
    interval_seconds: int | None = None
    """Of intervals of which the counter tells one end."""
    forward: str = ""
    backward: str = ""
    identity: str = ""
    """The same for the same count each time; empty: its time, and the numbers of a total."""
    since: str = ""
    """Of a running total: changes when it begins again."""


class KeptMapping(Resource):
    """A mapping that is kept: counters post to `/ingest/{name}`, and are read by it."""

    name: str
    written: MappingWritten
    tag: str
    """The ETag of this state of it."""
    changed_at: UtcDatetime


class CountRead(Resource):
    """What a mapping reads of one count."""

    serial: str
    line: str
    start: str | None
    """ISO 8601 as the counter tells it; without an offset it is local to the site where the counter hangs."""
    end: str
    forward: int
    backward: int
    identity: str


class MappingTried(Resource):
    """What a mapping makes of a body; nothing of it is stored."""

    faults: dict[str, str]
    """By field of the mapping, `rows` for all of them, or `body`. Empty: it can be used with such a body."""
    row: int | None = None
    """In which row of the body they are, counted from 1."""
    counts: tuple[CountRead, ...] = ()
    """The first of them."""
    total: int = 0
    """How many there are."""
    left_out: tuple[str, ...] = ()
    """What stands in the body and is not counted, in words."""


class DoneBy(Resource):
    """When something was done, and who did it."""

    at: UtcDatetime
    key_id: str
    key_name: str
    acting_for: str | None
    """The person for whom the key acted, by its own word."""


class CorrectionTold(Resource):
    """A correction, as it was made."""

    number: int
    zone_id: str
    timestamp: UtcDatetime
    """The minute from which on it holds."""
    visitors_inside: int
    visitors_inside_before: int | None = None
    """What it was then; None: nothing was counted since the daily reset, or it is not known any more."""
    reason: str
    made: DoneBy
    withdrawn: DoneBy | None
    """None while it holds."""


class AuditShown(Resource):
    """A change. It stands here once it is made, and stays."""

    number: int
    at: UtcDatetime
    key_id: str | None
    """Of the key that made it; None where it was made without one."""
    key_name: str
    """As the key was called then, or `command line`, or `the service itself`."""
    acting_for: str | None
    """For whom the key acted, by its own word."""
    action: str
    """What was changed and how, such as `site.changed`."""
    target: str
    """Id of what was changed; of a counter its maker, serial and line."""
    before: dict[str, Any] | None
    """The fields that changed, as they were; zones and passages by their ids. None: it was not there."""
    after: dict[str, Any] | None
