"""What PostgreSQL reports, as a StoreError: by the SQLSTATE of its answer, or because it gave none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, TypeGuard

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from service.store.errors import (
    StoreAccessError,
    StoreAwayError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreMissingError,
    StoreUncertainError,
)


def _waited(where: str, _: str) -> StoreError:
    return StoreBusyError(f"Another process has been writing to {where} for too long.")


def _busy(where: str, said: str) -> StoreError:
    return StoreBusyError(f"{where} has no time for it: {said}.")


def _full(where: str, _: str) -> StoreError:
    return StoreFullError(f"{where} has no space left. Make room; a running service goes on by itself.")


def _damaged(where: str, said: str) -> StoreError:
    return StoreDamagedError(f"{where} reports that its data is damaged: {said}.")


def _missing(where: str, said: str) -> StoreError:
    return StoreMissingError(
        f"{where} has no longer the tables that were opened: {said}. Bring them back; a running service goes"
        " on by itself."
    )


_ELSE: Final = "; where its URL is wrong, correct that and start again."


def _no_access(where: str, said: str) -> StoreError:
    return StoreAccessError(
        f"{where} cannot be used: {said}. A running service goes on by itself once it can be{_ELSE}"
    )


def _no_month(where: str, said: str) -> StoreError:
    return StoreBusyError(f"{where} has just given a month back that was empty: {said}.")


def _no_numbers(where: str, said: str) -> StoreError:
    return StoreFullError(f"{where} has no numbers left for it: {said}. Make a new database.")


_GONE: Final = ("08", "57P")
"""Of connections that broke, and of a server that ends, or is not ready yet."""


def _away(where: str, said: str) -> StoreError:
    return StoreAwayError(
        f"{where} is out of reach: {said}. A running service goes on by itself once it is back{_ELSE}"
    )


_MEANING: Final[Mapping[str, Callable[[str, str], StoreError]]] = {
    # A lock that was not to be had in time; two writers that waited for each other.
    **dict.fromkeys(("55P03", "40001", "40P01"), _waited),
    # What an administrator has set or done: a statement that is cut off, no more connections.
    **dict.fromkeys(("57014", "25P03", "25P04", "53300"), _busy),
    "53100": _full,
    **dict.fromkeys(("22003", "2200H"), _no_numbers),
    **dict.fromkeys(("XX001", "XX002"), _damaged),
    # Tables that were taken away, or are of another version, while they are open.
    **dict.fromkeys(("42P01", "42703"), _missing),
    **dict.fromkeys(_GONE, _away),
    # 53: memory, as a rule.
    **dict.fromkeys(("28", "3D", "3F", "42501", "25006", "53", "58", "F0", "XX"), _no_access),
}
"""By the beginning of the SQLSTATE; the first that fits."""


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


@contextmanager
def uncertain(where: str) -> Iterator[None]:
    """Around a commit: raise StoreUncertainError where its answer never came."""
    try:
        yield
    except DBAPIError as error:
        if is_gone(error.orig):
            raise StoreUncertainError(
                f"{where} went away while something was stored, and did not say whether it was:"
                f" {_said(error.orig)}. A running service goes on by itself once it can be used."
            ) from error
        raise


def is_read_only(error: BaseException | None) -> bool:
    """Whether the session may not write."""
    return isinstance(error, psycopg.errors.ReadOnlySqlTransaction)


def is_gone(error: BaseException | None) -> TypeGuard[psycopg.Error]:
    """Whether the connection is there no more."""
    if not isinstance(error, psycopg.OperationalError):
        return False
    return not error.sqlstate or error.sqlstate.startswith(_GONE)


def is_without_month(error: BaseException | None) -> bool:
    """Whether a row was refused because its month was taken away."""
    return isinstance(error, psycopg.errors.CheckViolation) and error.diag.constraint_name is None


def error_of(error: BaseException | None, where: str) -> StoreError | None:
    """What a driver's error means; None where it is a defect of ours."""
    if not isinstance(error, psycopg.Error):
        return None
    if not error.sqlstate:
        is_operational = isinstance(error, psycopg.OperationalError)
        return _away(where, _said(error)) if is_operational else None
    if is_without_month(error):
        return _no_month(where, _said(error))
    meanings = (meaning for begin, meaning in _MEANING.items() if error.sqlstate.startswith(begin))
    found = next(meanings, None)
    return found and found(where, _said(error))


def _said(error: psycopg.Error) -> str:
    """On one line, in the server's own words, or the library's."""
    said = error.diag.message_primary or str(error) or type(error).__name__
    return " ".join(said.split()).rstrip(".?")
