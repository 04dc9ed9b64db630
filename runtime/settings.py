"""What the dashboard can be told from outside: the environment first, then `.streamlit/secrets.toml`.

Both use the same names, `HEADROOM_BASE_URL` and so on.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

from pydantic import SecretStr
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

PROJECT_FOLDER: Final = Path(__file__).resolve().parent.parent
_PREFIX: Final = "HEADROOM_"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_ignore_empty=True, extra="ignore", frozen=True)

    base_url: str | None = None
    """Root of a v3 service. None: an embedded service is started beside the dashboard."""
    api_key: SecretStr | None = None
    """Read key for `base_url`; the embedded service makes its own."""
    service_port: int = 8502
    """Where the embedded service listens, on the loopback interface."""
    data_dir: Path = PROJECT_FOLDER / ".headroom"
    """Files of the embedded service, and the secret that signs tokens when none is given."""
    secret: SecretStr | None = None
    """Signs the tokens of live streams. Give several dashboards behind one address the same."""

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
    """The settings as they stand now.

    Raises pydantic.ValidationError for a value of a wrong type, tomllib.TOMLDecodeError for a broken file.
    """
    return Settings()


def _secrets_file() -> dict[str, object]:
    path = PROJECT_FOLDER / ".streamlit" / "secrets.toml"
    if not path.is_file():
        return {}
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name.removeprefix(_PREFIX).lower(): value
        for name, value in entries.items()
        if name.startswith(_PREFIX) and value != ""
    }
