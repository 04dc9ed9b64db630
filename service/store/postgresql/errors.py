"""What PostgreSQL reports, as a StoreError: by the SQLSTATE of its answer, or because it gave none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from service.store.errors import (
    StoreAccessError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreMissingError,
)

_WAITED: Final = ("55P03", "40001", "40P01")
"""A lock that was not to be had in time; two writers that waited for each other."""
_BUSY: Final = ("57014", "25P03", "25P04", "53300")
"""What an administrator has set or done: a statement that is cut off, no more connections."""
_FULL: Final = ("53100",)
_DAMAGED: Final = ("XX001", "XX002")
_MISSING: Final = ("42P01", "42703")
"""Tables that were taken away, or are of another version, while they are open."""
_NO_ACCESS: Final = ("08", "28", "3D", "3F", "42501", "25006", "53", "57P", "58", "F0", "XX")


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Raise what the driver reports of the server `where` (its address, without a password)."""
    try:
        yield
    except PoolTimeoutError as error:
        raise StoreBusyError(f"All connections to {where} are in use.") from error
    except (DBAPIError, psycopg.Error) as error:
        found = error_of(error.orig if isinstance(error, DBAPIError) else error, where)
        if found is None:
            raise
        raise found from error


def error_of(error: BaseException | None, where: str) -> StoreError | None:
    """What a driver's error means; None where it is a defect of ours."""
    if not isinstance(error, psycopg.Error):
        return None
    state = error.sqlstate or ""
    if state.startswith(_FULL):
        return StoreFullError(f"{where} has no space left. Make room; a running service goes on by itself.")
    if state.startswith(_WAITED):
        return StoreBusyError(f"Another process has been writing to {where} for too long.")
    if state.startswith(_BUSY):
        return StoreBusyError(f"{where} has no time for it: {_said(error)}.")
    if state.startswith(_DAMAGED):
        return StoreDamagedError(f"{where} reports that its data is damaged: {_said(error)}.")
    if state.startswith(_MISSING):
        return StoreMissingError(
            f"{where} has no longer the tables that were opened: {_said(error)}. Bring them back; a running"
            " service goes on by itself."
        )
    if state.startswith(_NO_ACCESS) or (not state and isinstance(error, psycopg.OperationalError)):
        return StoreAccessError(
            f"{where} cannot be used: {_said(error)}. A running service goes on by itself once it can be."
        )
    return None


def _said(error: psycopg.Error) -> str:
    """On one line, in the server's own words, or the library's."""
    said = error.diag.message_primary or str(error) or type(error).__name__
    return " ".join(said.split()).rstrip(".")
