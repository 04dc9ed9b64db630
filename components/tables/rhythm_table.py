"""A week as tables: a row for each hour of each weekday that has counts; minutes above thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from analysis.rhythm import Rhythm
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


def rhythm_table(found: Rhythm, metric: MetricKey, formats: Formats) -> pd.DataFrame:
    """Means and bands in the units in which they are shown; missing where too few days tell."""
    rows = []
    for hour, cell in found.cells.items():
        if cell.value is None:
            continue
        band = found.bands.get(hour)
        rows.append(
            {
                WEEKDAY: weekday_name(hour.weekday),
                HOUR: hours_text(hour.hour, hour.hour + 1, formats),
                mean_heading(metric): in_units(cell.value, metric),
                LOW: in_units(band.low, metric) if band else None,
                MEDIAN: in_units(band.median, metric) if band else None,
                HIGH: in_units(band.high, metric) if band else None,
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


def mean_heading(metric: MetricKey) -> str:
    """`People inside, mean`."""
    return f"{METRICS[metric].label}, mean"
