"""SQL that reads several zones, or passages, as one series.

Summed over zones, and from one minute to the next, visitors inside change by entrances - exits + hidden +
adjusted of the rows that are there; where a zone has no row, its level stays.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Statements(NamedTuple):
    """SQL that reads the minutes from `:start` to before `:end` of all `:series`.

    Those are one parameter, so that there may be any number of them: a JSON array of [number, times that
    forward enters, times that backward enters].
    """

    extents: str
    minutes: str
    quarters: str


_EXTENTS: Final = """
    SELECT json_extract(series.value, '$[0]'),
        (SELECT MIN(minute) FROM {table} WHERE number = json_extract(series.value, '$[0]')),
        (SELECT MAX(minute) FROM {table} WHERE number = json_extract(series.value, '$[0]'))
    FROM json_each(:series) AS series"""
OF_ZONES: Final = Statements(
    extents=_EXTENTS.format(table="zone_quarters"),
    minutes="""
        SELECT stored.minute, SUM(entrances), SUM(exits), SUM(entrances - exits + hidden + adjusted),
            (SUM(uncounted) > 0) + (SUM(uncounted) = COUNT(*))
        FROM json_each(:series) AS series
        CROSS JOIN zone_minutes AS stored ON stored.number = json_extract(series.value, '$[0]')
        WHERE stored.minute >= :start AND stored.minute < :end
        GROUP BY stored.minute ORDER BY stored.minute""",
    quarters="""
        SELECT stored.minute, COUNT(*), MIN(minutes), MAX(minutes), SUM(entrances), SUM(exits), SUM(inside),
            SUM(minutes), SUM(uncounted)
        FROM json_each(:series) AS series
        CROSS JOIN zone_quarters AS stored ON stored.number = json_extract(series.value, '$[0]')
        WHERE stored.minute >= :start AND stored.minute < :end
        GROUP BY stored.minute ORDER BY stored.minute""",
)
# The array is taken apart once, and not for every row that is read.
_CROSSINGS: Final = """
    WITH series(number, ahead, back) AS MATERIALIZED
        (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
         FROM json_each(:series))
    SELECT stored.minute,{minutes}
        SUM(ahead * forward + back * backward), SUM(ahead * backward + back * forward), 0
    FROM series CROSS JOIN {table} AS stored ON stored.number = series.number
    WHERE stored.minute >= :start AND stored.minute < :end
    GROUP BY stored.minute ORDER BY stored.minute"""
OF_PASSAGES: Final = Statements(
    extents=_EXTENTS.format(table="passage_quarters"),
    minutes=_CROSSINGS.format(table="passage_minutes", minutes=""),
    quarters=_CROSSINGS.format(table="passage_quarters", minutes=" COUNT(*), MIN(minutes), MAX(minutes),"),
)
LEVEL: Final = """
    SELECT COALESCE(SUM(inside), 0) FROM (
        SELECT (SELECT inside FROM zone_minutes
                WHERE number = json_extract(series.value, '$[0]') AND minute >= :start AND minute < :end
                ORDER BY minute DESC LIMIT 1) AS inside
        FROM json_each(:series) AS series)"""
"""The zones' levels when minute `:end` begins: each in its last row from `:start` on."""
