from __future__ import annotations

import subprocess
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from service.open_store import open_store
from service.store.sqlite.store_file import sqlite_url
from tests.eventually import wait_until
from tests.forked_process import run_forked
from tests.running_postgresql import postgresql_url, running_postgresql
from tests.running_service import ROOT, start_service
from tests.small_site import ORGANIZATION, create_small_site


def move(source: str, target: str) -> subprocess.CompletedProcess[str]:
    return run_forked(["service", "migrate-store", source, target], folder=ROOT)


def test_a_file_is_moved_into_postgresql_and_stays(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    source, target = sqlite_url(tmp_path), postgresql_url(tmp_path)
    for _ in range(2):
        done = move(source, target)
        assert done.returncode == 0
        assert "which are the same in both" in done.stderr
    for url in (source, target):
        with closing(open_store(url)) as store:
            key = store.keys.verify(site.read_key)
            assert key is not None
            assert key.organization_id == ORGANIZATION.id


def test_a_file_that_is_in_use_is_not_moved(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    source, target = sqlite_url(tmp_path), postgresql_url(tmp_path)
    with closing(open_store(source)):
        refused = move(source, target)
    assert refused.returncode == 1
    assert "end it first" in refused.stderr
    assert move(source, target).returncode == 0


def test_a_store_is_not_moved_into_itself(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    file = sqlite_url(tmp_path)
    around = file.replace(tmp_path.name, f"{tmp_path.name}/../{tmp_path.name}")
    for target in (file, around):
        refused = move(file, target)
        assert refused.returncode == 1
        assert "the same store" in refused.stderr


@pytest.mark.parametrize("is_source", [True, False])
def test_a_database_that_a_service_uses_is_not_moved_nor_moved_into(
    tmp_path: Path, *, is_source: bool
) -> None:
    """What it stores afterwards would be missing where the rest is then."""
    used, file = postgresql_url(tmp_path), sqlite_url(tmp_path)
    create_small_site(tmp_path, url=used if is_source else file)
    asked = (used, file) if is_source else (file, used)
    service = start_service(tmp_path / "service", environment={"HEADROOM_SERVICE_STORE": used})
    try:
        wait_until(listens)
        refused = move(*asked)
        assert refused.returncode == 1
        assert "A service uses postgresql://headroom@" in refused.stderr
        assert "end it first" in refused.stderr
    finally:
        service.stop()
    assert move(*asked).returncode == 0


def listens() -> bool:
    with psycopg.connect(running_postgresql().address) as connection:
        asked = "SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN headroom'"
        return connection.execute(asked).fetchone() != (0,)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("sqlite:////nowhere/headroom.sqlite", "There is no store at"),
        ("oracle://x:secret@y", "no store of the kind"),
    ],
)
def test_what_cannot_be_moved_is_said_without_a_password(tmp_path: Path, source: str, said: str) -> None:
    done = move(source, sqlite_url(tmp_path))
    assert done.returncode == 1
    assert said in done.stdout + done.stderr
    assert "secret" not in done.stdout + done.stderr
    assert not list(tmp_path.iterdir())
