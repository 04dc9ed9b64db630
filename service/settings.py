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
    query_body_limit: int = Field(default=1024 * 1024, gt=0)
    """Bytes that the body of a v3 request may have."""
    ingest_body_limit: int = Field(default=8 * 1024 * 1024, gt=0)
    """Bytes that the body of `POST /ingest/counts` may have."""
    heartbeat: timedelta = Field(default=timedelta(seconds=15), gt=timedelta(0))
    """How long a live stream may be silent before a comment is sent."""
    send_timeout: timedelta = Field(default=timedelta(seconds=30), gt=timedelta(0))
    """How long one piece of a live stream may wait for its reader before the stream is cut."""
    stream_lifetime: timedelta = Field(default=timedelta(hours=6), gt=timedelta(0))
    """After this a live stream ends and its client connects again: nothing half-open stays for ever."""
    watch_interval: timedelta = Field(default=timedelta(seconds=1), gt=timedelta(0))
    """How often other processes' commits and revoked keys are looked for."""
