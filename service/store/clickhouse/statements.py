"""What an archive in ClickHouse is asked. Numbers stand in the text, a site is `%(site)s`, the database
`DATABASE`, and `HELD` what is true of rows that hold.

Of each row the last that was written holds (`FINAL`), unless it says that there is none, or is of a shipment
that does not hold. As in `summed_statements`, which says what is summed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Table

from service.store.schema import PASSAGE_MINUTES, PASSAGE_QUARTERS, ZONE_MINUTES, ZONE_QUARTERS
from service.store.series_source import Summed
from service.store.shipments import Shipments


class Question(NamedTuple):
    text: str
    columns: int
    """Of its answer, whole numbers all of them: without a row, the server does not tell."""


# Every statement is made of names of ours and of whole numbers.
# ruff: noqa: S608


def held(void: Sequence[Shipments]) -> str:
    """Of rows that do not belong to one of these shipments."""
    others = (f" AND NOT (shipment BETWEEN {one.first:d} AND {one.last:d})" for one in void)
    return f"gone = 0{''.join(others)}"


def extents_asked(summed: Summed) -> Question:
    table = ZONE_QUARTERS if summed.are_zones else PASSAGE_QUARTERS
    return Question(f"SELECT number, min(minute), max(minute) {_of(summed, table)} GROUP BY number", 3)


def minutes_asked(summed: Summed, start: int, end: int) -> Question:
    if summed.are_zones:
        values = (
            "sum(entrances), sum(exits), sum(entrances - exits + hidden + adjusted),"
            " multiIf(sum(uncounted) = 0, 0, sum(uncounted) = count(), 2, 1)"
        )
        table, columns = ZONE_MINUTES, 5
    else:
        values, table, columns = f"{_crossed(summed)}, 0", PASSAGE_MINUTES, 4
    of = _of(summed, table, start, end)
    return Question(f"SELECT minute, {values} {of} GROUP BY minute ORDER BY minute", columns)


def quarters_asked(summed: Summed, start: int, end: int) -> Question:
    if summed.are_zones:
        values = "sum(entrances), sum(exits), sum(inside), sum(minutes), sum(uncounted)"
        table, columns = ZONE_QUARTERS, 9
    else:
        values, table, columns = f"{_crossed(summed)}, 0", PASSAGE_QUARTERS, 7
    of = _of(summed, table, start, end)
    text = (
        f"SELECT minute, count(), min(minutes), max(minutes), {values} {of} GROUP BY minute ORDER BY minute"
    )
    return Question(text, columns)


def level_asked(summed: Summed, start: int, end: int) -> Question:
    last = f"SELECT argMax(inside, minute) AS last {_of(summed, ZONE_MINUTES, start, end)} GROUP BY number"
    return Question(f"SELECT sum(last) FROM ({last})", 1)


def rows_asked(table: Table, number: int, start: int, end: int) -> Question:
    """Of one series, without its number."""
    _, *names = table.c.keys()
    one = f"FROM DATABASE.{table.name} FINAL WHERE site = %(site)s AND number = {number:d}"
    text = f"SELECT {', '.join(names)} {one} AND {_within(start, end)} AND HELD ORDER BY minute"
    return Question(text, len(names))


def site_rows_asked(table: Table, start: int, end: int) -> Question:
    names = table.c.keys()
    text = (
        f"SELECT {', '.join(names)} FROM DATABASE.{table.name} FINAL"
        f" WHERE site = %(site)s AND {_within(start, end)} AND HELD ORDER BY number, minute"
    )
    return Question(text, len(names))


def last_shipment_asked(table: Table, start: int, end: int) -> Question:
    """Also of rows that are gone, or are no longer the last."""
    of = f"FROM DATABASE.{table.name} WHERE site = %(site)s AND {_within(start, end)}"
    return Question(f"SELECT max(shipment) {of}", 1)


def _of(summed: Summed, table: Table, start: int | None = None, end: int | None = None) -> str:
    numbers = ", ".join(f"{one.number:d}" for one in summed.series)
    within = f" AND {_within(start, end)}" if start is not None and end is not None else ""
    return (
        f"FROM DATABASE.{table.name} FINAL WHERE site = %(site)s AND number IN ({numbers}){within} AND HELD"
    )


def _within(start: int, end: int) -> str:
    return f"minute >= {start:d} AND minute < {end:d}"


def _crossed(summed: Summed) -> str:
    """Entrances and exits of passages, each as often as it is a way in by either direction."""
    numbers = ", ".join(f"{one.number:d}" for one in summed.series)
    ahead, back = (
        f"transform(number, [{numbers}], [{', '.join(f'{times:d}' for times in all_)}], 0)"
        for all_ in ([one.ahead for one in summed.series], [one.back for one in summed.series])
    )
    return f"sum({ahead} * forward + {back} * backward), sum({ahead} * backward + {back} * forward)"
