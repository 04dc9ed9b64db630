from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from service.open_store import open_store, store_url
from service.store.protocol import WriteMode
from service.store.sqlite.store_file import FILE_NAME
from tests.crowded_site import MINUTE, ORGANIZATION, crowded_counts, crowded_site
from tests.forked_process import run_forked
from tests.running_service import ROOT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Counts of three days over a change of clocks, and of one half a year later."""
    with closing(open_store(store_url(tmp_path))) as store:
        store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
        for first in (MINUTE, MINUTE + 180 * 1440):
            store.metrics.append(crowded_counts(first - 3 * 1440, first, seed=1), WriteMode.SET)
    return tmp_path


def check(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return run_forked(["service", "check", "--data-dir", str(folder), *options], folder=ROOT)


def changed(folder: Path, statement: str) -> int:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        rows = connection.execute(statement).rowcount
        connection.commit()
    return rows


def test_what_follows_from_the_counts_is_said_to(folder: Path) -> None:
    done = check(folder)
    assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        tables = ("zone_minutes", "zone_quarters", "passage_quarters")
        rows = sum(connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0] for name in tables)
    assert rows > 10_000
    assert done.stderr == f"All {rows:,} rows of 1 site follow from the counts.\n"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE zone_minutes SET inside = inside + 1 WHERE minute % 1000 = 0", "of zone_minutes not as"),
        ("DELETE FROM zone_quarters WHERE minute % 450 = 0", "of zone_quarters"),
        ("UPDATE passage_quarters SET forward = 9 WHERE minute % 450 = 0", "of passage_quarters not as"),
        ("INSERT INTO zone_minutes SELECT number, minute + 5000000, 1,1,1,0,0,0 FROM zone_minutes LIMIT 7",
         "7 rows of zone_minutes too many"),
    ],
)  # fmt: skip
def test_what_does_not_is_named_and_made_again(folder: Path, statement: str, said: str) -> None:
    assert changed(folder, statement) > 0
    done = check(folder)
    assert done.returncode == 1
    assert said in done.stderr
    assert "crowded, " in done.stderr
    assert check(folder, "--repair").returncode == 0
    again = check(folder)
    assert (again.returncode, "All " in again.stderr) == (0, True)
