"""How wrong forecasts of the rest of a day are, against naive ones, on the recordings and the simulated shop.

    python -m benchmarks.forecast                    each place, one, three and six hours ahead
    python -m benchmarks.forecast --from 2024-01-22  other days of the simulated shop and the rooms

Each hour from 08:00 on of each day with five weeks before it is told from what was known one, three and
six hours before its end. Printed are the mean absolute error, in people, and the part of the truths inside
the band; hours at which nobody usually comes count in neither. The stop has nine weeks, the others thirteen;
the fifteen days of the rooms come again and again, so that their weeks are more alike than real ones. The
stop's number inside means nothing (decision 19).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from math import nan
from statistics import fmean, median
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from analysis.forecast import FEWEST_DAYS, WEEKS, Day, Expected, forecast
from contract import Passage
from contract.buckets import local_midnight
from contract.minutes import minute_number, minute_start
from service.store.protocol import CountSeries, SiteRecord
from service.store.zone_series import PassageMinutes, ZoneMinutes, zone_minutes
from service.workers.demo import CountSource, demo_sources

AHEAD: Final = (1, 3, 6)
"""Hours from the moment of the forecast to the end of the hour that is told."""
_STOP_FROM: Final = date(2024, 1, 17)
_FROM: Final = date(2026, 3, 2)
_ORIGINS: Final = range(7, 22)
_MINUTES: Final = 60
_NEARLY: Final = 0.95
_SATURDAY: Final = 5
_HOURS: Final = 24

Truths = Sequence[Day]


class Place(NamedTuple):
    site: str
    zone: str
    is_inside: bool
    """Else who comes in."""


PLACES: Final = (
    Place("hardbruecke", "hardbruecke-stop", is_inside=False),
    Place("hardbruecke", "hardbruecke-west", is_inside=False),
    Place("hardbruecke", "hardbruecke-ost", is_inside=False),
    Place("sdu-rooms", "sdu-building", is_inside=True),
    Place("sdu-rooms", "sdu-room-1", is_inside=True),
    Place("sdu-rooms", "sdu-room-2", is_inside=True),
    Place("shop", "shop", is_inside=False),
    Place("shop", "shop", is_inside=True),
    Place("shop", "shop-cafe", is_inside=True),
)


class Score(NamedTuple):
    truth: float
    told: float
    is_held: bool | None
    """None: it tells no band."""


def days_of(source: CountSource, zone_id: str, first: date, weeks: int, *, is_inside: bool) -> list[Day]:
    """As the service would tell them, without hours of which minutes are missing."""
    site = source.record.site
    timezone = ZoneInfo(site.timezone or "Etc/UTC")
    edges = [minute_number(local_midnight(day, timezone)) for day in (first, first + timedelta(weeks=weeks))]
    minutes = _minutes(source.record, zone_id, list(source.series(edges[0], edges[1])), edges, timezone)
    found: defaultdict[date, defaultdict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    values = minutes.inside if is_inside else minutes.entrances
    for minute, value in zip(minutes.minutes.tolist(), values.tolist(), strict=True):
        local = minute_start(minute).astimezone(timezone)
        found[local.date()][local.hour].append(value)
    times = 1 if is_inside else _MINUTES
    return [
        Day(
            day,
            {hour: times * fmean(own) for hour, own in hours.items() if len(own) >= _NEARLY * _MINUTES},
        )
        for day, hours in sorted(found.items())
    ]


def _minutes(
    record: SiteRecord, zone_id: str, series: Sequence[CountSeries], edges: Sequence[int], timezone: ZoneInfo
) -> ZoneMinutes:
    doors = {door.id: door for door in record.site.passages}
    is_top = zone_id == record.top_zone_id
    ways = [way for own in series if (way := _way(own, doors[own.passage_id], zone_id, is_top=is_top))]
    days = range((edges[1] - edges[0]) // (_HOURS * _MINUTES) + 2)
    first = minute_start(edges[0]).astimezone(timezone).date()
    hour = time(record.daily_reset_hour)
    resets = [
        minute_number(datetime.combine(first + timedelta(days=day), hour, timezone)) for day in days
    ]  # fmt: skip
    return zone_minutes(ways, *edges, resets=resets, inside_before=0)


def _way(own: CountSeries, door: Passage, zone_id: str, *, is_top: bool) -> PassageMinutes | None:
    """As seen from the zone; None: it does not lead there."""
    sides = (door.from_zone_id, door.to_zone_id)
    if is_top:
        is_in, is_out = sides[0] is None, sides[1] is None
    else:
        is_in, is_out = sides[1] == zone_id, sides[0] == zone_id
    if is_in == is_out:
        return None
    ways = (own.forward, own.backward) if is_in else (own.backward, own.forward)
    return PassageMinutes(own.minutes, *ways)


def scores_of(days: Truths) -> dict[tuple[str, int], list[Score]]:
    """(forecast, hours ahead) -> what it told of each hour, and what came."""
    found: defaultdict[tuple[str, int], list[Score]] = defaultdict(list)
    by_day = {one.day: one.hours for one in days}
    for today in days[7 * WEEKS :]:
        begin = today.day - timedelta(weeks=WEEKS)
        past = [one for one in days if begin <= one.day < today.day]
        same = [one for one in past if one.day.weekday() == today.day.weekday()]
        last = by_day.get(today.day - timedelta(weeks=1), {})
        such = [one for one in past if _is_weekend(one.day) == _is_weekend(today.day)]
        for origin in _ORIGINS:
            hours = {ahead: origin + ahead - 1 for ahead in AHEAD if origin + ahead <= _HOURS}
            so_far = Day(today.day, {hour: one for hour, one in today.hours.items() if hour < origin})
            ours = forecast(past, so_far, set(hours.values())).hours
            plain = forecast(past, Day(today.day, {}), set(hours.values())).hours
            for ahead, hour in hours.items():
                truth = today.hours.get(hour)
                if truth is None or hour not in last or hour not in ours or not ours[hour].high:
                    continue
                found["same hour last week", ahead].append(Score(truth, last[hour], None))
                found["median of days like it", ahead].append(Score(truth, _median(such, hour), None))
                found["median of the weekday", ahead].append(_raw(truth, same, hour))
                found["with a conformal band", ahead].append(_score(truth, plain[hour]))
                found["carried on as today runs", ahead].append(_score(truth, ours[hour]))
    return found


def _is_weekend(day: date) -> bool:
    return day.weekday() >= _SATURDAY


def _median(days: Iterable[Day], hour: int) -> float:
    known = [one.hours[hour] for one in days if hour in one.hours]
    return median(known) if len(known) >= FEWEST_DAYS else nan


def _raw(truth: float, same: Iterable[Day], hour: int) -> Score:
    """With the band that lies between eight of ten of its few days."""
    known = [one.hours[hour] for one in same if hour in one.hours]
    low, middle, high = np.quantile(known, (0.1, 0.5, 0.9)).tolist()
    return Score(truth, middle, low <= truth <= high)


def _score(truth: float, band: Expected) -> Score:
    return Score(truth, band.median, band.low <= truth <= band.high)


def error_of(scores: Sequence[Score]) -> float:
    """Mean absolute error, in people."""
    return fmean(abs(one.truth - one.told) for one in scores)


def held_by(scores: Sequence[Score]) -> float | None:
    """The part of the truths inside the band; None: it tells none."""
    held = [one.is_held for one in scores if one.is_held is not None]
    return sum(held) / len(held) if held else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--from", dest="first", type=date.fromisoformat, default=_FROM)
    first = parser.parse_args().first
    sources = {source.record.site.id: source for source in demo_sources()}
    for place in PLACES:
        is_stop = place.site == "hardbruecke"
        begin, weeks = (_STOP_FROM, 9) if is_stop else (first, 13)
        days = days_of(sources[place.site], place.zone, begin, weeks, is_inside=place.is_inside)
        found = scores_of(days)
        counted = len(found["same hour last week", AHEAD[0]])
        print(f"\n{place.zone}, {'people inside' if place.is_inside else 'entrances'}; {counted} hours")
        for name in dict.fromkeys(name for name, _ in found):
            told = []
            for ahead in AHEAD:
                held = held_by(found[name, ahead])
                told.append(
                    f"{error_of(found[name, ahead]):8.2f} {'' if held is None else f'{held:4.0%}':>4}"
                )
            print(f"  {name:26}" + "   ".join(f"+{h} h {t}" for h, t in zip(AHEAD, told, strict=True)))


if __name__ == "__main__":
    main()
