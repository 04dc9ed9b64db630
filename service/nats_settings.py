"""Settings of the NATS servers by which services with one store tell each other that they have stored:
HEADROOM_SERVICE_NATS_<NAME>. None set: no server.
"""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import (
    AnyUrl,
    BeforeValidator,
    Field,
    SecretStr,
    UrlConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from service.client_tls import client_context
from service.setting_faults import misfit, told_fault
from service.settings import SettingsError

_PREFIX: Final = "HEADROOM_SERVICE_NATS_"
_PORT: Final = 4222
_TLS: Final = "tls"
_TLS_FILES: Final = ("ca_file", "certificate_file", "key_file")

ServerUrl = Annotated[AnyUrl, UrlConstraints(allowed_schemes=["nats", _TLS], host_required=True)]


def _urls(value: object) -> object:
    return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value


class NatsSettings(BaseSettings):
    """An empty variable is none. Raises ValidationError; `read_nats_settings` says it in words."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_ignore_empty=True, frozen=True, hide_input_in_errors=True
    )

    url: Annotated[tuple[ServerUrl, ...], NoDecode, BeforeValidator(_urls), Field(min_length=1)]
    """`nats://host:4222`, or `tls://host:4222`; several of one cluster with commas between them."""
    subject: str = Field(
        default="headroom.changes", max_length=200, pattern=r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$"
    )
    """Of this store alone: who shares it with another hears of what is not theirs, and looks in vain."""
    user: str | None = None
    password: SecretStr | None = None
    token: SecretStr | None = None
    ca_file: Path | None = None
    """PEM of the authorities that may have signed the servers' certificates; else those of the system."""
    certificate_file: Path | None = None
    """PEM of the certificate by which the servers know this client."""
    key_file: Path | None = None
    """PEM of its key, if that is not in the same file; without a passphrase."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if any(url.username or url.password for url in self.url):
            raise _fault(
                "url",
                "has a user, password or token in it, which belong in {0}USER, {0}PASSWORD and {0}TOKEN",
            )
        if any((url.path or "/") != "/" or url.query or url.fragment for url in self.url):
            raise _fault("url", "has more than scheme, host and port")
        if len({url.scheme for url in self.url}) > 1:
            raise _fault("url", "has servers with TLS and without: all or none of them")
        if (self.password is None) != (self.user is None):
            raise _fault("user", "and {0}PASSWORD have to be set together")
        if self.token is not None and self.user is not None:
            raise _fault("token", "is set beside {0}USER: one of both")
        if self.key_file is not None and self.certificate_file is None:
            raise _fault("key_file", "is set without {0}CERTIFICATE_FILE")
        if not self.is_encrypted and (given := [name for name in _TLS_FILES if getattr(self, name)]):
            raise _fault(given[0], "is set, but {0}URL does not begin with tls://")
        return self

    @property
    def is_encrypted(self) -> bool:
        return self.url[0].scheme == _TLS

    @property
    def servers(self) -> list[str]:
        """With their ports, as the library takes them."""
        return [f"{url.scheme}://{url.host}:{url.port or _PORT}" for url in self.url]

    @property
    def told(self) -> str:
        """What they are called in the log: hosts and ports."""
        return ", ".join(f"{url.host}:{url.port or _PORT}" for url in self.url)


def read_nats_settings() -> NatsSettings | None:
    """None where no variable of it is set. Raises SettingsError, which never repeats what was set."""
    if not any(value for name, value in os.environ.items() if name.upper().startswith(_PREFIX)):
        return None
    try:
        settings = NatsSettings()
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        raise SettingsError(f"{'; '.join(map(_said, faults))}. Correct it and start again.") from error
    tls_context(settings)
    return settings


def tls_context(settings: NatsSettings) -> ssl.SSLContext | None:
    """What checks a server's certificate and its name; None without TLS. Raises SettingsError."""
    if not settings.is_encrypted:
        return None
    return client_context(_PREFIX, settings.ca_file, settings.certificate_file, settings.key_file)


def _fault(name: str, says: str) -> PydanticCustomError:
    return misfit(_PREFIX, name, says)


def _said(fault: ErrorDetails) -> str:
    if fault["type"] == "string_pattern_mismatch":
        name = f"{_PREFIX}{str(fault['loc'][0]).upper()}"
        return f"{name} has to be words of letters, digits, - and _ with dots between them"
    return told_fault(_PREFIX, fault)
