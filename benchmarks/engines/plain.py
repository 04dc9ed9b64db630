"""Zone minutes in one table of PostgreSQL's, with their key as the only index, and nothing derived."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np
import psycopg

from benchmarks.engines.engine import Asked, Post, Served
from benchmarks.engines.sizes import ASKED, Piece, people
from benchmarks.engines.stores import vacuum
from benchmarks.store import ZONES
from contract.minutes import minute_start
from tests.running_postgresql import RunningPostgresql

_POST: Final = (
    "INSERT INTO plain VALUES (%s, %s, 2, 1, 1) ON CONFLICT (zone, minute) DO UPDATE SET"
    " entrances = plain.entrances + 2, exits = plain.exits + 1, inside = plain.inside + 1"
)


def post_to(connection: psycopg.Connection[Any]) -> Post:
    def post(site: int, minute: int) -> None:
        rows = [(site * ZONES + door, minute_start(minute)) for door in range(ZONES)]
        with connection.cursor() as cursor:
            cursor.executemany(_POST, rows)
        connection.commit()

    return post


@dataclass(frozen=True)
class PlainPoster:
    address: str

    @contextmanager
    def opened(self) -> Iterator[Post]:
        with psycopg.connect(self.address) as connection:
            yield post_to(connection)


@dataclass
class Plain:
    server: RunningPostgresql
    name: str = "plain table"

    def __post_init__(self) -> None:
        self._connection = psycopg.connect(self.server.address)
        self._connection.execute(
            "CREATE TABLE plain (zone int, minute timestamptz, entrances int, exits int, inside int,"
            " PRIMARY KEY (zone, minute))"
        )
        self._connection.commit()

    @property
    def poster(self) -> PlainPoster:
        return PlainPoster(self.server.address)

    def add_sites(self, first: int, end: int) -> None:
        """It knows none."""

    def load(self, piece: Piece) -> None:
        forward, backward = people(piece)
        stamps = [str(minute_start(minute)) for minute in piece.minutes.tolist()]
        with self._connection.cursor() as cursor, cursor.copy("COPY plain FROM STDIN") as rows:
            for door in range(ZONES):
                zone = piece.site * ZONES + door
                inside = np.maximum(np.cumsum(forward[door] - backward[door]), 0)
                columns = (forward[door].tolist(), backward[door].tolist(), inside.tolist())
                lines = (
                    f"{zone}\t{stamp}\t{entered}\t{left}\t{level}\n"
                    for stamp, entered, left, level in zip(stamps, *columns, strict=True)
                )
                rows.write("".join(lines))
        self._connection.commit()

    @property
    def post(self) -> Post:
        return post_to(self._connection)

    def settle(self) -> Mapping[str, float]:
        vacuum(self.server)
        return {}

    def asks(self, asked: Asked, start: datetime, end: datetime) -> Callable[[], Any]:
        zones = [ASKED * ZONES + door for door in range(ZONES)]
        statement = (
            f"SELECT date_trunc('{asked.unit}', minute AT TIME ZONE 'Europe/Zurich'), SUM(entrances),"
            " SUM(exits), AVG(inside) FROM (SELECT minute, SUM(entrances) AS entrances,"
            " SUM(exits) AS exits, SUM(inside) AS inside FROM plain"
            " WHERE zone = ANY(%s) AND minute >= %s AND minute < %s"
            " GROUP BY minute) AS summed GROUP BY 1 ORDER BY 1"
        )
        given = (zones if asked.zones == ZONES else zones[3:4], start, end)
        return lambda: self._rows(statement, given)

    def latest(self, sites: int) -> Callable[[], Any]:
        statement = (
            "SELECT zone, newest.* FROM unnest(%s::int[]) AS zone, LATERAL"
            " (SELECT minute, entrances, exits, inside FROM plain WHERE plain.zone = zone.zone"
            " ORDER BY minute DESC LIMIT 1) AS newest"
        )
        tops = [site * ZONES for site in range(sites)]
        return lambda: self._rows(statement, (tops,))

    def served(self) -> AbstractContextManager[Served] | None:
        return None

    def _rows(self, statement: str, given: tuple[Any, ...]) -> list[Any]:
        rows = self._connection.execute(statement.encode(), given).fetchall()
        self._connection.rollback()
        return rows

    def bytes_used(self) -> int:
        [[size]] = self._rows("SELECT pg_total_relation_size('plain')", ())
        return int(size)

    def close(self) -> None:
        self._connection.close()
