"""The file that lists who may what (`HEADROOM_ACCESS_FILE`), read anew as soon as it is another.

[people]                      # by mail address, or by the provider's `sub`
"ann@shop.example" = { role = "manager", sites = ["shop-1"] }
"bob@shop.example" = { role = "administrator" }     # without sites: every one

[roles]                       # what values of the claim HEADROOM_ROLE_CLAIM mean
"shop-floor" = "viewer"
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from runtime.access import Listed, Role, Rules, plain_mail, sites_of
from runtime.settings import Settings, SettingsError


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Role
    sites: list[str] | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    people: dict[str, _Entry] = {}
    roles: dict[str, Role] = {}


def read_rules(settings: Settings) -> Rules:
    """How claims are read now. Raises SettingsError: the file cannot be read, or not understood."""
    path = settings.access_file
    if path is None:
        return _rules(settings.role_claim, settings.sites_claim, None, None)
    try:
        stamp = path.stat()
    except OSError as error:
        raise _unusable(path, error.strerror or "") from error
    return _rules(settings.role_claim, settings.sites_claim, path, (stamp.st_mtime_ns, stamp.st_size))


@lru_cache(maxsize=1)
def _rules(role_claim: str, sites_claim: str, path: Path | None, _stamp: tuple[int, int] | None) -> Rules:
    known = _read(path) if path else _File()
    people = {
        plain_mail(who.strip()) if "@" in who else who.strip(): Listed(
            one.role, None if one.sites is None else sites_of(one.sites)
        )
        for who, one in known.people.items()
    }
    return Rules(role_claim, sites_claim, known.roles, people)


def _read(path: Path) -> _File:
    try:
        return _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        fault = error.errors()[0]
        raise _unusable(path, f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from error
    except (OSError, ValueError) as error:
        raise _unusable(path, str(error)) from error


def _unusable(path: Path, reason: str) -> SettingsError:
    return SettingsError(
        f"HEADROOM_ACCESS_FILE: {path} cannot be used, and nobody is let in by it: {reason}. Correct it."
    )
