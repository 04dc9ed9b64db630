"""How many of its minutes an hour is to have counted, where these are not all: it opens or closes within it.

Where somebody has said when a site is open, its open minutes are. Else it is what its counts usually tell: an
hour with which the counts of a day begin or end has, on most of its days, as many minutes as on the others.
A counter that fails at the same time every day looks as if it opened late: only opening hours tell that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np

from analysis.bucket_table import Completeness, starts_of
from analysis.count_days import Truths
from analysis.counted_minutes import held_minutes
from analysis.history_data import HistoryData
from analysis.open_time import OpenTime
from analysis.reporting_rate import (
    EACH_MINUTE,
    MINUTES_AN_HOUR,
    MISSED,
    ReportingRate,
    agreed_minutes,
    reporting_rate,
)
from analysis.time_range import naive_local
from contract import Granularity


def usual_minutes(
    starts: Sequence[datetime], counted: Truths, known: Mapping[int, float], timezone: ZoneInfo
) -> dict[int, float]:
    """Row -> minutes that such an hour has, of its weekday or else of all days, where most of them agree.

    `known` has the counted minutes of rows. An hour between counted ones is no edge, and is to have all.
    """
    edges = edges_of(counted)
    own = {row: minutes for row, minutes in known.items() if counted[row]}
    return {
        row: minutes
        for row, minutes in minutes_by_clock(starts, own, timezone).items()
        if edges[row] or not counted[row]
    }


def minutes_by_clock(
    starts: Sequence[datetime], known: Mapping[int, float], timezone: ZoneInfo
) -> dict[int, float]:
    """Row -> counted minutes that most such hours have, of its weekday or else of all days, where they agree.

    `known` has the counted minutes of rows.
    """
    by_weekday: dict[tuple[int, int], list[int]] = defaultdict(list)
    by_clock: dict[int, list[int]] = defaultdict(list)
    places = [naive_local(start, timezone) for start in starts]
    for row in known:
        by_weekday[places[row].weekday(), places[row].hour].append(row)
        by_clock[places[row].hour].append(row)
    of_weekday = {place: agreed_minutes([known[row] for row in rows]) for place, rows in by_weekday.items()}
    of_clock = {hour: agreed_minutes([known[row] for row in rows]) for hour, rows in by_clock.items()}
    found = {
        row: of_weekday.get((place.weekday(), place.hour)) or of_clock.get(place.hour)
        for row, place in enumerate(places)
    }
    return {row: minutes for row, minutes in found.items() if minutes}


def rate_within(counted: Truths, known: Mapping[int, float]) -> ReportingRate:
    """Of hours that neither begin nor end the counts of a day; `known` has the counted minutes of rows.

    A counter that reports every few minutes has in no hour more of them: where most hours do, whichever these
    are, the few within have lost theirs.
    """
    edges = edges_of(counted)
    rate = reporting_rate([minutes for row, minutes in known.items() if not edges[row]])
    more = sum(minutes > rate.mean + MISSED for minutes in known.values())
    return EACH_MINUTE if 2 * more > len(known) else rate


def rates_of(data: HistoryData) -> dict[str, ReportingRate]:
    """By label, of hours that are open as a whole; where nobody has said so, that begin or end no day."""
    starts, rates = starts_of(data.table), {}
    for label, own in data.minutes.items():
        known = {row: own[start] for row, start in enumerate(starts) if start in own}
        if data.open_time is None:
            counted = counted_rows(data, label)
            rates[label] = rate_within(counted, known)
        else:
            held = held_minutes(data.granularity, data)
            whole = [minutes for row, minutes in known.items() if held(starts[row]) == MINUTES_AN_HOUR]
            rates[label] = reporting_rate(whole)
    return rates


def counted_rows(data: HistoryData, label: str) -> Truths:
    """Which rows have a value."""
    values = data.table[[one for one in data.columns if one[0] == label]].to_numpy()
    counted: Truths = ~np.isnan(values).all(axis=1)
    return counted


def at_rates(data: HistoryData, rates: Mapping[str, ReportingRate]) -> HistoryData:
    """Hours whose counted minutes are those for which the reported ones stand."""
    return replace(data, minutes={
        label: {start: rates.get(label, EACH_MINUTE).of_an_hour(one) for start, one in own.items()}
        for label, own in data.minutes.items()
    })  # fmt: skip


def edges_of(counted: Truths) -> Truths:
    """Which counted hours have one without counts beside them."""
    beside = np.concatenate(([True], counted, [True]))
    edges: Truths = counted & ~(beside[:-2] & beside[2:])
    return edges


def held_minutes_of(
    starts: Sequence[datetime], usual: Mapping[int, float], open_time: OpenTime | None, timezone: ZoneInfo
) -> dict[int, float]:
    """Row -> minutes that it is to have, where these are fewer than sixty.

    Of an hour that is open in part these are at least its open minutes, and more where more are usual: people
    leave after it has closed. `open_time` None: nobody has said when it is open.
    """
    held = {}
    for row, start in enumerate(starts):
        open_ = open_time.of_bucket(start, Granularity.HOUR, timezone) if open_time else 0.0
        minutes = max(open_, usual.get(row, 0.0))
        if 0 < minutes < MINUTES_AN_HOUR - MISSED:
            held[row] = minutes
    return held


def lacking(
    known: Mapping[int, float], held: Mapping[int, float], rate: ReportingRate = EACH_MINUTE
) -> dict[int, Completeness]:
    """Row -> its counted minutes, of those of `held` that lack some."""
    return {
        row: Completeness(round(known[row]), round(minutes))
        for row, minutes in held.items()
        if row in known and rate.of_an_hour(known[row]) < minutes - MISSED
    }
