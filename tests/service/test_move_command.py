from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import insert

from service.open_store import open_database, open_store
from service.store.archive_tables import ARCHIVED_SITES
from service.store.protocol import WriteMode
from service.store.sqlite.store_file import SCHEME, file_of, sqlite_url
from tests.crowded_site import MINUTE, NOON, crowded_counts, crowded_site, levels
from tests.crowded_site import ORGANIZATION as CROWD
from tests.eventually import wait_until
from tests.every_store import URL_IN
from tests.forked_process import ForkedProcess, run_forked
from tests.running_postgresql import postgresql_url
from tests.running_service import ROOT, begin_service, start_service
from tests.small_site import ORGANIZATION, SITE, create_small_site


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


def test_of_a_store_with_an_archive_is_said_that_the_archive_is_the_second_ones_now(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    source, target = sqlite_url(tmp_path), postgresql_url(tmp_path)
    assert "HEADROOM_SERVICE_ARCHIVE" not in move(source, target).stderr
    days = {"site_id": SITE.id, "until": MINUTE, "shipment": 1}
    for url in (source, target):
        with closing(open_database(url)) as database, database.writing() as connection:
            connection.execute(insert(ARCHIVED_SITES).values(days))
    assert "set HEADROOM_SERVICE_ARCHIVE for them, too" in move(source, target).stderr


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
        refused = move(*asked)
        assert refused.returncode == 1
        assert "A service or another command uses postgresql://headroom@" in refused.stderr
        assert "end it first" in refused.stderr
    finally:
        service.stop()
    assert move(*asked).returncode == 0


@pytest.mark.parametrize(("first", "second"), [("sqlite", "postgresql"), ("postgresql", "sqlite")])
def test_what_a_killed_move_has_left_is_used_by_nobody_until_it_has_gone_on(
    tmp_path: Path, first: str, second: str
) -> None:
    for name in ("from", "to"):
        (tmp_path / name).mkdir()
    source, target = URL_IN[first](tmp_path / "from"), URL_IN[second](tmp_path / "to")
    with closing(open_store(source, clock=lambda: NOON)) as store:
        store.catalogue.save(CROWD, [crowded_site("Europe/Zurich")])
        store.metrics.append(crowded_counts(MINUTE - 10 * 1440, MINUTE, seed=1), WriteMode.SET)
    command = ["service", "migrate-store", source, target]
    moving = ForkedProcess(command, folder=ROOT, environment=os.environ, log=tmp_path / "moving.log")
    try:
        wait_until(lambda: has_counts(target), pause=0.01)
    finally:
        moving.kill()
    assert moving.wait() == -signal.SIGKILL, "it was in the middle"

    service = begin_service(tmp_path / "service", environment={"HEADROOM_SERVICE_STORE": target})
    try:
        assert service.process.wait(60) == 1
    finally:
        service.stop()
    assert f"A move into {told(target)} is not finished" in (tmp_path / "service/service.log").read_text()
    onwards = move(target, sqlite_url(tmp_path / "elsewhere"))
    assert (onwards.returncode, "a part of the counts alone" in onwards.stderr) == (1, True)

    assert move(source, target).returncode == 0
    with closing(open_store(source)) as before, closing(open_store(target)) as after:
        assert levels(after, "whole") == levels(before, "whole")
        assert all(not site.differences for site in after.metrics.check())


def has_counts(url: str) -> bool:
    """Whether there are some of a move that is under way, by the engine's own connection."""
    asked = "SELECT count(*) FROM passage_minutes"
    try:
        if url.startswith(SCHEME):
            with closing(sqlite3.connect(f"file:{file_of(url)}?mode=ro", uri=True)) as file:
                return bool(file.execute(asked).fetchone()[0])
        with psycopg.connect(url) as connection:
            return connection.execute(asked).fetchone() != (0,)
    except (sqlite3.OperationalError, psycopg.errors.UndefinedTable):
        return False


def told(url: str) -> str:
    return url.removeprefix(SCHEME).partition("?")[0]


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
