from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from service.store.audit_protocol import COMMAND_LINE, AuditAction, Author
from service.store.errors import (
    KeyRotationError,
    KeyTermsError,
    LastAdminKeyError,
    UnknownOrganizationError,
)
from service.store.key_protocol import KeyUse
from service.store.protocol import KeyScope, Organization, Store
from tests.every_store import Opened
from tests.small_site import ORGANIZATION, OTHER_ORGANIZATION, create_records

NOON = datetime(2026, 3, 1, 12, 0, 0, 500_000, tzinfo=UTC)


@pytest.fixture
def store(opened: Opened) -> Store:
    store = opened()
    store.catalogue.save(Organization("corner", "Corner"), [])
    return store


def test_the_secret_told_once_is_the_one_that_is_verified(store: Store) -> None:
    record, secret = store.keys.create("corner", "Till", KeyScope.INGEST)
    assert store.keys.verify(secret) == record
    assert (record.organization_id, record.name, record.scope) == ("corner", "Till", KeyScope.INGEST)
    assert secret.startswith(f"hr_{record.id}_")
    assert len(secret.rpartition(f"{record.id}_")[2]) == 43


@pytest.mark.parametrize(
    "change", [str.swapcase, lambda text: text[:-1], lambda text: text + "A", lambda _: ""]
)
def test_any_other_text_is_no_key(store: Store, change: object) -> None:
    _, secret = store.keys.create("corner", "Till", KeyScope.READ)
    assert callable(change)
    assert store.keys.verify(change(secret)) is None


def test_a_secret_does_not_open_another_key(store: Store) -> None:
    one, one_secret = store.keys.create("corner", "One", KeyScope.READ)
    two, _ = store.keys.create("corner", "Two", KeyScope.READ)
    assert store.keys.verify(one_secret.replace(one.id, two.id)) is None


def test_a_revoked_key_is_still_known_with_the_first_time_it_was_revoked(store: Store) -> None:
    record, secret = store.keys.create("corner", "Till", KeyScope.READ)
    assert store.keys.revoke(record.id)
    revoked = store.keys.verify(secret)
    assert revoked is not None
    assert revoked.revoked_at is not None
    assert store.keys.revoke(record.id)
    assert store.keys.find(record.id) == revoked


def test_a_key_that_is_not_there_is_neither_found_nor_revoked(store: Store) -> None:
    assert store.keys.find("0123456789ab") is None
    assert not store.keys.revoke("0123456789ab")


def test_keys_are_listed_with_revoked_ones(store: Store) -> None:
    made = [store.keys.create("corner", name, KeyScope.READ)[0] for name in ("one", "two")]
    store.keys.revoke(made[0].id)
    assert {key.name: key.revoked_at is not None for key in store.keys.list_keys()} == {
        "one": True,
        "two": False,
    }


def test_a_key_for_an_unknown_organization_is_refused(store: Store) -> None:
    with pytest.raises(UnknownOrganizationError, match="rival"):
        store.keys.create("rival", "Till", KeyScope.READ)
    assert store.keys.list_keys() == []


def test_key_revoked_by_another_process_is_revoked_at_the_next_look(store: Store, opened: Opened) -> None:
    record, secret = store.keys.create("corner", "Till", KeyScope.READ)
    assert store.keys.verify(secret) == record
    opened().keys.revoke(record.id)
    verified = store.keys.verify(secret)
    assert verified is not None
    assert verified.revoked_at is not None


@pytest.fixture
def clocked(opened: Opened) -> tuple[Store, list[datetime]]:
    """A store with sites, and its clock: what stands in the list is the present."""
    moment = [NOON]
    store = opened(clock=lambda: moment[0])
    create_records(store)
    return store, moment


def test_a_key_opens_until_the_second_in_which_it_expires(clocked: tuple[Store, list[datetime]]) -> None:
    store, _ = clocked
    end = NOON + timedelta(hours=1)
    record, secret = store.keys.create("corner", "Till", KeyScope.READ, expires_at=end)
    assert store.keys.verify(secret) == record
    second = end.replace(microsecond=0)
    assert record.expires_at == second
    assert record.opens(second - timedelta(microseconds=1))
    assert not record.opens(second)
    assert not record.opens(end + timedelta(days=400))


def test_a_clock_that_goes_back_lets_a_key_open_again(clocked: tuple[Store, list[datetime]]) -> None:
    """An end is a time of day, not a state: who wants a key gone for good revokes it."""
    store, _ = clocked
    record, _ = store.keys.create("corner", "Till", KeyScope.READ, expires_at=NOON + timedelta(hours=1))
    assert [record.opens(NOON + timedelta(hours=hours)) for hours in (2, 0)] == [False, True]


def test_a_key_for_some_sites_is_for_no_others(clocked: tuple[Store, list[datetime]]) -> None:
    store, _ = clocked
    record, secret = store.keys.create("corner", "Till", KeyScope.READ, site_ids=["corner-shop"])
    assert store.keys.verify(secret) == record
    assert record.reads("corner-shop")
    assert not record.reads("closed-shop")
    everything, _ = store.keys.create("corner", "Till", KeyScope.READ)
    assert everything.reads("a site to come")


