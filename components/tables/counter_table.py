"""The counters that a service heard of, as a table: a row for each line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Final

import pandas as pd

from analysis.counters import where_hung
from analysis.names import LONGEST_NAME, one_line
from components.number_format import NO_VALUE, Formats
from components.sentences.counter_words import clock_words, direction_words, status_words
from contract import Site
from contract.administration import Sensor

LAST_REPORT: Final = "Last report"


def counter_table(
    sensors: Sequence[Sensor],
    sites: Mapping[str, Site],
    names: Mapping[str, str],
    timezone: tzinfo,
    formats: Formats,
) -> pd.DataFrame:
    """`sites` by id, those that could be read; `names` by id, of all sites; times local to `timezone`."""
    return pd.DataFrame([_row(one, sites, names, timezone, formats) for one in sensors])


def _row(
    sensor: Sensor, sites: Mapping[str, Site], names: Mapping[str, str], timezone: tzinfo, formats: Formats
) -> dict[str, object]:
    return {
        "Maker": one_line(sensor.maker, LONGEST_NAME),
        "Serial": one_line(sensor.serial, LONGEST_NAME),
        "Line": one_line(sensor.line, LONGEST_NAME) or NO_VALUE,
        "Placed at": _place(sensor, sites, names),
        "Status": status_words(sensor, timezone, formats),
        LAST_REPORT: pd.Timestamp(sensor.last_heard_at).tz_convert(timezone),
        "Clock": clock_words(sensor.clock, formats) or NO_VALUE,
        "Waiting": sensor.waiting,
        "Conflicts": sensor.conflicts,
        "Direction": _direction(sensor, sites),
    }


def _place(sensor: Sensor, sites: Mapping[str, Site], names: Mapping[str, str]) -> str:
    if sensor.placement is None or sensor.placement.passage_id is None:
        return "ignored" if sensor.is_ignored else "nowhere yet"
    hung = where_hung(sensor, sites)
    passage = (hung.passage.name if hung else "") or sensor.placement.passage_id
    site = names.get(sensor.site_id or "", sensor.site_id or "")
    return " · ".join(one_line(part, LONGEST_NAME) for part in (site, passage) if part)


def _direction(sensor: Sensor, sites: Mapping[str, Site]) -> str:
    hung = where_hung(sensor, sites)
    if hung is None or sensor.placement is None:
        return NO_VALUE
    return direction_words(hung.site, hung.passage, is_swapped=sensor.placement.is_swapped)
