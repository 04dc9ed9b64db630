"""In which states the sites of a list are, and in which order they come: by reports, some of them missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from analysis.site_report import ReadingRest, SiteReport
from contract import SiteSummary
from gauge.levels import CLOSED, Occupancy, Thresholds, occupancy, share_of

_QUIET_AFTER: Final = timedelta(minutes=3)
"""As on a gauge: without a new minute for this long, a place is called quiet."""
_OLD_AFTER: Final = timedelta(days=2)
"""As on a gauge: no value this old means anything now, however seldom a place opens."""


class SiteState(StrEnum):
    """What a list of sites is filtered by; the value stands in the URL. Troubles come first."""

    SILENT = "silent"
    """The counts that usually come at this hour do not."""
    UNRELIABLE = "unreliable"
    """Its counts come, but the number inside means nothing."""
    DEVICE_OFFLINE = "device-offline"
    """The service tells another status of a device than `Online`."""
    NEVER_COUNTED = "never-counted"
    NOT_READ = "not-read"
    """It was asked for, and could not be read."""
    FULL = "full"
    FILLING = "filling"
    FREE = "free"
    CLOSED = "closed"
    """By the opening hours that are kept of it, as a gauge tells it."""
    QUIET = "quiet"
    """No new count for a while, as may be at this hour."""


class StateWords(NamedTuple):
    word: str
    icon: str


WORDS: Final[Mapping[SiteState, StateWords]] = {
    SiteState.SILENT: StateWords("No counts", ":material/more_horiz:"),
    SiteState.UNRELIABLE: StateWords("Unreliable", ":material/warning:"),
    SiteState.DEVICE_OFFLINE: StateWords("Device not online", ":material/sensors_off:"),
    SiteState.NEVER_COUNTED: StateWords("Never counted", ":material/question_mark:"),
    SiteState.NOT_READ: StateWords("Could not be read", ":material/error:"),
    SiteState.FULL: StateWords(Occupancy.FULL.value.word, Occupancy.FULL.value.icon),
    SiteState.FILLING: StateWords(Occupancy.FILLING.value.word, Occupancy.FILLING.value.icon),
    SiteState.FREE: StateWords(Occupancy.FREE.value.word, Occupancy.FREE.value.icon),
    SiteState.CLOSED: StateWords(CLOSED.word, CLOSED.icon),
    SiteState.QUIET: StateWords("Quiet", ":material/pause_circle:"),
}
"""A gauge says the same ones."""
_LEVELS: Final = {
    Occupancy.FULL: SiteState.FULL,
    Occupancy.FILLING: SiteState.FILLING,
    Occupancy.FREE: SiteState.FREE,
}
_OPEN: Final = frozenset({SiteState.FULL, SiteState.FILLING})
"""Whatever its hours say: as many are inside."""
States = Mapping[str, frozenset[SiteState]]
"""By site id; a site that was not read yet is absent."""
_NO_STATES: Final[States] = MappingProxyType({})


class Order(StrEnum):
    """As it is called on the page and in the URL."""

    NAME = "Name"
    FULLEST = "Fullest first"
    MOST_INSIDE = "Most inside"
    PLACES_LEFT = "Most places left"
    OLDEST_COUNT = "Oldest count first"


class Progress(NamedTuple):
    """How far the reading of all sites has come."""

    read: int
    sites: int
    as_of: datetime | None
    """When the oldest of the reports that tell a value was read, by the service's clock, UTC; None: none."""
    judged: int = 0
    """Sites of which it is known whether they are silent or unreliable: their minutes are asked for last."""
    unproven: int = 0
    """Sites among them whose past minutes do not tell whether their counters live."""
    past_unread: int = 0
    """Sites that are quiet, and nobody knows whether counts are missed: past days cannot be read."""
    rest: ReadingRest | None = None
    """Why no site is read right now; None: they are read."""
    is_cut_off: bool = False
    """Whether the service is not heard of any live value, so that the reports may be of before."""
    failed: int = 0
    """Sites that could not be read."""

    @property
    def is_complete(self) -> bool:
        return self.read >= self.sites

    @property
    def is_judged(self) -> bool:
        return self.judged >= self.sites


def progress_of(
    sites: Sequence[SiteSummary],
    reports: Mapping[str, SiteReport],
    rest: ReadingRest | None = None,
    *,
    is_cut_off: bool = False,
) -> Progress:
    found = [reports[site.id] for site in sites if site.id in reports]
    as_of = min((report.as_of for report in found if not report.failure), default=None)
    failed = sum(bool(report.failure) for report in found)
    judged = [report for report in found if report.is_judged]
    unproven = sum(not (report.is_proven or report.silent_since) for report in judged)
    past_unread = sum(report.is_past_unread and report.is_proven for report in judged)
    return Progress(
        len(found), len(sites), as_of, len(judged), unproven, past_unread, rest, is_cut_off, failed
    )


