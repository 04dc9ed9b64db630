"""How an archive in ClickHouse is reached, by its URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from service.store.errors import StoreUrlError

_PORT: Final = 8123
_SECURE_PORT: Final = 8443
_ANSWER_SECONDS: Final = 20
_SCHEMES: Final = {"clickhouse": False, "clickhouses": True}
"""Scheme -> whether the connection is encrypted."""


@dataclass(frozen=True, slots=True)
class ClickHouseAddress:
    """Of its HTTP interface."""

    host: str
    port: int
    username: str
    password: str = field(repr=False)
    database: str
    is_secure: bool
    cluster: str | None
    """Name of the cluster over which the tables are spread, as the servers' settings have it; None: one
    server has all.
    """
    answer_seconds: int
    """For how long an answer is waited for."""
    settings: Mapping[str, str]
    """Of the server, for each question."""

    @property
    def told(self) -> str:
        """For a person; a password is nobody's business."""
        return f"{self.host}:{self.port}/{self.database}"


def read_archive_address(url: str) -> ClickHouseAddress:
    """`clickhouse://user:password@host:8123/database?cluster=name`, `clickhouses://` with TLS.

    `answer_seconds` is for how long an answer is waited for; whatever else is in the query is a setting of
    the server's.

    Raises StoreUrlError, without what it is of: that may hold a password.
    """
    try:
        address = make_url(url)
        is_secure = _SCHEMES[address.drivername]
    except (ArgumentError, ValueError, KeyError) as error:
        raise StoreUrlError(
            "This is no URL of an archive: clickhouse://user:password@host:8123/database is one. Correct"
            " HEADROOM_SERVICE_ARCHIVE and start again."
        ) from error
    if "@" in (address.host or ""):
        # The end of a password would be taken for the host's name, and told.
        raise StoreUrlError(
            "This is no URL of an archive, as it has two @: an @ of a password is written %40. Correct"
            " HEADROOM_SERVICE_ARCHIVE and start again."
        )
    asked = {name: value if isinstance(value, str) else value[-1] for name, value in address.query.items()}
    return ClickHouseAddress(
        host=address.host or "localhost",
        port=address.port or (_SECURE_PORT if is_secure else _PORT),
        username=address.username or "default",
        password=address.password or "",
        database=address.database or "headroom",
        is_secure=is_secure,
        cluster=asked.pop("cluster", None),
        answer_seconds=_seconds(asked.pop("answer_seconds", None)),
        settings=asked,
    )


def _seconds(text: str | None) -> int:
    if text is None:
        return _ANSWER_SECONDS
    if text.isdecimal() and int(text):
        return int(text)
    raise StoreUrlError("answer_seconds of the URL of the archive is a whole number of seconds, from 1 on.")
