"""Which hours the page Trust asks for: of the site, of its zones, then of the passages of those.

The API sums what one query names, so each takes a query of its own. Of a large site not all are asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.door_blame import Way
from analysis.history_request import HistoryRequest
from analysis.open_hours import METRICS_OF_HOURS
from analysis.open_time import Opening
from analysis.opening_hours import OpeningHours
from analysis.subject import Subject, labels_of, whole_site, zone_subjects
from analysis.time_range import TimeRange
from contract import CROSSINGS, Granularity, MetricsFilter, MetricsQuery, Site
from contract.buckets import bucket_start, local_midnight

MOST_ZONES: Final = 10
MOST_PASSAGES: Final = 20
_READ_DAYS: Final = 30
"""Four weeks of days that begin at any hour, and the day before."""
_LATE: Final = timedelta(minutes=2)
"""The newest minutes may still come."""


class ChosenZones(NamedTuple):
    subjects: tuple[Subject, ...]
    """The whole site first, then its zones but for those that alone stand for it."""
    left_out: int
    """Zones of which nothing is asked."""
    by_id: Mapping[str, Subject]
    """The zones by id; the whole site by that of the zone that alone stands for it."""


def offered_zones(site: Site, top_zone_ids: Collection[str]) -> list[str]:
    """Ids of all zones but one that alone stands for the whole site.

    Those that passages lead into come first: of them it can be told whether their doors add up.
    """
    same = set(top_zone_ids) if len(top_zone_ids) == 1 else set()
    joined = {end for one in site.passages for end in (one.from_zone_id, one.to_zone_id)}
    ids = [zone.id for zone in site.zones if zone.id not in same]
    return sorted(ids, key=lambda id_: id_ not in joined)


def chosen_zones(site: Site, top_zone_ids: Collection[str], asked: Sequence[str] = ()) -> ChosenZones:
    """Of the offered zones those in `asked`, or the first where none is, as many as are asked for."""
    ids = offered_zones(site, top_zone_ids)
    looked = [id_ for id_ in asked if id_ in ids] or ids
    zones, whole = zone_subjects(site, looked[:MOST_ZONES]), whole_site(site)
    same = set(top_zone_ids) if len(top_zone_ids) == 1 else set()
    by_id = dict.fromkeys(same, whole) | {zone.id: zone for zone in zones}
    return ChosenZones((whole, *zones), len(ids) - len(zones), by_id)


def ways_of(site: Site) -> list[Way]:
    """All passages that lead into or out of a listed zone, but for those that lead from one into itself."""
    listed, labels = {zone.id for zone in site.zones}, labels_of(site.passages)
    found = []
    for passage in site.passages:
        into, out = passage.to_zone_id, passage.from_zone_id
        ends = [end for end in (into, out) if end is not None and end in listed]
        if ends and into != out:
            found.append(Way(passage.id, labels[passage.id], ends[0], ends[1] if len(ends) > 1 else None))
    return found


def chosen_ways(ways: Sequence[Way], zones: Sequence[str]) -> list[Way]:
    """All passages of one zone after the other, in the order of `zones`, as many as are asked for.

    A zone of which not all fit is left out: on some of its doors no judgement rests.
    """
    chosen: list[Way] = []
    for zone in zones:
        more = [way for way in ways if zone in way.ends and way not in chosen]
        if len(chosen) + len(more) <= MOST_PASSAGES:
            chosen += more
    return chosen


def trust_request(
    site_id: str,
    subjects: Sequence[Subject],
    *,
    timezone: ZoneInfo,
    now: datetime,
    hours: OpeningHours | None = None,
) -> HistoryRequest:
    """The whole hours of the last days, by the hour; `now` is aware, `hours` as somebody has said."""
    first = now.astimezone(timezone).date() - timedelta(days=_READ_DAYS)
    return HistoryRequest(
        site_id=site_id,
        subjects=tuple(subjects),
        metrics=METRICS_OF_HOURS,
        range=TimeRange(local_midnight(first, timezone), whole_hours_until(now, timezone)),
        timezone=timezone,
        asked_at=now,
        granularity=Granularity.HOUR,
        opening=Opening(hours, timezone) if hours else None,
    )


def whole_hours_until(now: datetime, timezone: ZoneInfo) -> datetime:
    """End of the last local hour that is over, with all its minutes."""
    return bucket_start(now - _LATE, Granularity.HOUR, timezone)


def way_queries(request: HistoryRequest, ways: Sequence[Way]) -> Mapping[Way, MetricsQuery]:
    """Each names its zone, too: which way a passage counts as entrances is open without one."""
    asked = replace(request, metrics=CROSSINGS)
    return {
        way: asked.query(request.subjects[0]).model_copy(
            update={"filter": MetricsFilter(zone_ids=(way.zone_id,), passage_ids=(way.passage_id,))}
        )
        for way in ways
    }
