"""`Archive` in ClickHouse, through its makers' client for Python."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final

import clickhouse_connect
import numpy as np
from clickhouse_connect.driver import Client
from clickhouse_connect.driver.exceptions import ClickHouseError, DatabaseError, OperationalError
from sqlalchemy import Table
from urllib3.exceptions import HTTPError

from contract.minutes import minute_start
from service.store.clickhouse.address import ClickHouseAddress, read_archive_address
from service.store.clickhouse.statements import (
    Question,
    extents_asked,
    held,
    last_shipment_asked,
    level_asked,
    minutes_asked,
    quarters_asked,
    rows_asked,
    site_rows_asked,
)
from service.store.clickhouse.tables import quoted, tables_made
from service.store.errors import ArchiveAwayError
from service.store.protocol import Numbers
from service.store.series_source import SeriesSource, Summed
from service.store.shipments import Shipments

_CONNECT_SECONDS: Final = 5
_REST_SECONDS: Final = 3.0
"""After no answer, until it is asked again; less than the archive's worker rests."""
_MOST_SAID: Final = 300
"""Characters of what a server says."""
# They warn of every attempt that fails; of that `ArchiveReach` tells, once.
for _library in ("clickhouse_connect", "urllib3"):
    logging.getLogger(_library).setLevel(logging.ERROR)
_SETTINGS: Final = {
    # What is written is there, on the shard that is to have it, before it is said to be.
    "distributed_foreground_insert": "1",
    # A site is asked of its own shard alone.
    "optimize_skip_unused_shards": "1",
    # And on most replicas of that shard: of two on both, so that whichever is read, or left, has it.
    "insert_quorum": "auto",
    # One that lags is read where there is no other; by itself a server bears five minutes.
    "max_replica_delay_for_distributed_queries": "1",
}
_SPARE_SECONDS: Final = 2
"""By which a server ends what waits for other servers before its own answer is given up."""


