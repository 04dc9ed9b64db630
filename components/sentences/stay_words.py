"""In which rows of a chart time inside is not that of visits, in a sentence."""

from __future__ import annotations

from analysis.bucket_table import Completeness
from analysis.history_data import HistoryData, cut_stay_rows
from analysis.names import LONGEST_NAME, one_line
from analysis.time_inside import FEWEST_VISITS
from components.number_format import Formats
from components.sentences.coverage_words import portion
from contract import Granularity, MetricKey


def cut_stay_words(data: HistoryData, formats: Formats) -> list[str]:
    """What is grey of time inside, and why; empty where nothing is."""
    if MetricKey.TIME_SPENT not in data.metrics:
        return []
    cut = {label: sum(cut_stay_rows(data, label)) for label in data.labels}
    if not any(cut.values()):
        return []
    if data.granularity is Granularity.MINUTE:
        return [
            "Grey line: time inside of a minute, which is shorter than a visit. Choose hours to see that."
        ]
    parts = []
    for label, rows in cut.items():
        if rows:
            told = int(data.table[label, MetricKey.TIME_SPENT].notna().sum())
            of = "" if len(cut) == 1 else f" of {one_line(label, LONGEST_NAME)}"
            parts.append(f"{portion(Completeness(rows, told), data.granularity, formats)}{of}")
    why = f"fewer than {FEWEST_VISITS} came in, or the place filled or emptied"
    return [f"Grey line: time inside that is not that of visits, as {why} ({', '.join(parts)})."]
