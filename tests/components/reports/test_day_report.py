from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from analysis.bucket_table import bucket_table, cut_buckets, starts_of
from analysis.day_answer import DayAnswer
from analysis.history_answer import HistoryAnswer
from analysis.history_data import HistoryData
from analysis.notes import Note
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from analysis.told_levels import ToldLevel
from components.number_format import Formats
from components.reports.day_report import day_report
from contract import Granularity, MetricKey, MetricPoint
from gauge.levels import Thresholds

ZURICH = ZoneInfo("Europe/Zurich")
DAY = date(2026, 6, 1)
MIDNIGHT = datetime(2026, 6, 1, tzinfo=ZURICH).astimezone(UTC)
READ = Formats(now=datetime(2026, 6, 2, tzinfo=UTC))
HOSTILE = "<script>alert(1)</script> & Söhne"


def reported(name: str = "Shop", note: str = "sale") -> DayAnswer:
    """Ten come in during each hour from 08:00 to 18:00."""
    range_ = TimeRange(MIDNIGHT, MIDNIGHT + timedelta(days=1))
    subject = Subject(SubjectKind.SITE, "shop", name)
    points = [
        MetricPoint(timestamp=MIDNIGHT + timedelta(hours=hour), metrics={MetricKey.ENTRANCES: 10})
        for hour in range(8, 18)
    ]
    table = bucket_table({name: points}, [MetricKey.ENTRANCES], range_, Granularity.HOUR, ZURICH)
    cut = cut_buckets(starts_of(table), range_, Granularity.HOUR, ZURICH)
    notes = {"a": Note(at=MIDNIGHT + timedelta(hours=9), text=note)}
    data = HistoryData(table, cut, Granularity.HOUR, ZURICH, range_, notes=notes)
    return DayAnswer("shop", subject, DAY, ZURICH, READ.now or MIDNIGHT, HistoryAnswer(data, {}, {}))


def page(*days: DayAnswer, **failures: str) -> str:
    return day_report([(one, Thresholds()) for one in days], failures, READ).decode()


def without_scripts(html: str) -> str:
    return re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)


def test_a_report_of_a_place_with_several_doors_says_what_their_counts_do_not_tell() -> None:
    assert "Trust names doors that have stopped." not in without_scripts(page(reported()))
    several = without_scripts(page(reported()._replace(has_several_doors=True)))
    assert "who came by one that has stopped is missing. Trust names doors that have stopped." in several


def test_a_report_answers_first_and_names_its_day_its_zone_and_what_is_missing() -> None:
    said = without_scripts(page(reported()))
    assert said.index("Mon 1 Jun 2026. All times are Zurich time.") < said.index("100 came in")
    assert "10 of 24 hours have counts." in said
    assert "<td>09:00</td>" in said
    assert "09:00: sale" in said


def test_what_is_marked_on_its_chart_is_said_below_it() -> None:
    """Closed from midnight to eight; by hand set to none at ten."""
    told = reported()
    assert told.answer
    said = without_scripts(page(told))
    assert "Hatched: no counts are stored." in said
    assert "Shaded" not in said
    closed = [TimeRange(MIDNIGHT, MIDNIGHT + timedelta(hours=8))]
    by_hand = {"Shop": [ToldLevel(MIDNIGHT + timedelta(hours=10), 0, "we looked")]}
    data = replace(told.answer.data, closed=closed, levels=by_hand)
    said = without_scripts(page(told._replace(answer=told.answer._replace(data=data))))
    assert "Shaded: closed. Hatched: no counts are stored." in said
    assert "Notes, and people inside as set by hand, as numbered on the chart:" in said
    assert "1 · Mon 1 Jun, 09:00: sale" in said
    assert "2 · Mon 1 Jun, 10:00: set to 0 by hand: we looked" in said


def test_a_site_of_the_demo_says_so_as_its_pages_do() -> None:
    told = reported()._replace(category="Shop, simulated <b>here</b>")
    assert "Shop, simulated &lt;b&gt;here&lt;/b&gt;" in without_scripts(page(told))
    assert "Shop, simulated" in without_scripts(page(told._replace(answer=None)))


def test_hours_without_counts_are_no_zero() -> None:
    rows = re.findall(r"<td>(\d\d:00)</td>\s*<td>(.*?)</td>", page(reported()))
    assert len(rows) == 24
    assert [count for hour, count in rows if hour < "08:00"] == ["–"] * 8
    assert dict(rows)["08:00"] == "10"


def test_names_and_notes_that_are_code_stay_text() -> None:
    html = page(reported(HOSTILE, HOSTILE), **{HOSTILE: HOSTILE})
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; Söhne" in without_scripts(html)


def test_the_library_that_draws_is_in_the_file_once_and_nothing_is_loaded() -> None:
    one, three = page(reported()), page(reported(), reported("Café"), reported("Hall"))
    assert len(one) < len(three) < 1.1 * len(one)
    assert not re.search(r"""<(script|link|img)[^>]*(src|href)=""", three)


def test_the_library_goes_with_the_first_site_that_has_a_chart() -> None:
    silent = reported("Aarau")._replace(answer=None)
    html = page(silent, reported())
    assert html.index("plotly.js v") < html.index("Plotly.newPlot(")
    assert "<h1>Aarau" not in html
    assert "<h2>No counts are stored of this day</h2><ul><li>Aarau</li></ul>" in html


def test_a_day_that_is_not_over_says_until_when_it_is_told() -> None:
    one = reported()
    assert one.answer is not None
    noon = MIDNIGHT + timedelta(hours=12, minutes=20)
    data = replace(one.answer.data, range=TimeRange(MIDNIGHT, noon), table=one.answer.data.table.iloc[:13])
    data = replace(data, cut=[False] * 12 + [True])
    said = without_scripts(page(one._replace(answer=one.answer._replace(data=data), asked_at=noon)))
    assert "Mon 1 Jun 2026, until 12:20. All times are" in said
    assert "Dotted: the last hour is counted until 12:20." in said


def test_large_numbers_are_grouped() -> None:
    one = reported()
    assert one.answer is not None
    data = replace(one.answer.data, table=one.answer.data.table * 123_456)
    assert "<td>1,234,560</td>" in page(one._replace(answer=one.answer._replace(data=data)))


def test_a_day_without_counts_and_sites_that_could_not_be_read_are_said() -> None:
    silent = reported()._replace(answer=None)
    said = page(silent, Elsewhere="The service did not answer.")
    assert "No counts are stored of this day." in said
    assert "Elsewhere: The service did not answer." in said
