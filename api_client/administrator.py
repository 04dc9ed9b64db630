"""The client of the administrator's API, `/admin`: which counters were heard of and where they hang, keys.

It is a service's own and no part of v3: one that has none answers NotFound. What writes is sent once: whoever
does not hear of it looks at the list, where it stands or does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Generic, NamedTuple, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from api_client.answers import not_v3, read_envelope
from api_client.async_client import AsyncClient
from api_client.client import LoopClient
from api_client.plausible import LeftOut
from api_client.requests import ApiRequest
from contract.administration import (
    AskedKey,
    AuditShown,
    CorrectionTold,
    KeptMapping,
    ListedKey,
    ListedSite,
    MadeKey,
    MappingTried,
    MappingWritten,
    NamedOrganization,
    PlacedAt,
    Sensor,
    SensorsDismissed,
    SiteSetUp,
    SiteStored,
)

Content = TypeVar("Content")

_DISMISSED_AT_ONCE: Final = 100
"""Counters of a request: the service forgets one after the other, and its answer is waited for."""


class _Dismissed(BaseModel):
    dismissed: int


_SENSORS: Final = TypeAdapter(list[Sensor])
_OUTCOMES: Final = TypeAdapter(dict[str, Any])
_DISMISSED: Final = TypeAdapter(_Dismissed)
_KEYS: Final = TypeAdapter(list[ListedKey])
_KEY: Final = TypeAdapter(ListedKey)
_MADE_KEY: Final = TypeAdapter(MadeKey)
_MAPPINGS: Final = TypeAdapter(list[KeptMapping])
_MAPPING: Final = TypeAdapter(KeptMapping)
_TRIED: Final = TypeAdapter(MappingTried)
_CORRECTIONS: Final = TypeAdapter(list[CorrectionTold])
_CORRECTION: Final = TypeAdapter(CorrectionTold)
_CHANGES: Final = TypeAdapter(list[AuditShown])
_ORGANIZATION: Final = TypeAdapter(NamedOrganization)
_SITES: Final = TypeAdapter(list[ListedSite])
_SITE: Final = TypeAdapter(SiteSetUp)
_STORED_SITE: Final = TypeAdapter(SiteStored)


class Tagged(NamedTuple, Generic[Content]):
    content: Content
    tag: str
    """The ETag of this state of it."""


class AdministratorClient(LoopClient):
    """Administers a service with a key of scope `admin`. `timeout` is in seconds, between two pieces of an
    answer. `person` names for whom the key acts, for the service's record of changes; None: nobody is known.
    """

    def __init__(self, base_url: str, api_key: str, *, timeout: float = 10.0) -> None:
        asking = AsyncClient(base_url, api_key, timeout=timeout, attempts=1)
        super().__init__(asking, "headroom-administrator")

    def sensors(self) -> list[Sensor]:
        """Every line of every counter that was heard of, by maker, serial and line."""
        return self._ask("list counters", "GET", "sensors", _SENSORS)

    def place(self, number: int, placed: PlacedAt, *, person: str | None = None) -> Mapping[str, int]:
        """Let a line count at a passage, or nowhere. How many of its reports that waited became what:
        `counted`, `begun`, `duplicate`, `conflicting`, `stale`; those of none are left out.
        """
        told = self._ask(
            "place a counter", "PUT", f"sensors/{number}/placement", _OUTCOMES, body=placed, person=person
        )
        return {name: count for name, count in told.items() if isinstance(count, int)}

    def dismiss(self, numbers: Sequence[int], *, is_ignored: bool, person: str | None = None) -> int:
        """Forget lines that nobody has placed; how many there were. Ignored ones do not come back when they
        report. Of thousands, those of the requests before one that fails are gone.
        """
        dismissed = 0
        for first in range(0, len(numbers), _DISMISSED_AT_ONCE):
            some = tuple(numbers[first : first + _DISMISSED_AT_ONCE])
            body = SensorsDismissed(numbers=some, is_ignored=is_ignored)
            path, asked = "sensors/dismissal", body.model_dump(mode="json", by_alias=True)
            told = self._ask("dismiss counters", "POST", path, _DISMISSED, body=asked, person=person)
            dismissed += told.dismissed
        return dismissed

    def mappings(self) -> list[KeptMapping]:
        """How bodies are read of counters that no adapter knows, by name."""
        return self._ask("list mappings", "GET", "mappings", _MAPPINGS)

    def try_mapping(self, written: MappingWritten, body: str) -> MappingTried:
        """What would be counted of a body; nothing is stored."""
        asked = {"mapping": _printed(written), "body": body}
        request = self._request("try a mapping", "POST", "mappings/try", body=asked)
        return self._wait_for(self._asking.asked(replace(request, changes=False), _reader(_TRIED)))

    def keep_mapping(
        self, name: str, written: MappingWritten, tag: str | None, *, person: str | None = None
    ) -> KeptMapping:
        """Replace the state of it that `tag` names; None: keep a new one. As `store_site`, of two the later
        gets InvalidQuery.
        """
        headers = {"if-match": tag} if tag else {"if-none-match": "*"}
        body, path = _printed(written), f"mappings/{quote(name, safe='')}"
        request = self._request("keep a mapping", "PUT", path, body=body, person=person, headers=headers)
        return self._wait_for(self._asking.asked(request, _reader(_MAPPING)))

    def remove_mapping(self, name: str, tag: str, *, person: str | None = None) -> KeptMapping:
        """What counters post under its name is refused from then on."""
        path, headers = f"mappings/{quote(name, safe='')}", {"if-match": tag}
        request = self._request("remove a mapping", "DELETE", path, person=person, headers=headers)
        return self._wait_for(self._asking.asked(request, _reader(_MAPPING)))

    def keys(self) -> list[ListedKey]:
        """All keys of the organization, those that were revoked included."""
        return self._ask("list keys", "GET", "keys", _KEYS)

    def make_key(self, asked: AskedKey, *, person: str | None = None) -> MadeKey:
        return self._ask("make a key", "POST", "keys", _MADE_KEY, body=asked, person=person)

    def revoke_key(self, key_id: str, *, person: str | None = None) -> ListedKey:
        """It is refused at the very next request. The service refuses it for its last key of scope admin."""
        return self._ask("revoke a key", "DELETE", f"keys/{quote(key_id, safe='')}", _KEY, person=person)

    def rotate_key(self, key_id: str, overlap_seconds: int, *, person: str | None = None) -> MadeKey:
        """Another key for the same; the old one goes on for `overlap_seconds`, at most `LONGEST_OVERLAP`."""
        path = f"keys/{quote(key_id, safe='')}/rotation"
        return self._ask(
            "rotate a key", "POST", path, _MADE_KEY, body={"overlapSeconds": overlap_seconds}, person=person
        )

    def organization(self) -> NamedOrganization:
        return self._ask("read the organization", "GET", "organization", _ORGANIZATION)

    def name_organization(self, name: str, *, person: str | None = None) -> NamedOrganization:
        asked = {"name": name}
        return self._ask(
            "name the organization", "PUT", "organization", _ORGANIZATION, body=asked, person=person
        )

    def sites(self) -> list[ListedSite]:
        """All of the organization, archived ones included."""
        return self._ask("list sites to set up", "GET", "sites", _SITES)

    def site(self, site_id: str) -> Tagged[SiteSetUp]:
        """A site as it is set up."""
        request = self._request(f"read how {site_id} is set up", "GET", f"sites/{quote(site_id, safe='')}")
        return self._wait_for(self._asking.asked(request, _tagged(_SITE)))

    def store_site(
        self, site_id: str, form: Mapping[str, Any], tag: str | None, *, person: str | None = None
    ) -> Tagged[SiteStored]:
        """Replace the state of the site that `tag` names; None: create it, and replace nothing. Whoever was
        later than somebody else gets InvalidQuery with the code PRECONDITION_FAILED.
        """
        headers = {"if-match": tag} if tag else {"if-none-match": "*"}
        path = f"sites/{quote(site_id, safe='')}"
        request = self._request("set up a site", "PUT", path, body=form, person=person, headers=headers)
        return self._wait_for(self._asking.asked(request, _tagged(_STORED_SITE)))

    def corrections(self, site_id: str, start: datetime, end: datetime) -> list[CorrectionTold]:
        """What was set by hand for the minutes [start, end), aware, by minute; withdrawn ones, too."""
        path = f"sites/{quote(site_id, safe='')}/corrections"
        asked = {"from": start.isoformat(), "to": end.isoformat()}
        return self._list("list what was set by hand", path, _CORRECTIONS, asked)

    def correct(
        self, site_id: str, zone_id: str, inside: int, reason: str, *, person: str | None = None
    ) -> CorrectionTold:
        """Set how many are inside a zone from this minute on."""
        path = f"sites/{quote(site_id, safe='')}/corrections"
        body = {"zoneId": zone_id, "visitorsInside": inside, "reason": reason}
        return self._ask("set a number by hand", "POST", path, _CORRECTION, body=body, person=person)

    def withdraw(self, site_id: str, number: int, *, person: str | None = None) -> CorrectionTold:
        """Take back what was set by hand; the record stays."""
        path = f"sites/{quote(site_id, safe='')}/corrections/{number}"
        return self._ask("take back a number set by hand", "DELETE", path, _CORRECTION, person=person)

    def changes(
        self, *, limit: int, before: int | None = None, site_id: str = "", kind: str = "", person: str = ""
    ) -> list[AuditShown]:
        """What was changed, the newest first; at most `limit`, of those with a lower number than `before`. An
        empty page is the last. What is empty of the rest leaves none out.
        """
        asked: dict[str, Any] = {"before": before, "site": site_id, "kind": kind, "person": person}
        wanted = {"limit": limit} | {name: value for name, value in asked.items() if value}
        return self._list("list changes", "audit", _CHANGES, wanted)

    def _list(
        self, operation: str, path: str, kind: TypeAdapter[Content], asked: Mapping[str, int | str]
    ) -> Content:
        request = replace(self._request(operation, "GET", path), parameters=asked)
        return self._wait_for(self._asking.asked(request, _reader(kind)))

    def _ask(
        self,
        operation: str,
        method: str,
        path: str,
        kind: TypeAdapter[Content],
        *,
        body: PlacedAt | AskedKey | Mapping[str, Any] | None = None,
        person: str | None = None,
    ) -> Content:
        request = self._request(operation, method, path, body=body, person=person)
        return self._wait_for(self._asking.asked(request, _reader(kind)))

    def _request(
        self,
        operation: str,
        method: str,
        path: str,
        *,
        body: PlacedAt | AskedKey | Mapping[str, Any] | None = None,
        person: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ApiRequest:
        if isinstance(body, PlacedAt | AskedKey):
            body = body.model_dump(mode="json", by_alias=True, exclude_none=isinstance(body, AskedKey))
        told = {"x-acting-for": person} if person else {}
        url, changes = f"{self.base_url}/admin/{path}", method != "GET"
        return ApiRequest(
            operation, method, url, body=body, headers=told | dict(headers or {}), changes=changes
        )


def _printed(written: MappingWritten) -> dict[str, Any]:
    return written.model_dump(mode="json", by_alias=True)


def _tagged(kind: TypeAdapter[Content]) -> Callable[[httpx.Response], Tagged[Content]]:
    read = _reader(kind)
    return lambda response: Tagged(read(response), response.headers.get("etag", ""))


def _reader(kind: TypeAdapter[Content]) -> Callable[[httpx.Response], Content]:
    def read(response: httpx.Response) -> Content:
        envelope = read_envelope(response, LeftOut())
        try:
            return kind.validate_python(envelope.data)
        except ValidationError as error:
            fault = ".".join(map(str, error.errors()[0]["loc"]))
            raise not_v3(response, f"data: {fault or 'of another kind'}", envelope.meta) from error

    return read
