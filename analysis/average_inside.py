"""The average of people inside over the open hours in which somebody was, the same by hour as by minute.

An hour of which only some minutes are counted (the place opened at half past, the range begins there) weighs
as much as these.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime

import pandas as pd

from analysis.bucket_table import ends_are_one, starts_of
from analysis.counted_minutes import held_minutes
from analysis.history_data import HistoryData
from analysis.summary import AverageInside, Completeness
from contract import Granularity, MetricKey
from contract.buckets import bucket_start, bucket_starts

_INSIDE = MetricKey.VISITORS_INSIDE


def average_inside(data: HistoryData, label: str) -> AverageInside | None:
    """None where nobody was inside in any hour; `data` has minutes or hours of averages.

    Whoever is counted inside in a closed hour was left over, where it is known which are.
    """
    column = data.table[label, _INSIDE]
    known, open_hours = data.minutes.get(label, {}), data.open_hours.get(label)
    minutes: dict[datetime, float] = defaultdict(float)
    people: dict[datetime, float] = defaultdict(float)
    parts: dict[datetime, set[datetime]] = defaultdict(set)
    hours = list(bucket_starts(*data.range, Granularity.HOUR, data.timezone))
    is_one = ends_are_one([hours[0], hours[-1]], data.range, data.timezone)
    for start, value in zip(starts_of(data.table), column, strict=True):
        if pd.isna(value):
            continue
        own = bucket_start(start, Granularity.HOUR, data.timezone)
        hour = hours[0] if is_one and own == hours[-1] else own
        is_open = open_hours is None or own in open_hours
        weight = (known.get(start) or held_minutes(start, data.granularity, data)) if is_open else 0
        minutes[hour] += weight
        people[hour] += weight * value
        if is_open:
            parts[hour].add(own)
    busy = [hour for hour, inside in people.items() if inside > 0]
    if not busy:
        return None
    counted = sum(minutes[hour] for hour in busy)
    mean = sum(people[hour] for hour in busy) / counted
    held = sum(held_minutes(part, Granularity.HOUR, data) for hour in busy for part in parts[hour])
    return AverageInside(
        mean, Completeness(len(busy), len(minutes)), Completeness(round(counted), round(held))
    )
