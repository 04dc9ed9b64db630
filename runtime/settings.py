"""The settings of the dashboard, from outside: the environment first, then `.streamlit/secrets.toml`.

Both use the same names, `HEADROOM_BASE_URL` and so on.
"""

from __future__ import annotations

import os
import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
)
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from keeping import told_fault

PROJECT_FOLDER: Final = Path(__file__).resolve().parent.parent
_PREFIX: Final = "HEADROOM_"
_HOST: Final = re.compile(r"\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?", re.IGNORECASE)
_ORIGIN: Final = re.compile(r"https?://(\*\.)?[a-z0-9_.-]+(:[0-9]{1,5})?", re.IGNORECASE)


class SettingsError(ValueError):
    """A setting that cannot be used; the text names it and says what to do."""


def _listed(value: object) -> object:
    """The parts of `a, b`; a list, as a TOML file may have it, is left as it is."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _host(name: str) -> str:
    if not _HOST.fullmatch(name):
        raise ValueError(f"“{name}” is no host name; give names alone, such as dashboard.example.org")
    return name


def _origin(address: str) -> str:
    address = address.removesuffix("/")
    if not _ORIGIN.fullmatch(address):
        raise ValueError(
            f"“{address}” is no origin; give scheme, name and port alone, such as https://intranet.example.org"
        )
    return address


def _shared_store(url: SecretStr | None, settled: ValidationInfo) -> SecretStr | None:
    if url is None:
        return None
    if fault := told_fault(url.get_secret_value()):
        raise ValueError(fault)
    secret = settled.data.get("secret")
    if not (secret and secret.get_secret_value().strip()):
        raise ValueError(
            "dashboards that share a store sign with one secret; give all of them the same HEADROOM_SECRET, "
            "of 32 random characters or more"
        )
    return url


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_ignore_empty=True, extra="ignore", frozen=True)

    base_url: str | None = None
    """Root of a v3 service. None: an embedded service is started beside the dashboard."""
    api_key: SecretStr | None = None
    """Read key for `base_url`; the embedded service makes its own."""
    admin_key: SecretStr | None = None
    """Key of scope admin for `base_url`; the embedded service makes its own."""
    administration: Literal["closed", "open"] = "closed"
    """Who may administer where the dashboard is reached from other machines: nobody, or whoever opens it."""
    service_port: int = Field(default=8502, ge=1, le=65535)
    """Where the embedded service listens, on the loopback interface."""
    data_dir: Path = PROJECT_FOLDER / ".headroom"
    """Files of the embedded service, the password, and the secret that signs tokens when none is given;
    without `dashboard_store` the saved screens (`screens.sqlite`) and what is kept for every browser, too.
    """
    secret: SecretStr | None = None
    """Signs the tokens of live streams; empty is not given. One of fewer than 32 characters is taken, and the
    log names it. Give several dashboards behind one address the same.
    """
    dashboard_store: Annotated[SecretStr | None, AfterValidator(_shared_store)] = None
    """URL of a database in PostgreSQL in which dashboards of several machines keep what else is in files of
    `data_dir`: screens, what is kept for every browser and of sites. None: the files.
    """
    hosts: Annotated[
        tuple[Annotated[str, AfterValidator(_host)], ...], NoDecode, BeforeValidator(_listed)
    ] = ()
    """Names by which browsers reach the dashboard, besides those that `runtime.host_check` knows."""
    embed_origins: Annotated[
        tuple[Annotated[str, AfterValidator(_origin)], ...], NoDecode, BeforeValidator(_listed)
    ] = ()
    """Whose pages may show the dashboard in a frame."""
    open_to_network: bool = False
    """Whether pages are served without any login to whoever reaches an address that is not loopback."""
    access_file: Path | None = None
    """The list of who may what, of those whom a provider logs in (`runtime.access_list`)."""
    role_claim: str = ""
    """Name of the claim of a provider's token that holds roles; empty: the list alone gives them."""
    sites_claim: str = ""
    """Likewise of ids of the sites that a person may see; empty: all."""
    monitoring_token: SecretStr | None = None
    """With a login, `/readyz` and `/metrics` are told to whoever sends it as a bearer token."""

    demo: bool | None = None
    """Whether the tour is announced once the service answers, and a wall screen composed for it; None: no."""
    demo_data: bool = Field(default_factory=lambda settled: settled.get("demo") is not False)
    """Whether the embedded service is filled with the demo; else with what is set up in the dashboard.
    Whoever says that `demo` is off wants none of it.
    """

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        del dotenv_settings, file_secret_settings
        return init_settings, env_settings, InitSettingsSource(settings_cls, _secrets_file())


def get_settings() -> Settings:
    """The settings as they stand now. Raises SettingsError."""
    environment = [(name, value) for name, value in os.environ.items() if name.upper().startswith(_PREFIX)]
    path = _secrets_path()
    stamp = path.stat() if path.is_file() else None
    return _settings_from(tuple(environment), path, (stamp.st_mtime_ns, stamp.st_size) if stamp else None)


@lru_cache(maxsize=1)  # a run of a page asks a score of times; to read them is half a millisecond
def _settings_from(*_: object) -> Settings:
    """Read anew when what they are read from is another: the environment, or the file."""
    try:
        return Settings()
    except ValidationError as error:
        faults = [
            f"{_PREFIX}{fault['loc'][0]}".upper() + f": {_said(fault['msg'])}"
            for fault in error.errors()
            if fault["type"] != "default_factory_not_called"  # it follows from another
        ]
        raise SettingsError(f"{'; '.join(faults)}. Correct it and start again.") from error


def _said(text: str) -> str:
    return text.removeprefix("Value error, ")


def _secrets_path() -> Path:
    return PROJECT_FOLDER / ".streamlit" / "secrets.toml"


def _secrets_file() -> dict[str, object]:
    path = _secrets_path()
    if not path.is_file():
        return {}
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} cannot be read: {error}. Correct it and start again.") from error
    return {
        name.removeprefix(_PREFIX).lower(): value
        for name, value in entries.items()
        if name.startswith(_PREFIX) and value != ""
    }
