"""The report of a day as one HTML file: a page of A4 for each site, with nothing to load from elsewhere.

The charts are those of History, drawn by the same library, which the file carries in itself. Names and notes
come from elsewhere, and are escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from numbers import Real
from typing import Final

import pandas as pd
import plotly.io as pio

from analysis.bucket_table import starts_of
from analysis.day_answer import DayAnswer
from analysis.history_answer import HistoryAnswer
from analysis.history_data import HistoryData
from analysis.names import LONGEST_NAME, LONGEST_TEXT, one_line
from components.figures.history_chart import history_chart
from components.figures.plotly_locale import locale_config
from components.number_format import NO_VALUE, Formats, zone_words
from components.sentences.answers import answers_of
from components.sentences.coverage_words import STOPPED_DOORS, present_buckets
from components.sentences.headline import headline
from components.sentences.mark_words import closed_words, missing_words, untrusted_words
from components.sentences.note_words import numbered_heading, numbered_lines
from components.sentences.range_words import held_in_part
from components.tables.shown_table import FROM, shown_table
from contract.buckets import local_midnight
from gauge.levels import Thresholds

_WIDTH: Final = 680
"""Pixels: between the margins of A4."""
_HEIGHT: Final = 300
"""So that sentences, charts and the hours of a day are one page."""
# Between sections the charts' library puts drawings of its own: they do not follow each other directly.
_STYLE: Final = """
@page { size: A4; margin: 13mm }
body { font: 14px/1.45 "Source Sans 3", "Source Sans Pro", "Segoe UI", Roboto, sans-serif; color: #1a1d21;
  background: #fff; width: 680px; margin: 24px auto }
h1 { font-size: 24px; margin: 0 0 4px } h2 { font-size: 20px; margin: 0 0 4px }
h1, h2 { break-after: avoid }
p { margin: 0 0 8px } ul { margin: 0 0 8px } .quiet { color: #5a6169 } .lead { font-size: 17px }
section { break-inside: auto; margin: 0 0 32px } section ~ section { break-before: page }
figure { margin: 8px 0; break-inside: avoid }
table { border-collapse: collapse; width: 100%; font-size: 11px; line-height: 1.15 }
thead { display: table-header-group }
tr { break-inside: avoid } th, td { padding: 1px 6px; text-align: right; border-bottom: 1px solid #d9dde1 }
th:first-child, td:first-child { text-align: left }
@media print { body { margin: 0 auto } }
@media screen { body { width: auto; max-width: 680px; padding: 0 16px } figure { overflow-x: auto } }
"""


def day_report(
    days: Sequence[tuple[DayAnswer, Thresholds]], failures: Mapping[str, str], formats: Formats
) -> bytes:
    """UTF-8. `failures` are sites that could not be read: name -> why.

    A site of several without counts of the day is named at the end, and takes no page of its own.
    """
    told = [(one, own) for one, own in days if one.answer or len(days) == 1]
    parts = [_site(*one, formats, is_first=index == 0) for index, one in enumerate(told)]
    silent = dict.fromkeys((one.subject.label for one, _ in days if not one.answer and len(days) > 1), "")
    parts += [_named("No counts are stored of this day", silent), _named("Could not be read", failures)]
    title = _title([one for one, _ in days])
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body>{''.join(parts)}</body></html>\n"
    ).encode()


def _title(days: Sequence[DayAnswer]) -> str:
    if len(days) == 1:
        return f"{_name(days[0].subject.label)}, {days[0].day.isoformat()}"
    return f"{len(days)} sites, {days[0].day.isoformat()}" if days else "Report of a day"


def _site(one: DayAnswer, thresholds: Thresholds, formats: Formats, *, is_first: bool) -> str:
    midnight = local_midnight(one.day, one.timezone).astimezone(one.timezone)
    asked = one.asked_at.astimezone(one.timezone)
    until = f", until {formats.time(asked)}" if asked.date() == one.day else ""
    when = formats.day(midnight)
    if str(one.day.year) not in when:
        when = f"{when} {one.day.year}"
    head = (
        f"<h1>{escape(_name(one.subject.label))}</h1>"
        f'<p class="quiet">{escape(when)}{escape(until)}. All times are'
        f" {escape(zone_words(one.timezone.key))}. Read on {escape(formats.dated(asked))}.</p>"
    )
    if category := one_line(one.category, LONGEST_TEXT):
        head = f'{head}<p class="quiet">{escape(category)}</p>'
    body = "<p>No counts are stored of this day.</p>"
    if one.answer:
        figure = _chart(one.answer.data, thresholds, formats, is_first=is_first)
        body = _answer(one, one.answer, figure, formats)
    unread = "".join(f'<p class="quiet">{escape(said)}</p>' for said in one.unread)
    return f"<section>{head}{body}{unread}</section>"


def _chart(data: HistoryData, thresholds: Thresholds, formats: Formats, *, is_first: bool) -> str:
    """The first has the library that draws all."""
    figure = history_chart(data, theme="light", formats=formats, revision="report", thresholds=thresholds)
    figure.update_layout(width=_WIDTH, height=_HEIGHT, paper_bgcolor="#fff")
    config = {"staticPlot": True} | locale_config(formats)
    return str(pio.to_html(figure, full_html=False, include_plotlyjs=is_first, config=config))


def _answer(one: DayAnswer, answer: HistoryAnswer, chart: str, formats: Formats) -> str:
    data, peak = answer.data, answer.peaks.get(one.subject)
    notes = "".join(f"<li>{escape(line)}</li>" for line in numbered_lines(data, formats))
    said = " ".join(answers_of(one.subject, data, peak, formats))
    if cut := held_in_part(starts_of(data.table), data.range, data.granularity, data.timezone, formats):
        said = f"{said} Dotted: {cut}"
    doors = [STOPPED_DOORS] if one.has_several_doors else []
    marks = escape(" ".join([*closed_words(data), *missing_words(data), *untrusted_words(data), *doors]))
    below = f'<p class="quiet">{marks}</p>' if marks else ""
    if notes:
        below = f"{below}<p>{numbered_heading(data)}</p><ul>{notes}</ul>"
    return (
        f'<p class="lead">{escape(headline(one.subject, data, peak, formats))}</p>'
        f'<p class="quiet">{escape(present_buckets(data, formats))}</p>'
        f"<figure>{chart}</figure><p>{escape(said)}</p>"
        f"{below}{_table(shown_table(data), formats)}"
    )


def _table(table: pd.DataFrame, formats: Formats) -> str:
    written = table.astype(object)
    for name in table.columns:
        written[name] = [_cell(str(name), value, formats) for value in table[name]]
    return str(written.to_html(index=False, border=0))


def _cell(name: str, value: object, formats: Formats) -> str:
    if value is None or value is pd.NA or value != value:  # noqa: PLR0124 - so is what is no number
        return NO_VALUE
    if name == FROM and isinstance(value, datetime):
        return formats.time(value)
    return formats.number(float(value), 1) if isinstance(value, Real) else str(value)


def _named(heading: str, sites: Mapping[str, str]) -> str:
    """Sites with what is said of each; nothing where there are none."""
    rows = "".join(
        f"<li>{escape(': '.join(filter(None, (_name(name), why))))}</li>" for name, why in sites.items()
    )
    return f"<section><h2>{escape(heading)}</h2><ul>{rows}</ul></section>" if sites else ""


def _name(text: str) -> str:
    return one_line(text, LONGEST_NAME)