def test_what_a_key_cannot_be_made_with_is_said_by_field(clocked: tuple[Store, list[datetime]]) -> None:
    store, _ = clocked
    with pytest.raises(KeyTermsError) as refused:
        store.keys.create("corner", "", KeyScope.INGEST, expires_at=NOON, site_ids=["elsewhere"])
    assert refused.value.faults.keys() == {"name", "expiresAt", "siteIds"}
    assert "elsewhere" in refused.value.faults["siteIds"]
    assert store.keys.list_keys() == []


def test_rotation_makes_another_and_ends_the_old_one_after_the_overlap(
    clocked: tuple[Store, list[datetime]],
) -> None:
    store, moment = clocked
    old, _ = store.keys.create(
        "corner", "Till", KeyScope.READ, expires_at=NOON + timedelta(days=30), site_ids=["corner-shop"]
    )
    moment[0] = NOON + timedelta(days=20)
    made = store.keys.rotate(old.id, timedelta(days=1), author=COMMAND_LINE)
    assert made is not None
    new, secret = made
    assert store.keys.verify(secret) == new
    assert (new.name, new.scope, new.site_ids) == (old.name, old.scope, old.site_ids)
    whole = moment[0].replace(microsecond=0)
    assert new.expires_at == whole + timedelta(days=30)
    left = store.keys.find(old.id)
    assert left is not None
    assert (left.replaced_by, left.expires_at) == (new.id, whole + timedelta(days=1))
    with pytest.raises(KeyRotationError, match=new.id):
        store.keys.rotate(old.id, timedelta(0))
    # Rotation never lets a key open for longer than it would have.
    moment[0] = NOON + timedelta(days=49)
    store.keys.rotate(new.id, timedelta(days=30))
    ends = store.keys.find(new.id)
    assert ends is not None
    assert ends.expires_at == new.expires_at


def test_an_expired_key_is_not_rotated(clocked: tuple[Store, list[datetime]]) -> None:
    store, moment = clocked
    old, _ = store.keys.create("corner", "Till", KeyScope.READ, expires_at=NOON + timedelta(hours=1))
    moment[0] = NOON + timedelta(hours=1)
    with pytest.raises(KeyRotationError, match="expired"):
        store.keys.rotate(old.id, timedelta(hours=1))


def test_another_organizations_key_is_not_there(clocked: tuple[Store, list[datetime]]) -> None:
    store, _ = clocked
    key, secret = store.keys.create("corner", "Till", KeyScope.READ)
    rival = OTHER_ORGANIZATION.id
    assert store.keys.revoke(key.id, organization_id=rival) is None
    assert store.keys.rotate(key.id, timedelta(0), organization_id=rival) is None
    assert store.keys.list_keys(rival) == []
    assert store.keys.verify(secret) == key


def test_the_last_key_of_scope_admin_that_opens_stays(clocked: tuple[Store, list[datetime]]) -> None:
    """Others that are revoked, expired, of another scope or organization do not count."""
    store, moment = clocked
    owner = ORGANIZATION.id
    expiring, _ = store.keys.create("corner", "a", KeyScope.ADMIN, expires_at=NOON + timedelta(hours=1))
    gone, _ = store.keys.create("corner", "b", KeyScope.ADMIN)
    last, _ = store.keys.create("corner", "c", KeyScope.ADMIN)
    store.keys.create("corner", "d", KeyScope.READ)
    store.keys.create(OTHER_ORGANIZATION.id, "e", KeyScope.ADMIN)
    assert store.keys.revoke(gone.id, organization_id=owner)
    moment[0] = NOON + timedelta(hours=2)
    with pytest.raises(LastAdminKeyError):
        store.keys.revoke(last.id, organization_id=owner)
    assert store.keys.revoke(expiring.id, organization_id=owner)
    # Whoever has a shell may.
    assert store.keys.revoke(last.id)


def test_the_last_use_is_kept_and_an_earlier_one_is_passed_over(
    clocked: tuple[Store, list[datetime]],
) -> None:
    store, _ = clocked
    key, secret = store.keys.create("corner", "Till", KeyScope.READ)
    later = KeyUse(NOON.replace(microsecond=0), "192.0.2.7")
    store.keys.note_uses({key.id: later, "0123456789ab": later})
    store.keys.note_uses({key.id: KeyUse(later.at - timedelta(seconds=1), "192.0.2.8")})
    store.keys.note_uses({})
    found = store.keys.verify(secret)
    assert found is not None
    assert found.last_used == later


def test_changes_of_keys_are_in_the_audit_log(clocked: tuple[Store, list[datetime]]) -> None:
    store, _ = clocked
    author = Author("Office", "0123456789ab", "Ana")
    before = store.audit.entries("corner", limit=1)[0].number
    key, secret = store.keys.create("corner", "Till", KeyScope.READ, author=author)
    store.keys.rotate(key.id, timedelta(hours=1), author=author)
    store.keys.revoke(key.id, author=author)
    store.keys.revoke(key.id, author=author)
    entries = [entry for entry in store.audit.entries("corner", limit=10) if entry.number > before]
    assert [(entry.change.action, entry.change.target == key.id) for entry in entries] == [
        (AuditAction.KEY_REVOKED, True),
        (AuditAction.KEY_ROTATED, True),
        (AuditAction.KEY_CREATED, False),
        (AuditAction.KEY_CREATED, True),
    ]
    assert {entry.author for entry in entries} == {author}
    assert {entry.at for entry in entries} == {NOON.replace(microsecond=0)}
    assert secret not in repr(entries)
    assert store.audit.entries(OTHER_ORGANIZATION.id, limit=10) != entries
