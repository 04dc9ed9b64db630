from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from service.clock import present
from service.dashboard_key import OWN_ORGANIZATION, administrator_key, dashboard_key
from service.open_store import open_store, store_url
from service.store.protocol import KeyScope, Organization, Store


@pytest.mark.parametrize(
    ("kept", "file_name", "scope"),
    [
        (dashboard_key, "dashboard.key", KeyScope.READ),
        (administrator_key, "administrator.key", KeyScope.ADMIN),
    ],
)
def test_a_key_in_the_folder_is_kept_for_as_long_as_it_opens(
    tmp_path: Path, kept: Callable[[Store, Path], str], file_name: str, scope: KeyScope
) -> None:
    with closing(open_store(store_url(tmp_path))) as store:
        first = kept(store, tmp_path)
        assert kept(store, tmp_path) == first
        record = store.keys.verify(first)
        assert record is not None
        assert record.scope is scope
        store.keys.revoke(record.id)
        second = kept(store, tmp_path)
    assert second != first
    assert (tmp_path / file_name).read_text().strip() == second
    assert (tmp_path / file_name).stat().st_mode & 0o777 == 0o600


def test_an_expired_key_and_one_of_another_scope_are_replaced(tmp_path: Path) -> None:
    earlier = present() - timedelta(days=2)
    with closing(open_store(store_url(tmp_path), clock=lambda: earlier)) as store:
        reads = dashboard_key(store, tmp_path)
        end = earlier + timedelta(days=1)
        _, expired = store.keys.create("demo", "old", KeyScope.ADMIN, expires_at=end)
        for unfit in (reads, expired):
            (tmp_path / "administrator.key").write_text(unfit)
            record = store.keys.verify(administrator_key(store, tmp_path))
            assert record is not None
            assert record.scope is KeyScope.ADMIN
            assert record.opens(present())


def test_a_key_of_another_organization_is_replaced_and_both_organizations_stay(tmp_path: Path) -> None:
    """As where the demo was tried before one's own sites are set up."""
    with closing(open_store(store_url(tmp_path))) as store:
        of_demo = administrator_key(store, tmp_path)
        own = administrator_key(store, tmp_path, OWN_ORGANIZATION)
        assert own != of_demo
        assert administrator_key(store, tmp_path, OWN_ORGANIZATION) == own
        owners = [record.organization_id for one in (of_demo, own) if (record := store.keys.verify(one))]
        assert owners == ["demo", "own"]
        store.catalogue.save(Organization("own", "Bakery Meier"), [])
        dashboard_key(store, tmp_path, OWN_ORGANIZATION)
        assert {one.id: one.name for one in store.catalogue.organizations()}["own"] == "Bakery Meier"