def states_of(
    reports: Mapping[str, SiteReport],
    thresholds_of: Callable[[str], Thresholds],
    closed: Collection[str] = (),
) -> States:
    """`thresholds_of` tells those of a site by its id; `closed` are ids that hours call closed."""
    states = {site_id: _states(report, thresholds_of(site_id)) for site_id, report in reports.items()}
    told_closed = {site_id for site_id in closed if site_id in states and not _OPEN & states[site_id]}
    return states | {
        site_id: states[site_id] - {SiteState.FREE} | {SiteState.CLOSED} for site_id in told_closed
    }


def _states(report: SiteReport, thresholds: Thresholds) -> frozenset[SiteState]:
    if report.failure:
        return frozenset({SiteState.NOT_READ})
    found = {SiteState.DEVICE_OFFLINE} if report.devices_offline else set()
    if report.measured_at is None:
        return frozenset(found | {SiteState.NEVER_COUNTED})
    if report.silent_since:
        return frozenset(found | {SiteState.SILENT})
    if report.is_unreliable:
        return frozenset(found | {SiteState.UNRELIABLE})
    if report.as_of - report.measured_at > _QUIET_AFTER:
        found.add(SiteState.QUIET)
    level = _LEVELS.get(occupancy(_known_share(report), thresholds))
    return frozenset(found | ({level} if level else set()))


def counted(sites: Iterable[SiteSummary], states: States) -> Mapping[SiteState, int]:
    """How many of `sites` are in each state."""
    return Counter(state for site in sites for state in states.get(site.id, ()))


def matching(sites: Iterable[SiteSummary], search: str, states: States) -> list[SiteSummary]:
    """Sites in whose name, city, category, id or states every word of `search` occurs, by name."""
    words = search.casefold().split()
    found = [site for site in sites if all(word in _searched_text(site, states) for word in words)]
    return sorted(found, key=lambda site: (site.name.casefold(), site.id))


def ordered(
    sites: Sequence[SiteSummary], order: Order, reports: Mapping[str, SiteReport], states: States = _NO_STATES
) -> list[SiteSummary]:
    """`sites` in `order`; those of which the measure is unknown, or too old to be believed, come last. So do
    closed ones where places left are asked for: nobody can take one.
    """
    measure = _MEASURES.get(order)
    if measure is None:
        return list(sites)
    measures = {site.id: measure(reports[site.id]) for site in sites if site.id in reports}
    if order is Order.PLACES_LEFT:
        closed = {site_id for site_id in measures if SiteState.CLOSED in states.get(site_id, ())}
        measures |= dict.fromkeys(closed)
    return sorted(sites, key=lambda site: _descending(measures.get(site.id)))


def fullest(
    sites: Sequence[SiteSummary], reports: Mapping[str, SiteReport], most: int = 10
) -> list[tuple[SiteSummary, float]]:
    """Site and percent of its capacity, of the fullest ones that have anybody inside."""
    shares = [(site, _known_share(reports[site.id])) for site in sites if site.id in reports]
    known = [(site, share) for site, share in shares if share]
    return sorted(known, key=lambda pair: -pair[1])[:most]


def inside_together(sites: Sequence[SiteSummary], reports: Mapping[str, SiteReport]) -> tuple[float, int]:
    """People inside `sites` by the values that are known to hold, and of how many sites there is one."""
    found = [reports[site.id] for site in sites if site.id in reports]
    known = [inside for one in found if (inside := _inside(one)) is not None]
    return sum(known), len(known)


def _descending(value: float | None) -> tuple[bool, float]:
    return (value is None, -(value or 0))


def _share(report: SiteReport) -> float | None:
    return share_of(report.inside, report.capacity)


def _is_trusted(report: SiteReport) -> bool:
    counted_at = report.counted_at or report.measured_at
    is_old = counted_at is not None and report.as_of - counted_at > _OLD_AFTER
    is_doubtful = report.silent_since or report.is_past_unread or report.is_unreliable or is_old
    return report.is_proven and not is_doubtful


def _known_share(report: SiteReport) -> float | None:
    return _share(report) if _is_trusted(report) else None


def _inside(report: SiteReport) -> float | None:
    return report.inside if _is_trusted(report) else None


def _places_left(report: SiteReport) -> float | None:
    inside = _inside(report)
    return None if inside is None or not report.capacity else report.capacity - inside


def _age(report: SiteReport) -> float | None:
    return None if report.measured_at is None else -report.measured_at.timestamp()


_MEASURES: Final[Mapping[Order, Callable[[SiteReport], float | None]]] = {
    Order.FULLEST: _known_share,
    Order.MOST_INSIDE: _inside,
    Order.PLACES_LEFT: _places_left,
    Order.OLDEST_COUNT: _age,
}


def _searched_text(site: SiteSummary, states: States) -> str:
    words = (f"{WORDS[state].word} {state}" for state in states.get(site.id, ()))
    return " ".join((site.name, site.address.city, site.category or "", site.id, *words)).casefold()
