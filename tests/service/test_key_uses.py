from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from service.key_uses import KeyUses
from service.store.key_protocol import KeyRecord, KeyScope, KeyUse

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEY = KeyRecord("a", "corner", "Till", KeyScope.READ, NOON, revoked_at=None)


def test_of_many_uses_the_newest_is_taken_once() -> None:
    uses = KeyUses()
    for second in range(1000):
        uses.note("a", NOON + timedelta(seconds=second), "192.0.2.7")
    last = KeyUse(NOON + timedelta(seconds=999), "192.0.2.7")
    assert uses.take() == {"a": last}
    assert uses.take() == {}
    assert uses.newest(KEY) == last


def test_what_could_not_be_stored_is_taken_again_as_it_is_then() -> None:
    uses = KeyUses()
    uses.note("a", NOON, "192.0.2.7")
    uses.note("b", NOON, "192.0.2.7")
    taken = uses.take()
    uses.note("a", NOON + timedelta(seconds=1), "192.0.2.8")
    uses.put_back(taken)
    assert uses.take() == {
        "a": KeyUse(NOON + timedelta(seconds=1), "192.0.2.8"),
        "b": KeyUse(NOON, "192.0.2.7"),
    }


def test_an_open_stream_uses_its_key_from_where_it_was_opened() -> None:
    uses = KeyUses()
    uses.note("a", NOON, "192.0.2.7")
    uses.take()
    uses.note_streams({"a", "never heard of"}, NOON + timedelta(hours=1))
    assert uses.take() == {"a": KeyUse(NOON + timedelta(hours=1), "192.0.2.7")}


def test_what_another_process_stored_later_is_the_newest() -> None:
    uses = KeyUses()
    stored = KeyUse(NOON + timedelta(hours=1), "192.0.2.9")
    assert uses.newest(KEY) is None
    assert uses.newest(replace(KEY, last_used=stored)) == stored
    uses.note("a", NOON, "192.0.2.7")
    assert uses.newest(replace(KEY, last_used=stored)) == stored
