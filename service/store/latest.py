"""The latest values of a site, out of its newest minutes.

Pure. The answer's minute is the newest that any of the asked series has. Entrances and exits are those of
that minute; visitorsInside is a level, so each zone adds the newest it has, unless a daily reset has passed
since: then nothing is known of today's level.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from contract import MetricKey
from contract.minutes import minute_start
from service.store.newest_minutes import NewestMinutes, ZoneMinute
from service.store.protocol import Bucket
from service.store.reset_days import reset_minutes
from service.store.topology import Topology

_SECONDS_A_MINUTE: Final = 60

Values = dict[MetricKey, int | float]


def newest_of_zones(
    newest: NewestMinutes, zone_ids: Sequence[str], metrics: Collection[MetricKey]
) -> Bucket | None:
    """The newest minute of the zones, summed; None before their first count."""
    topology = newest.topology
    numbers = [
        topology.zones[zone_id] for zone_id in topology.asked_zones(zone_ids) if zone_id in topology.zones
    ]
    known = [newest.zones[number] for number in numbers if number in newest.zones]
    if not known:
        return None
    minute = max(zone.minute for zone in known)
    return _bucket(minute, _zone_values(known, minute, topology), metrics)


def newest_of_passages(
    newest: NewestMinutes,
    passage_ids: Collection[str],
    zone_ids: Collection[str],
    metrics: Collection[MetricKey],
) -> Bucket | None:
    """The newest minute of the passages, summed; None before their first count."""
    known = [
        (newest.passages[flow.passage], flow.forward_enters)
        for flow in newest.topology.flows_of_passages(passage_ids, zone_ids)
        if flow.passage in newest.passages
    ]
    if not known:
        return None
    minute = max(count.minute for count, _ in known)
    values: Values = {MetricKey.ENTRANCES: 0, MetricKey.EXITS: 0}
    for count, forward_enters in known:
        if count.minute == minute:
            entering, leaving = count.forward, count.backward
            if not forward_enters:
                entering, leaving = leaving, entering
            values[MetricKey.ENTRANCES] += entering
            values[MetricKey.EXITS] += leaving
    return _bucket(minute, values, metrics)


def _zone_values(zones: Sequence[ZoneMinute], minute: int, topology: Topology) -> Values:
    reset = reset_minutes(minute, minute, topology.timezone, topology.record.daily_reset_hour)[0]
    reporting = [zone for zone in zones if zone.minute == minute]
    entrances = sum(zone.entrances for zone in reporting)
    inside = sum(zone.inside for zone in zones if zone.minute >= reset)
    values: Values = {
        MetricKey.ENTRANCES: entrances,
        MetricKey.EXITS: sum(zone.exits for zone in reporting),
        MetricKey.VISITORS_INSIDE: inside,
    }
    if entrances:
        values[MetricKey.TIME_SPENT] = inside * _SECONDS_A_MINUTE / entrances
    return values


def _bucket(minute: int, values: Mapping[MetricKey, int | float], metrics: Collection[MetricKey]) -> Bucket:
    start = minute_start(minute)
    return Bucket(start, {metric: values[metric] for metric in metrics if metric in values})
