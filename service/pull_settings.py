"""Sources that are pulled, for counters that cannot push: a file of settings in TOML or JSON.

    organization = "corner"

    [[source]]
    name = "door"
    kind = "url"
    format = "axis-3d-export"
    url = "http://10.0.0.5/a3dpc/api/export/json?start=today&end=now&resolution=minute"
    serial = "ACCC8E000001"
    timezone = "Europe/Zurich"
    user = "headroom"
    password = "..."
    login = "digest"

A format is a maker's (what its counters push), an export (what they answer when they are asked), `mapping`,
which stands there too, `=NAME` of a mapping that is kept, or our own: `counts-json`, `counts-csv`.
"""

from __future__ import annotations

import ssl
import tomllib
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    AnyUrl,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    UrlConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError, from_json

from contract import listed, quoted, timezone_names
from service.kept_mapping import fault_of_name
from service.sensors.adapters import ADAPTERS
from service.sensors.exports import EXPORTS
from service.sensors.mapping import Mapping
from service.settings import Duration, SettingsError

COUNTS_JSON: Final = "counts-json"
COUNTS_CSV: Final = "counts-csv"
MAPPING: Final = "mapping"
KEPT: Final = "="
"""Before the name of a mapping that is kept."""
FORMATS: Final = (*ADAPTERS, *EXPORTS, MAPPING, COUNTS_JSON, COUNTS_CSV)

_MOST_SOURCES: Final = 1_000
_LARGEST_FILE: Final = 4 * 1024 * 1024
_LONGEST: Final = timedelta(days=1)
_ONE_LINE: Final = r"^[^\x00-\x1f\x7f]+$"


def _format(name: str) -> str:
    if name.startswith(KEPT):
        if fault := fault_of_name(name.removeprefix(KEPT)):
            raise _fault(f"the name of a mapping, after {KEPT}, {fault}")
    elif name not in FORMATS:
        raise _fault(f"is none of {', '.join(FORMATS)}, and no {KEPT}NAME of a mapping that is kept")
    return name


def _timezone(name: str) -> str:
    if name not in timezone_names():
        raise PydanticCustomError("zone", "is not an IANA time zone of a place, as Europe/Zurich is")
    return name


def _absolute(folder: Path) -> Path:
    if not folder.is_absolute():
        raise PydanticCustomError("folder", "has to be a whole path, from / on")
    return folder


Line = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=_ONE_LINE)]


class _Source(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    """In the log, in `/healthz` and in no file: letters, digits, hyphens."""
    format: Annotated[str, AfterValidator(_format)]
    """One of `FORMATS`, or `=NAME` of a mapping that is kept."""
    serial: Line | None = None
    """Of the counter: of an export, which lacks it."""
    timezone: Annotated[str, AfterValidator(_timezone)] | None = None
    """IANA name: of the counter's clock, where what it gives has no offset; of dates that are asked for."""
    mapping: Mapping | None = None

    @model_validator(mode="after")
    def _has_what_its_format_needs(self) -> Self:
        if self.format in EXPORTS and not (self.serial and self.timezone):
            raise _fault(f"format {self.format} needs a serial and a timezone: what is read has neither")
        if self.format not in EXPORTS and self.serial:
            raise _fault(f"serial is only for {listed(list(EXPORTS))}: {self.format} tells it itself")
        if (self.format == MAPPING) is not (self.mapping is not None):
            raise _fault("mapping has to be there for the format mapping, and for no other")
        return self

    @property
    def kept_mapping(self) -> str:
        """Name of the mapping that is kept and reads it; empty where none does."""
        return self.format.removeprefix(KEPT) if self.format.startswith(KEPT) else ""

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone or "UTC")


class UrlSource(_Source):
    kind: Literal["url"]
    url: Annotated[str, StringConstraints(min_length=1, max_length=4_000)]
    """`{yesterday}`, `{today}`, `{tomorrow}`: dates, 2026-11-21, in `timezone`; in `body`, too."""
    interval: Annotated[Duration, Field(ge=timedelta(seconds=5), le=_LONGEST)] = timedelta(minutes=5)
    body: Annotated[str, StringConstraints(max_length=64 * 1024)] | None = None
    """Is posted; without one, the address is only read."""
    content_type: Line = "application/xml"
    """Of `body`."""
    user: Line | None = None
    password: SecretStr | None = None
    login: Literal["basic", "digest"] = "basic"
    token: SecretStr | None = None
    """Sent as `Authorization: Bearer`."""
    ca_file: Path | None = None
    """PEM of the authorities that may have signed the certificate; else those of the system."""

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        try:
            address = _HttpUrl.model_validate({"url": self.url.replace("{", "").replace("}", "")}).url
        except ValidationError as error:
            raise _fault(f"url: {error.errors(include_input=False)[0]['msg']}") from error
        if address.username or address.password:
            raise _fault("url has a user or a password in it, which belong in user and password")
        if (self.password is None) is not (self.user is None):
            raise _fault("user and password belong together")
        if self.token and self.user:
            raise _fault("token and user exclude each other")
        return self


