"""The client of the administrator's API, `/admin`: which counters were heard of and where they hang, keys.

It is a service's own and no part of v3: one that has none answers NotFound. What writes is sent once: whoever
does not hear of it looks at the list, where it stands or does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter, ValidationError

from api_client.answers import not_v3, read_envelope
from api_client.async_client import AsyncClient
from api_client.client import LoopClient
from api_client.plausible import LeftOut
from api_client.requests import ApiRequest
from contract.administration import AskedKey, ListedKey, MadeKey, PlacedAt, Sensor

Content = TypeVar("Content")

_SENSORS: Final = TypeAdapter(list[Sensor])
_OUTCOMES: Final = TypeAdapter(dict[str, Any])
_KEYS: Final = TypeAdapter(list[ListedKey])
_KEY: Final = TypeAdapter(ListedKey)
_MADE_KEY: Final = TypeAdapter(MadeKey)


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
        if isinstance(body, PlacedAt | AskedKey):
            body = body.model_dump(mode="json", by_alias=True, exclude_none=isinstance(body, AskedKey))
        headers = {"x-acting-for": person} if person else {}
        request = ApiRequest(operation, method, f"{self.base_url}/admin/{path}", body=body, headers=headers)
        return self._wait_for(self._asking.asked(request, _reader(kind)))


def _reader(kind: TypeAdapter[Content]) -> Callable[[httpx.Response], Content]:
    def read(response: httpx.Response) -> Content:
        envelope = read_envelope(response, LeftOut())
        try:
            return kind.validate_python(envelope.data)
        except ValidationError as error:
            fault = ".".join(map(str, error.errors()[0]["loc"]))
            raise not_v3(response, f"data: {fault or 'of another kind'}", envelope.meta) from error

    return read