class ClickHouseArchive:
    """At a URL, see `read_archive_address`; it connects when it is first asked for something."""

    is_set = True

    def __init__(self, url: str) -> None:
        self._address: ClickHouseAddress = read_archive_address(url)
        self._opening = threading.Lock()
        self._client: Client | None = None
        self._silent = (0.0, "")
        """Until when it is not asked again, of `time.monotonic`, and why."""

    def series(self, site_id: str, held_from: int, void: Sequence[Shipments]) -> SeriesSource:
        return _ArchivedSeries(self, site_id, held_from, void)

    def rows(
        self, table: Table, site_id: str, start: int, end: int, void: Sequence[Shipments] = ()
    ) -> Numbers:
        return self.read(site_rows_asked(table, start, end), site_id, void=void)

    def put(
        self, table: Table, site_id: str, rows: Numbers, shipment: int, *, are_gone: bool = False
    ) -> None:
        names = [*table.c.keys()]
        length = len(rows)
        columns = [
            [site_id] * length,
            *(column.tolist() for column in rows.T),
            [shipment] * length,
            [int(are_gone)] * length,
        ]
        with self._asking(is_brought=True) as client:
            client.insert(
                table.name,
                columns,
                column_names=["site", *names, "shipment", "gone"],
                column_type_names=["String", *["Int64"] * len(names), "Int64", "UInt8"],
                database=self._address.database,
                column_oriented=True,
            )

    def last_shipment(self, table: Table, site_id: str, start: int, end: int) -> int:
        [[last]] = self.read(last_shipment_asked(table, start, end), site_id).tolist()
        return int(last)

    def look(self) -> None:
        with self._asking() as client:
            client.command("SELECT 1")

    def prepare(self) -> None:
        database, cluster = self._address.database, self._address.cluster
        with self._asking() as client:
            made = client.query(
                "SELECT count() FROM system.tables WHERE database = %(database)s",
                parameters={"database": database},
            ).result_rows[0][0]
            of_database, *of_tables = tables_made(database, cluster)
            # A cluster of which a part is away makes no tables, and needs none where they were made before.
            if made < len(of_tables):
                self._make_database(client, of_database)
                for statement in of_tables:
                    client.command(statement)

    def _make_database(self, client: Client, statement: str) -> None:
        try:
            client.command(statement)
        except DatabaseError:
            # ClickHouse asks for the right to make one also where it is there.
            if not client.query(
                "SELECT count() FROM system.databases WHERE name = %(database)s",
                parameters={"database": self._address.database},
            ).result_rows[0][0]:
                raise

    def close(self) -> None:
        client, self._client = self._client, None
        if client:
            client.close()

    def read(
        self,
        question: Question,
        site_id: str,
        held_from: int | None = None,
        void: Sequence[Shipments] = (),
    ) -> Numbers:
        """Rows as a matrix, see `statements` for what the question leaves open."""
        # What is bound is put in as Python does, of whom a percent sign is.
        database = quoted(self._address.database).replace("%", "%%")
        with self._asking(held_from) as client:
            asked = client.query(
                question.text.replace("HELD", held(void)).replace("DATABASE", database),
                parameters={"site": site_id},
                column_oriented=True,
            )
            columns = asked.result_columns or [()] * question.columns
        return np.column_stack([np.asarray(column, dtype=np.int64) for column in columns])

    @contextmanager
    def _asking(self, held_from: int | None = None, *, is_brought: bool = False) -> Iterator[Client]:
        held = None if held_from is None else minute_start(held_from)
        try:
            yield self._opened()
        except _SilentError as error:
            raise self._away(error.said, held) from error
        except (ClickHouseError, HTTPError, OSError) as error:
            if is_brought:
                # Where a replica takes nothing, another may answer whoever asks.
                raise self._not_taken(_said(error)) from error
            raise self._away(self._note(error), held) from error

    def _not_taken(self, said: str) -> ArchiveAwayError:
        return ArchiveAwayError(
            f"The archive at {self._address.told} does not take what is brought there: {said}. It stays where"
            " it is, and is brought again; what lies in the archive is asked for as before."
        )

    def _away(self, said: str, held_from: datetime | None) -> ArchiveAwayError:
        return ArchiveAwayError(
            f"The archive at {self._address.told} cannot be used: {said}. What lies in it can be read again"
            " once it can be; all else goes on.",
            held_from,
        )

    def _note(self, error: Exception) -> str:
        """What it says; who does not answer is not asked again at once, for which all would wait."""
        said = _said(error)
        if not isinstance(error, DatabaseError) or isinstance(error, OperationalError):
            self._silent = (time.monotonic() + _REST_SECONDS, said)
        return said

    def _opened(self) -> Client:
        self._check_silent()
        with self._opening:
            self._check_silent()
            if self._client is None:
                try:
                    self._client = self._connected()
                except (ClickHouseError, HTTPError, OSError) as error:
                    self._note(error)
                    raise
            return self._client

    def _check_silent(self) -> None:
        until, said = self._silent
        if time.monotonic() < until:
            raise _SilentError(said)

    def _connected(self) -> Client:
        address = self._address
        seconds = max(1, address.answer_seconds - _SPARE_SECONDS)
        waits = {"insert_quorum_timeout": f"{seconds}000", "distributed_ddl_task_timeout": f"{seconds}"}
        return clickhouse_connect.get_client(
            host=address.host,
            port=address.port,
            username=address.username,
            password=address.password,
            secure=address.is_secure,
            settings=_SETTINGS | waits | dict(address.settings),
            connect_timeout=_CONNECT_SECONDS,
            send_receive_timeout=address.answer_seconds,
            client_name="headroom",
            # One process asks several questions at once.
            autogenerate_session_id=False,
        )


def _said(error: BaseException) -> str:
    """On one line, in the server's own words, or the system's: what the client tells of it begins with all of
    the address that it asked.
    """
    while cause := error.__cause__:
        error = cause
    said = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
    return " ".join(said.split()).rstrip(".")[:_MOST_SAID]


class _SilentError(RuntimeError):
    """It did not answer a moment ago."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


class _ArchivedSeries:
    """`SeriesSource` of one site."""

    def __init__(
        self, archive: ClickHouseArchive, site_id: str, held_from: int, void: Sequence[Shipments]
    ) -> None:
        self._archive = archive
        self._site_id = site_id
        self._held_from = held_from
        self._void = void

    def extents(self, summed: Summed) -> Iterable[tuple[int, int | None, int | None]]:
        # Nobody is asked for nothing: the list would be empty, which is no SQL.
        rows = self._read(extents_asked(summed)).tolist() if summed.series else []
        return ((number, first, last) for number, first, last in rows)

    def minutes(self, summed: Summed, start: int, end: int) -> Numbers:
        return self._read(minutes_asked(summed, start, end)).T

    def quarters(self, summed: Summed, start: int, end: int) -> Numbers:
        return self._read(quarters_asked(summed, start, end)).T

    def level(self, summed: Summed, start: int, end: int) -> int:
        [[level]] = self._read(level_asked(summed, start, end)).tolist()
        return int(level)

    def rows(self, table: Table, number: int, start: int, end: int) -> Numbers:
        return self._read(rows_asked(table, number, start, end))

    def _read(self, question: Question) -> Numbers:
        return self._archive.read(question, self._site_id, self._held_from, self._void)
