"""Last uses of API keys: noted in memory as requests come, stored now and then by a worker."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from service.store.key_protocol import KeyRecord, KeyUse


class KeyUses:
    """Belongs to the event loop. As many are kept as there are keys that were used."""

    def __init__(self) -> None:
        self._newest: dict[str, KeyUse] = {}
        self._unstored: set[str] = set()

    def note(self, key_id: str, at: datetime, address: str) -> None:
        """A request came with this key. Takes less than a microsecond: every request does it."""
        self._newest[key_id] = KeyUse(at, address)
        self._unstored.add(key_id)

    def note_streams(self, key_ids: Collection[str], at: datetime) -> None:
        """These have a stream open: they are in use, from where their last request came."""
        for key_id in key_ids:
            if use := self._newest.get(key_id):
                self.note(key_id, at, use.address)

    def take(self) -> dict[str, KeyUse]:
        """What is to be stored, by key; `put_back` where it could not be."""
        taken, self._unstored = self._unstored, set()
        return {key_id: self._newest[key_id] for key_id in taken}

    def put_back(self, key_ids: Collection[str]) -> None:
        self._unstored.update(key_ids)

    def newest(self, key: KeyRecord) -> KeyUse | None:
        """The last use that is known, whether it is stored yet or not."""
        noted = self._newest.get(key.id)
        if noted is None or (key.last_used is not None and key.last_used.at > noted.at):
            return key.last_used
        return noted
