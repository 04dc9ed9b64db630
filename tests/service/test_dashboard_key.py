from __future__ import annotations

from pathlib import Path

from service.dashboard_key import dashboard_key
from service.open_store import open_store, store_url


def test_a_revoked_key_in_the_folder_is_replaced(tmp_path: Path) -> None:
    store = open_store(store_url(tmp_path))
    first = dashboard_key(store, tmp_path)
    assert dashboard_key(store, tmp_path) == first
    record = store.keys.verify(first)
    assert record is not None
    store.keys.revoke(record.id)
    second = dashboard_key(store, tmp_path)
    store.close()
    assert second != first
    assert (tmp_path / "dashboard.key").read_text().strip() == second
