"""What shade, hatching and grey lines on a history chart mean, as it is said below the chart: nothing
of what is not drawn.
"""

from __future__ import annotations

from analysis.history_data import HistoryData, closed_rows, missing_rows
from analysis.untrusted import SPOILT_METRICS
from contract import Granularity

_OF_PARTS_OF_DAYS = frozenset({Granularity.HOUR, Granularity.MINUTE})


def closed_words(data: HistoryData) -> list[str]:
    if not any(closed_rows(data)) and not (data.closed and data.granularity in _OF_PARTS_OF_DAYS):
        return []
    return ["Shaded: closed." if data.open_time is None else "Shaded: closed, and in no number here."]


def missing_words(data: HistoryData) -> list[str]:
    if not missing_rows(data):
        return []
    # What lies in an archive is stored.
    return ["Hatched: no counts are stored." if data.held_from is None else "Hatched: no counts can be read."]


def untrusted_words(data: HistoryData) -> list[str]:
    is_drawn = bool(data.untrusted) and bool(SPOILT_METRICS & set(data.metrics))
    return ["Grey line: the number inside cannot be trusted."] if is_drawn else []
