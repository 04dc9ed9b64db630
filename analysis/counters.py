"""Counters as an administrator looks at them: what is the matter with each, where it hangs, who crossed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from contract import (
    CROSSINGS,
    Granularity,
    MetricKey,
    MetricPoint,
    MetricsFilter,
    MetricsQuery,
    Passage,
    Site,
    format_local,
)
from contract.administration import Sensor

_UTC: Final = ZoneInfo("UTC")


class Trouble(StrEnum):
    """What is the matter with a line, the most urgent first."""

    UNPLACED = "nobody has placed it"
    OFFLINE = "offline"
    CLOCK = "its clock is not believed"
    CONFLICTS = "it told other numbers for the same time"
    IGNORED = "it is ignored"


def troubles_of(sensor: Sensor) -> tuple[Trouble, ...]:
    """Empty for a line that counts as it should. An unplaced one is not missed when it is silent."""
    is_placed = sensor.placement is not None
    found = {
        Trouble.UNPLACED: not is_placed and not sensor.is_ignored,
        Trouble.OFFLINE: is_placed and not sensor.is_online,
        Trouble.CLOCK: sensor.clock is not None and not sensor.clock.is_trusted,
        Trouble.CONFLICTS: sensor.conflicts > 0,
        Trouble.IGNORED: sensor.is_ignored,
    }
    return tuple(trouble for trouble, is_so in found.items() if is_so)


def most_urgent_first(sensors: Sequence[Sensor]) -> list[Sensor]:
    """By the first of their troubles, then in the service's order; those without any last."""
    order = {trouble: index for index, trouble in enumerate(Trouble)}
    return sorted(sensors, key=lambda one: order[found[0]] if (found := troubles_of(one)) else len(order))


class Hung(NamedTuple):
    """The passage at which a line counts, and the site that has it."""

    site: Site
    passage: Passage


def where_hung(sensor: Sensor, sites: Mapping[str, Site]) -> Hung | None:
    """None: nowhere, or at a passage that none of `sites` (by id) has."""
    site = sites.get(sensor.site_id or "")
    if site is None or sensor.placement is None:
        return None
    found = [one for one in site.passages if one.id == sensor.placement.passage_id]
    return Hung(site, found[0]) if found else None


def ends_of(passage: Passage, *, is_swapped: bool) -> tuple[str | None, str | None]:
    """From where to where what the counter calls in leads: ids of zones, None for the outside."""
    ends = passage.from_zone_id, passage.to_zone_id
    return ends[::-1] if is_swapped else ends


def watch_query(site_id: str, passage_id: str, since: datetime) -> MetricsQuery:
    """Who crossed the passage from the minute of `since` on, asked for in UTC."""
    return MetricsQuery(
        metrics=CROSSINGS,
        site_id=site_id,
        from_=format_local(since.replace(second=0, microsecond=0), _UTC),
        to="now",
        granularity=Granularity.MINUTE,
        timezone=_UTC.key,
        filter=MetricsFilter(passage_ids=(passage_id,)),
    )


class Crossings(NamedTuple):
    """People who crossed as the counter calls it."""

    came: int
    went: int


def crossings(points: Sequence[MetricPoint], *, is_swapped: bool) -> Crossings | None:
    """Of the answer to `watch_query`; None: no minute was told of yet, which is not 0."""
    if not points:
        return None
    forward, backward = (
        round(sum(point.metrics.get(key, 0) for point in points))
        for key in (MetricKey.ENTRANCES, MetricKey.EXITS)
    )
    return Crossings(backward, forward) if is_swapped else Crossings(forward, backward)
