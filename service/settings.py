"""What an operator may change by environment variables; every one has a default that works."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from pydantic import AliasChoices, Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class ServiceSettings(BaseSettings):
    """Read from HEADROOM_SERVICE_<NAME>; the data folder from HEADROOM_DATA_DIR, as the dashboard does."""

    model_config = SettingsConfigDict(env_prefix="HEADROOM_SERVICE_")

    data_dir: Path = Field(
        default=Path(".headroom"), validation_alias=AliasChoices("data_dir", "HEADROOM_DATA_DIR")
    )
    host: str = "127.0.0.1"
    port: int = Field(default=8502, ge=1, le=65535)
    query_body_limit: int = Field(default=256 * 1024, gt=0)
    """Bytes that the body of a v3 request may have, unpacked."""
    ingest_body_limit: int = Field(default=8 * 1024 * 1024, gt=0)
    """Bytes that the body of `POST /ingest/counts` may have, unpacked."""
    ingest_count_limit: int = Field(default=10_000, gt=0)
    """Counts that one body of `POST /ingest/counts` may have."""
    header_timeout: timedelta = Field(default=timedelta(seconds=10), gt=timedelta(0))
    """How long request line and headers may take to arrive before the connection is closed."""
    body_timeout: timedelta = Field(default=timedelta(seconds=60), gt=timedelta(0))
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
    read_patience: timedelta = Field(default=timedelta(seconds=1), gt=timedelta(0))
    """How long a query waits for one of these threads before it is answered 503."""
    heartbeat: timedelta = Field(default=timedelta(seconds=15), gt=timedelta(0))
    """How long a live stream may be silent before a comment is sent."""
    send_timeout: timedelta = Field(default=timedelta(seconds=30), gt=timedelta(0))
    """How long one piece of a live stream may wait for its reader before the stream is cut."""
    stream_lifetime: timedelta = Field(default=timedelta(hours=6), gt=timedelta(0))
    """After this a live stream ends and its client connects again: nothing half-open stays for ever."""
    watch_interval: timedelta = Field(default=timedelta(seconds=1), gt=timedelta(0))
    """How often other processes' commits and revoked keys are looked for."""