class FolderSource(_Source):
    kind: Literal["folder"]
    folder: Annotated[Path, AfterValidator(_absolute)]
    interval: Annotated[Duration, Field(ge=timedelta(seconds=1), le=_LONGEST)] = timedelta(seconds=10)
    """Between two looks. A file is read when it was the same in two of them."""


Source = Annotated[UrlSource | FolderSource, Field(discriminator="kind")]


class PullSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    organization: Line
    """Id of the one whose counters these are."""
    source: Annotated[tuple[Source, ...], Field(min_length=1, max_length=_MOST_SOURCES)]

    @model_validator(mode="after")
    def _are_apart(self) -> Self:
        names = Counter(one.name for one in self.source)
        folders = Counter(str(one.folder) for one in self.source if isinstance(one, FolderSource))
        for called, found in (("name", names), ("folder", folders)):
            if twice := [one for one, times in found.items() if times > 1]:
                raise _fault(f"two sources have the {called} {quoted(twice[0])}")
        return self


class _HttpUrl(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    url: Annotated[AnyUrl, UrlConstraints(allowed_schemes=["http", "https"], host_required=True)]


def read_pull_settings(file: Path) -> PullSettings:
    """Raises SettingsError, which repeats nothing of the file but names of fields and sources."""
    try:
        with file.open("rb") as opened:
            content = opened.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise SettingsError(f"Cannot read {file}: {error.strerror}.") from error
    if len(content) > _LARGEST_FILE:
        raise _refused(file, f"has more than {_LARGEST_FILE // 1024**2} MB")
    try:
        document = from_json(content) if file.suffix == ".json" else tomllib.loads(content.decode())
    except tomllib.TOMLDecodeError as error:
        where = str(error).rpartition("(")[2].removesuffix(")")
        raise _refused(file, f"is not TOML {where}") from None
    except UnicodeDecodeError as error:
        raise _refused(file, f"is not UTF-8 at byte {error.start}") from None
    except ValueError as error:
        raise _refused(file, f"is not JSON: {error}") from None
    try:
        settings = PullSettings.model_validate(document)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        # Of sources of which each is refused, none is left: that is no fault of its own.
        own = [fault for fault in faults if len(faults) == 1 or fault["type"] != "too_short"]
        raise _refused(file, "; ".join(_said(fault, document) for fault in own[:20])) from None
    for one in settings.source:
        if isinstance(one, UrlSource):
            try:
                certificate_check(one)
            except OSError as error:
                reason = error.strerror or getattr(error, "reason", "") or "it is none"
                says = f"source {quoted(one.name)}: ca_file: {one.ca_file} cannot be read as PEM: {reason}"
                raise _refused(file, says) from error
    return settings


def certificate_check(source: UrlSource) -> ssl.SSLContext:
    """What checks the certificate of its host. Raises OSError where `ca_file` cannot be read."""
    return ssl.create_default_context(cafile=source.ca_file)


def _fault(says: str) -> PydanticCustomError:
    return PydanticCustomError("fit", "{says}", {"says": says})


def _said(fault: ErrorDetails, document: Any) -> str:
    """By the name of the source, where it has one, and of the field."""
    match fault["loc"]:
        case ("source", int(index), *rest):
            entries = document.get("source")
            name = entries[index].get("name") if isinstance(entries[index], dict) else None
            where = f"source {quoted(name)}" if isinstance(name, str) else f"source {index + 1}"
            field = ".".join(map(str, rest[1:]))  # the first is the kind
        case loc:
            where, field = "", ".".join(map(str, loc))
    what = "is not a setting: look for a slip" if fault["type"] == "extra_forbidden" else fault["msg"]
    return ": ".join(filter(None, (where, field, what)))


def _refused(file: Path, faults: str) -> SettingsError:
    return SettingsError(f"{file}: {faults}. Correct it and start again.")
