"""A week as tables: a row for each hour of each weekday that has counts; minutes above thresholds; both as
files have them, too, where numbers are numbers and an hour is `09:00` in every language.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import pandas as pd

from analysis.bands import Band
from analysis.rhythm import Rhythm
from analysis.rhythm_answer import HourOfDay
from analysis.threshold_minutes import ThresholdMinutes
from components.number_format import Formats
from components.sentences.rhythm_words import hours_text, in_units, minutes_words, weekday_name
from contract import METRICS, MetricKey

WEEKDAY: Final = "Weekday"
HOUR: Final = "Hour"
DAYS: Final = "Days used"
EXPECTED: Final = "Days in all"
LOW: Final = "Low, 1 day in 10"
MEDIAN: Final = "Median"
HIGH: Final = "High, 1 day in 10"
TODAY: Final = "Today"
CLOSED: Final = "Closed"


def rhythm_table(found: Rhythm, metric: MetricKey, formats: Formats) -> pd.DataFrame:
    """Means and bands in the units in which they are shown; missing where too few days tell."""
    rows = []
    for hour, cell in found.cells.items():
        if cell.value is None:
            continue
        rows.append(
            {
                WEEKDAY: weekday_name(hour.weekday),
                HOUR: hours_text(hour.hour, hour.hour + 1, formats),
                mean_heading(metric): in_units(cell.value, metric),
                **_ends(found.bands.get(hour), metric),
                DAYS: cell.days.present,
                EXPECTED: cell.days.expected,
            }
        )
    return pd.DataFrame(rows)


def threshold_table(found: ThresholdMinutes, thresholds: Sequence[int], formats: Formats) -> pd.DataFrame:
    """A row for each weekday that has a known day; minutes at or above each threshold on such a day."""
    return pd.DataFrame(
        {WEEKDAY: weekday_name(weekday)}
        | {
            f"{formats.percent(percent)} or more": minutes_words(minutes / own.days, formats)
            for percent, minutes in zip(thresholds, own.minutes, strict=True)
        }
        | {DAYS: own.days}
        for weekday, own in found.by_weekday.items()
    )


def week_file(found: Rhythm, metric: MetricKey, formats: Formats) -> pd.DataFrame:
    """As `rhythm_table`."""
    table = rhythm_table(found, metric, formats)
    table[HOUR] = [_clock(hour.hour) for hour, cell in found.cells.items() if cell.value is not None]
    return table


def usual_file(
    bands: Mapping[int, Band], day: Sequence[HourOfDay], metric: MetricKey, closed: Collection[int] | None
) -> pd.DataFrame:
    """A row for each hour of the clock with a band, a number of the `day`, which is today, or closed; an hour
    that comes twice today is two. None: nobody has said when it is open, so no column does.
    """
    shut = closed or ()
    today: dict[int, list[float | None]] = {}
    for one in day:
        today.setdefault(one.hour, []).append(None if one.value is None else in_units(one.value, metric))
    rows = [
        {
            HOUR: _clock(hour),
            **_ends(bands.get(hour), metric),
            DAYS: bands[hour].days if hour in bands else None,
            CLOSED: "yes" if hour in shut else "no",
            TODAY: told,
        }
        for hour in sorted({*bands, *today, *shut})
        for told in today.get(hour, [None])
    ]
    table = pd.DataFrame(rows, columns=[HOUR, LOW, MEDIAN, HIGH, DAYS, CLOSED, TODAY])
    table = table.astype(
        {LOW: "float64", MEDIAN: "float64", HIGH: "float64", DAYS: "Int64", TODAY: "float64"}
    )
    without = [*([] if day else [TODAY]), *([CLOSED] if closed is None else [])]
    return table.drop(columns=without)


def threshold_file(found: ThresholdMinutes, thresholds: Sequence[int]) -> pd.DataFrame:
    """As `threshold_table`."""
    return pd.DataFrame(
        {WEEKDAY: weekday_name(weekday)}
        | {
            f"{percent} % or more, min a day": minutes / own.days
            for percent, minutes in zip(thresholds, own.minutes, strict=True)
        }
        | {DAYS: own.days}
        for weekday, own in found.by_weekday.items()
    )


def _clock(hour: int) -> str:
    return f"{hour:02}:00"


def _ends(band: Band | None, metric: MetricKey) -> dict[str, float | None]:
    ends = (band.low, band.median, band.high) if band else (None, None, None)
    return {
        name: None if end is None else in_units(end, metric)
        for name, end in zip((LOW, MEDIAN, HIGH), ends, strict=True)
    }


def mean_heading(metric: MetricKey) -> str:
    """`People inside, mean`."""
    return f"{METRICS[metric].label}, mean"
