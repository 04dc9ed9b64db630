"""Where days of long ago lie, once the store's own tables have them no more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from sqlalchemy import Table

from contract.minutes import minute_start
from service.store.errors import ArchiveAwayError
from service.store.protocol import Numbers
from service.store.series_source import SeriesSource
from service.store.shipments import Shipments


class Archive(Protocol):
    """Rows of the series tables, by site. All raise `ArchiveAwayError`."""

    @property
    def is_set(self) -> bool:
        """False: there is none, and nobody is to bring anything there."""

    def series(self, site_id: str, held_from: int, void: Sequence[Shipments]) -> SeriesSource:
        """The site's rows, to be read, without those of shipments that do not hold; `held_from` is the minute
        from which on there is no need of it.
        """

    def rows(
        self, table: Table, site_id: str, start: int, end: int, void: Sequence[Shipments] = ()
    ) -> Numbers:
        """All rows of a site in minutes [start, end), as the table has them: a row of the matrix each, in
        the order of series and minute.
        """

    def put(
        self, table: Table, site_id: str, rows: Numbers, shipment: int, *, are_gone: bool = False
    ) -> None:
        """Keep rows, in place of those of the same series and minute of an earlier shipment; or keep that
        there are none of these any more.
        """

    def last_shipment(self, table: Table, site_id: str, start: int, end: int) -> int:
        """The last by which any row of a site in minutes [start, end) was brought; 0 without any."""

    def look(self) -> None:
        """Raise where it does not answer."""

    def prepare(self) -> None:
        """Make its tables, where they are not there."""

    def close(self) -> None:
        """May be called again."""


_NONE_IS_SET: Final = "none is set: set HEADROOM_SERVICE_ARCHIVE to its URL."


class NoArchive:
    """`Archive` of a store that has none, or is not told which one."""

    is_set = False

    def series(self, site_id: str, held_from: int, void: Sequence[Shipments]) -> SeriesSource:  # noqa: ARG002
        raise ArchiveAwayError(
            f"What {site_id} has of before {minute_start(held_from).isoformat()} lies in an archive, and"
            f" {_NONE_IS_SET}",
            minute_start(held_from),
        )

    def rows(
        self, table: Table, site_id: str, start: int, end: int, void: Sequence[Shipments] = ()
    ) -> Numbers:
        raise NotImplementedError

    def put(
        self, table: Table, site_id: str, rows: Numbers, shipment: int, *, are_gone: bool = False
    ) -> None:
        raise NotImplementedError

    def last_shipment(self, table: Table, site_id: str, start: int, end: int) -> int:
        raise NotImplementedError

    def look(self) -> None:
        raise ArchiveAwayError(f"There is no archive: {_NONE_IS_SET}")

    prepare = look

    def close(self) -> None:
        return
