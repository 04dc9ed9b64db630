"""SQL that reads several zones, or passages, as one series.

Summed over zones, and from one minute to the next, visitors inside change by entrances - exits + hidden +
adjusted of the rows that are there; where a zone has no row, its level stays.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from service.store.prepared import Prepared, rows_of_json


class Statements(NamedTuple):
    """SQL that reads the minutes from `:start` to before `:end` of all `:series`.

    Those are one parameter, so that there may be any number of them: a JSON array of [number, times that
    forward enters, times that backward enters].
    """

    extents: Prepared
    minutes: Prepared
    quarters: Prepared


_TAKEN_APART: Final = rows_of_json("series", 3)
# Once, and not for every row that is read.
_SERIES: Final = """
    WITH series(number, ahead, back) AS MATERIALIZED ({taken_apart})"""
_EXTENTS: Final = """
    SELECT number,
        (SELECT MIN(minute) FROM TABLE_ AS stored WHERE stored.number = series.number),
        (SELECT MAX(minute) FROM TABLE_ AS stored WHERE stored.number = series.number)
    FROM series"""
# In this order: of each series the rows of a range lie together.
_STORED: Final = """
    FROM series CROSS JOIN TABLE_ AS stored
    WHERE stored.number = series.number AND stored.minute >= :start AND stored.minute < :end
    GROUP BY stored.minute ORDER BY stored.minute"""


def _statement(selected: str, *, table: str) -> Prepared:
    return Prepared((_SERIES + selected).replace("TABLE_", table), taken_apart=_TAKEN_APART)


def _summed(*columns: str) -> str:
    """PostgreSQL's sums are decimal."""
    return ", ".join(f"CAST(SUM({column}) AS BIGINT)" for column in columns)


OF_ZONES: Final = Statements(
    extents=_statement(_EXTENTS, table="zone_quarters"),
    minutes=_statement(
        f"""
    SELECT stored.minute, {_summed("entrances", "exits", "entrances - exits + hidden + adjusted")},
        CASE SUM(uncounted) WHEN 0 THEN 0 WHEN COUNT(*) THEN 2 ELSE 1 END{_STORED}""",
        table="zone_minutes",
    ),
    quarters=_statement(
        f"""
    SELECT stored.minute, COUNT(*), MIN(minutes), MAX(minutes),
        {_summed("entrances", "exits", "inside", "minutes", "uncounted")}{_STORED}""",
        table="zone_quarters",
    ),
)
_CROSSED: Final = _summed("ahead * forward + back * backward", "ahead * backward + back * forward")
OF_PASSAGES: Final = Statements(
    extents=_statement(_EXTENTS, table="passage_quarters"),
    minutes=_statement(f" SELECT stored.minute, {_CROSSED}, 0{_STORED}", table="passage_minutes"),
    quarters=_statement(
        f" SELECT stored.minute, COUNT(*), MIN(minutes), MAX(minutes), {_CROSSED}, 0{_STORED}",
        table="passage_quarters",
    ),
)
LEVEL: Final = _statement(
    """
    SELECT CAST(COALESCE(SUM(inside), 0) AS BIGINT) FROM (
        SELECT (SELECT inside FROM TABLE_ AS stored
                WHERE stored.number = series.number AND minute >= :start AND minute < :end
                ORDER BY minute DESC LIMIT 1) AS inside
        FROM series) AS levels""",
    table="zone_minutes",
)
"""The zones' levels when minute `:end` begins: each in its last row from `:start` on."""
