"""Settings of the service: read from environment variables, each with a default that works."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AliasChoices, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

_PREFIX: Final = "HEADROOM_SERVICE_"
_DATA_DIR: Final = "HEADROOM_DATA_DIR"
_PROJECT_FOLDER: Final = Path(__file__).resolve().parent.parent
_NUMBER: Final = re.compile(r"\d+(\.\d+)?", re.ASCII)


MOST_POINTS: Final = 50_000
"""Over five years of hours. Our bound: the specification names none."""


class SettingsError(ValueError):
    """A setting that cannot be used; the text names its variable and says what to do."""


def _seconds(value: object) -> object:
    """A number for the text of one; what else a duration may be written as is left to pydantic."""
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value.strip()) else value


Duration = Annotated[timedelta, BeforeValidator(_seconds)]
"""Seconds as a plain number, `2.5`, or ISO 8601, `PT2.5S`."""


class ServiceSettings(BaseSettings):
    """Read from HEADROOM_SERVICE_<NAME>; the data folder from HEADROOM_DATA_DIR, as the dashboard does.

    An empty variable is none. Raises ValidationError; `read_settings` says it in words.
    """

    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_ignore_empty=True)

    data_dir: Path = Field(
        default=_PROJECT_FOLDER / ".headroom", validation_alias=AliasChoices("data_dir", _DATA_DIR)
    )
    """Where the store is, if it is a file: in the project's folder, from wherever the service is started."""
    store: SecretStr | None = None
    """URL of the store; none: the file in the data folder. It may hold a password."""
    store_replica: SecretStr | None = None
    """URL of a standby of the store's database, from which ranges are read; none: from the store itself."""
    archive: SecretStr | None = None
    """URL of where days of long ago lie, `clickhouse://user:password@host:8123/database`; none: all of
    them lie in the store.
    """
    archive_days: int = Field(default=92, ge=62)
    """Local days of a site that stay in the store where there is an archive; older ones are brought there.

    Not fewer than a count may be late, as with `retention_days`.
    """
    archive_away: Literal["refuse", "leave_out"] = "refuse"
    """What becomes of a query of days that lie in the archive while that is away: it is refused, or answered
    from the first bucket on that does not need it, with a warning.
    """
    host: str = "127.0.0.1"
    port: int = Field(default=8502, ge=1, le=65535)
    query_body_limit: int = Field(default=256 * 1024, gt=0)
    """Bytes that the body of a v3 request may have, unpacked."""
    ingest_body_limit: int = Field(default=8 * 1024 * 1024, gt=0)
    """Bytes that the body of `POST /ingest/counts` may have, unpacked."""
    ingest_count_limit: int = Field(default=10_000, gt=0)
    """Counts that one body of `POST /ingest/counts` may have."""
    site_body_limit: int = Field(default=4 * 1024 * 1024, gt=0)
    """Bytes that the body of `PUT /admin/sites/{siteId}` may have, unpacked."""
    header_timeout: Duration = Field(default=timedelta(seconds=10), gt=timedelta(0))
    """How long request line and headers may take to arrive before the connection is closed."""
    body_timeout: Duration = Field(default=timedelta(seconds=60), gt=timedelta(0))
    """How long a body may take to arrive before it is refused."""
    body_memory: int = Field(default=128 * 1024 * 1024, gt=0)
    """Bytes that all bodies of more than 64 KiB may have together while they are read; beyond it, 503."""
    waiting_posts: int = Field(default=500, gt=0)
    """Posts of counts that may wait to be written; one more is answered 503."""
    read_threads: int = Field(default=3, gt=0)
    """Queries that are answered from the file at the same time."""
    read_threads_each: int = Field(default=2, gt=0)
    """How many of them may be of one organization: its long queries must not keep all others out."""
    waiting_reads: int = Field(default=200, ge=0)
    """Queries of an organization that may wait for a thread; one more is answered 503: counts come first."""
    read_patience: Duration = Field(default=timedelta(seconds=1), gt=timedelta(0))
    """How long a query waits for one of these threads before it is answered 503."""
    heartbeat: Duration = Field(default=timedelta(seconds=15), gt=timedelta(0))
    """How long a live stream may be silent before a comment is sent."""
    send_timeout: Duration = Field(default=timedelta(seconds=30), gt=timedelta(0))
    """How long one piece of a live stream may wait for its reader before the stream is cut."""
    stream_lifetime: Duration = Field(default=timedelta(hours=6), gt=timedelta(0))
    """After this a live stream ends and its client connects again: nothing half-open stays for ever."""
    watch_interval: Duration = Field(default=timedelta(seconds=1), gt=timedelta(0))
    """How often other processes' commits and keys that are revoked or expired are looked for."""
    key_use_interval: Duration = Field(default=timedelta(minutes=1), gt=timedelta(0))
    """How often it is stored when keys were used last."""

    key_requests: float = Field(default=500.0, gt=0, allow_inf_nan=False)
    """Requests a second that a key may make for long; beyond it, 429."""
    key_burst: int = Field(default=5_000, gt=0)
    """Requests that a key may make at once after a pause, before the former counts."""
    key_streams: int = Field(default=1_000, gt=0)
    """Live streams that a key may have open; one more is answered 429."""
    answer_points: int = Field(default=MOST_POINTS, gt=0)
    """Points that one answer may have."""
    retention_days: int | None = Field(default=None, ge=62)
    """Local days of a site for which minutes are kept; older ones are folded to quarters of an hour.

    None: all are kept. Not fewer than a count may be late: what a total has grown by over a month may come a
    month later.
    """


def read_settings(**given: Any) -> ServiceSettings:
    """The settings as they stand now; what is given and not None comes before the environment.

    Raises SettingsError.
    """
    try:
        return ServiceSettings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        faults = "; ".join(map(_said, error.errors()))
        raise SettingsError(f"{faults}. Correct it and start again.") from error


def _said(fault: ErrorDetails) -> str:
    name = str(fault["loc"][0]).upper()
    variable = name if name == _DATA_DIR else f"{_PREFIX}{name}"
    if fault["type"].startswith("time_delta"):
        form = "seconds, as 2.5, or ISO 8601, as PT2.5S"
        return f"{variable} is {fault['input']!r} and has to be a duration: {form}"
    return f"{variable}: {fault['msg']}"
