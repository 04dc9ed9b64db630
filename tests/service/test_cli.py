from __future__ import annotations

import gzip
import json
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

import httpx
import pytest
from typer.testing import CliRunner

from contract import Granularity, MetricKey
from service.cli import application
from service.open_store import open_store, store_url
from service.store.audit_protocol import COMMAND_LINE
from service.store.protocol import BucketQuery
from service.store.sqlite import database as database_module
from service.store.sqlite.store_file import FILE_NAME, FolderLock
from tests.database_of import database_of
from tests.forked_process import run_forked
from tests.running_service import ROOT, RunningService, start_service
from tests.small_disk import small_disk
from tests.small_site import SITE, create_small_site

HEADER = "timestamp,passageId,forward,backward\n"


def run(data_dir: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A command, in this process: one of its own costs a second of imports. What it raises is raised here."""
    command = [*map(str, arguments), "--data-dir", str(data_dir)]
    ended = CliRunner().invoke(application, command, catch_exceptions=False)
    return subprocess.CompletedProcess(command, ended.exit_code, ended.stdout, ended.stderr)


def run_alone(data_dir: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own, as an operator runs it."""
    return run_forked(["service", *map(str, arguments), "--data-dir", str(data_dir)], folder=ROOT)


def site_file(path: Path, **changes: Any) -> Path:
    site = SITE.model_dump(mode="json", by_alias=True) | {"topZoneId": "shop"} | changes
    path.write_text(json.dumps({"organizations": [{"id": "corner", "name": "Corner", "sites": [site]}]}))
    return path


def entrances(data_dir: Path) -> list[tuple[str, Any]]:
    store = open_store(store_url(data_dir))
    start, end = datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 3, 2, tzinfo=UTC)
    query = BucketQuery(
        "corner-shop", [MetricKey.ENTRANCES], start, end, Granularity.MINUTE, ZoneInfo("Etc/UTC")
    )
    try:
        return [(f"{b.start:%H:%M}", b.values[MetricKey.ENTRANCES]) for b in store.metrics.buckets(query)]
    finally:
        store.close()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    create_small_site(tmp_path)
    running = start_service(tmp_path)
    yield running
    running.stop()


def test_sites_counts_and_keys_reach_a_server_that_runs(tmp_path: Path) -> None:
    running = start_service(tmp_path)
    try:
        assert run_alone(tmp_path, "sites", "import", site_file(tmp_path / "sites.json")).returncode == 0
        created = run_alone(tmp_path, "keys", "create", "--organization", "corner", "--name", "till")
        key = created.stdout.strip()
        assert created.stdout == f"{key}\n"
        site = httpx.get(f"{running.base_url}/v3/sites/corner-shop", headers={"x-api-key": key})
        assert site.json()["data"]["name"] == "Corner shop"

        (tmp_path / "counts.csv").write_text(f"{HEADER}2025-03-01T12:00:00+01:00,entrance,7,2\n")
        assert run_alone(tmp_path, "counts", "import", tmp_path / "counts.csv").returncode == 0
        query = {"siteId": "corner-shop", "metrics": ["entrances"], "from": "2025-03-01T00:00:00"}
        query |= {"to": "2025-03-02T00:00:00"}
        metrics = httpx.post(f"{running.base_url}/v3/metrics", headers={"x-api-key": key}, json=query)
        assert metrics.json()["data"][0]["metrics"] == {"entrances": 7}

        listed = run_alone(tmp_path, "keys", "list").stdout
        assert "till" in listed
        assert key not in listed
        key_id = next(line for line in listed.splitlines() if "till" in line).split()[1]
        assert run_alone(tmp_path, "keys", "revoke", key_id).returncode == 0
        refused = httpx.get(f"{running.base_url}/v3/sites", headers={"x-api-key": key})
        assert refused.status_code == 401
        with closing(open_store(store_url(tmp_path))) as store:
            changes = store.audit.entries("corner", limit=10)
        assert {entry.author for entry in changes} == {COMMAND_LINE}
        assert [str(entry.change.action) for entry in changes] == [
            *("key.revoked", "key.created", "site.created", "organization.created"),
        ]
    finally:
        running.stop()


def test_a_key_of_scope_ingest_may_ingest(service: RunningService) -> None:
    arguments = ("--organization", "corner", "--name", "door", "--scope", "ingest")
    key = run(service.data_dir, "keys", "create", *arguments).stdout.strip()
    answer = httpx.post(f"{service.base_url}/ingest/counts", headers={"x-api-key": key}, json=[])
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("keys", "create", "--organization", "nobody", "--name", "x"), "There is no organization 'nobody'"),
        (("keys", "revoke", "nothing"), "There is no key 'nothing'"),
        (("sites", "import", "missing.json"), "Cannot read missing.json: No such file or directory."),
        (("counts", "import", "missing.csv"), "Cannot read missing.csv: No such file or directory."),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = run(tmp_path, *arguments)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_file_of_a_later_version_is_refused_in_one_sentence(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("PRAGMA user_version = 99")
    refused = run(tmp_path, "keys", "list")
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
    assert "format 99, made by a later version" in refused.stderr


def test_what_is_no_store_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("Dear diary, today nobody came into the shop. " * 99)
    refused = run(tmp_path, "keys", "list")
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
    assert str(tmp_path / FILE_NAME) in refused.stderr
    assert "file is not a database. Restore a backup" in refused.stderr


@pytest.mark.parametrize("arguments", [("keys", "list"), ("serve",)])
def test_truncated_store_is_refused_in_one_sentence(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    create_small_site(tmp_path)
    file = tmp_path / FILE_NAME
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2)
    refused = run_alone(tmp_path, *arguments)
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
    assert str(file) in refused.stderr
    assert "restore FILE" in refused.stderr


def test_full_disk_is_said_in_one_sentence_and_nothing_is_stored(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        data_dir = disk.folder / "data"
        create_small_site(data_dir)
        start = datetime(2025, 3, 1, tzinfo=UTC)
        rows = (f"{start + timedelta(minutes=m):%Y-%m-%dT%H:%M:%SZ},entrance,1,0\n" for m in range(1_440))
        (tmp_path / "counts.csv").write_text(HEADER + "".join(rows))
        disk.fill()
        key = ("keys", "create", "--organization", "corner", "--name", "Till")
        keyless = run_alone(data_dir, *key)
        assert (keyless.returncode, keyless.stdout, len(keyless.stderr.splitlines())) == (1, "", 1)
        without_room = "Nothing was stored: There is no space left on the disk of "
        assert keyless.stderr.startswith(without_room)
        refused = run(data_dir, "counts", "import", tmp_path / "counts.csv")
        assert refused.returncode == 1
        assert refused.stderr.splitlines()[-1].startswith(without_room)
        assert "Traceback" not in refused.stderr
        disk.make_room()
        assert entrances(data_dir) == []
        assert run(data_dir, "counts", "import", tmp_path / "counts.csv").returncode == 0
        assert len(entrances(data_dir)) == 1_440


def test_backup_is_made_beside_a_server_and_restored_when_it_has_ended(
    tmp_path: Path, service: RunningService
) -> None:
    backup = tmp_path / "backup.sqlite"
    done = run(service.data_dir, "backup", backup)
    assert done.returncode == 0
    assert done.stderr.startswith(f"Wrote {backup}, ")
    again = run(service.data_dir, "backup", backup)
    assert (again.returncode, len(again.stderr.splitlines())) == (1, 1)
    assert run(service.data_dir, "backup", backup, "--replace").returncode == 0
    refused = run(service.data_dir, "restore", backup)
    assert refused.returncode == 1
    assert refused.stderr == (
        f"A server or another command has the store in {tmp_path} open: end it first.\n"
    )
    service.stop()
    restored = run(service.data_dir, "restore", backup)
    assert restored.returncode == 0
    assert "replaced" in restored.stderr
    started = start_service(service.data_dir)
    started.stop()


def test_only_a_command_that_would_store_says_of_a_busy_store_that_nothing_was(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    revoke = ("keys", "revoke", site.read_key_id)
    with closing(FolderLock(tmp_path, alone=True)):
        restored = run(tmp_path, "restore", tmp_path / "backup.sqlite")
        others = {
            arguments[:2]: run(tmp_path, *arguments)
            for arguments in (("keys", "list"), ("backup", str(tmp_path / "backup.sqlite")), revoke)
        }
    busy = f"A backup is being restored in {tmp_path}, or a store moved: try again when that is done.\n"
    assert restored.stderr == (
        f"A server or another command has the store in {tmp_path} open: end it first.\n"
    )
    assert {name: done.stderr for name, done in others.items()} == {
        ("keys", "list"): busy,
        ("backup", str(tmp_path / "backup.sqlite")): busy,
        ("keys", "revoke"): f"Nothing was stored: {busy}",
    }
    assert {restored.returncode, *(done.returncode for done in others.values())} == {1}


def test_a_store_that_stays_busy_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = create_small_site(tmp_path)
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.1)
    store = open_store(store_url(tmp_path))
    with database_of(store).writing():
        arguments = ["keys", "revoke", site.read_key_id, "--data-dir", str(tmp_path)]
        refused = CliRunner().invoke(application, arguments)
    store.close()
    assert refused.exit_code == 1
    assert len(refused.stderr.splitlines()) == 1
    assert "Nothing was stored" in refused.stderr


def test_counts_are_checked_before_the_store_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_small_site(tmp_path)
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.1)
    (tmp_path / "bad.csv").write_text(f"{HEADER}2025-03-01T12:00:00Z,entrance,x,0\n")
    (tmp_path / "good.csv").write_text(f"{HEADER}2025-03-01T12:00:00Z,entrance,1,0\n")
    store = open_store(store_url(tmp_path))
    with database_of(store).writing():
        bad, good = (
            CliRunner().invoke(
                application, ["counts", "import", str(tmp_path / name), "--data-dir", str(tmp_path)]
            )
            for name in ("bad.csv", "good.csv")
        )
    store.close()
    assert (bad.exit_code, good.exit_code) == (1, 1)
    assert "line 2: forward 'x'" in bad.stderr
    assert "Nothing was stored" in good.stderr


def test_a_file_of_several_organizations_is_imported_whole_or_not_at_all(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    file = site_file(tmp_path / "sites.json", id="new-shop", passages=[])
    content = json.loads(file.read_text())
    [organization] = content["organizations"]
    # It was another site's, and is no more: only the store can tell.
    run(tmp_path, "sites", "import", site_file(tmp_path / "fewer.json", passages=[]))
    claimed = SITE.passages[0].model_dump(mode="json", by_alias=True)
    claim = organization["sites"][0] | {
        "id": "claimant",
        "organizationId": "claimants",
        "passages": [claimed],
    }
    content["organizations"] += [{"id": "claimants", "name": "Claimants", "sites": [claim]}]
    file.write_text(json.dumps(content))
    refused = run(tmp_path, "sites", "import", file)
    assert refused.returncode == 1
    assert "entrance" in refused.stderr
    store = open_store(store_url(tmp_path))
    assert store.catalogue.find("new-shop") is None
    store.close()


def test_a_setting_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_SERVICE_HEARTBEAT", "often")
    refused = run(tmp_path, "keys", "list")
    assert refused.returncode == 1
    assert refused.stderr.startswith("HEADROOM_SERVICE_HEARTBEAT is 'often' and has to be a duration:")
    assert len(refused.stderr.splitlines()) == 1


def test_a_misspelt_field_of_a_passage_is_refused(tmp_path: Path) -> None:
    passage = {"id": "archway", "name": "Archway", "fromZoneid": "hall", "toZoneId": "cafe"}
    file = site_file(tmp_path / "sites.json", passages=[passage])
    refused = run(tmp_path, "sites", "import", file)
    assert refused.returncode == 1
    assert "did you mean fromZoneId?" in refused.stderr


def test_a_site_file_that_contradicts_itself_is_refused_with_every_reason(tmp_path: Path) -> None:
    file = site_file(tmp_path / "sites.json", topZoneId="roof", timezone="Mars/Olympus")
    refused = run(tmp_path, "sites", "import", file)
    assert refused.returncode == 1
    assert "its top zone 'roof' is not one of its zones" in refused.stderr
    assert "'Mars/Olympus' is not an IANA time zone" in refused.stderr
    store = open_store(store_url(tmp_path))
    assert store.catalogue.organizations() == []
    store.close()


def test_number_of_imported_sites_is_told_in_the_right_form(tmp_path: Path) -> None:
    imported = run(tmp_path, "sites", "import", site_file(tmp_path / "sites.json"))
    assert imported.stderr.splitlines()[0] == "Imported 1 site of 1 organization."


def test_name_of_a_count_file_is_shown_as_it_stands(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    file = tmp_path / "[red] :warning: door.csv"
    file.write_text(f"{HEADER}2025-03-01T12:00:00Z,entrance,2,0\n")
    imported = run(tmp_path, "counts", "import", file)
    assert "Reading [red] :warning: door.csv" in imported.stderr
    assert "Imported 1 row, 1 passage minute." in imported.stderr


def test_importing_sites_again_updates_them(tmp_path: Path) -> None:
    run(tmp_path, "sites", "import", site_file(tmp_path / "sites.json"))
    run(tmp_path, "sites", "import", site_file(tmp_path / "sites.json", name="Corner shop II"))
    store = open_store(store_url(tmp_path))
    record = store.catalogue.find("corner-shop")
    store.close()
    assert record is not None
    assert record.site.name == "Corner shop II"
    assert record.site.created_at == SITE.created_at
    assert record.site.updated_at is not None


def test_what_the_api_answers_can_be_imported_and_is_answered_again(tmp_path: Path) -> None:
    site_id = "corner shop é?#%2F"
    path = f"/v3/sites/{quote(site_id, safe='')}"

    def answered(data_dir: Path, file: Path) -> tuple[Any, str]:
        imported = run(data_dir, "sites", "import", file)
        created = run(data_dir, "keys", "create", "--organization", "corner", "--name", "reads")
        running = start_service(data_dir)
        try:
            answer = httpx.get(running.base_url + path, headers={"x-api-key": created.stdout.strip()})
        finally:
            running.stop()
        assert answer.status_code == 200
        (data_dir / "answer.json").write_bytes(answer.content)
        return answer.json()["data"], imported.stderr

    first, _ = answered(tmp_path / "first", site_file(tmp_path / "sites.json", id=site_id))
    second, said = answered(tmp_path / "second", tmp_path / "first" / "answer.json")
    assert second == first
    assert "zone 'shop' was taken for the whole site" in said


def test_importing_counts_twice_changes_nothing_gzip_or_not(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    text = f"{HEADER}2025-03-01T12:00:00Z,entrance,2,0\n2025-03-01T12:05:00Z,entrance,0,0\n"
    (tmp_path / "counts.csv").write_text(text)
    # Told by its content, not its name.
    (tmp_path / "packed.csv").write_bytes(gzip.compress(text.encode()))
    for name in ("counts.csv", "packed.csv"):
        assert run(tmp_path, "counts", "import", tmp_path / name, "--interval", "5").returncode == 0
        assert entrances(tmp_path) == [
            *(("12:00", 0), ("12:01", 1), ("12:02", 0), ("12:03", 1), ("12:04", 0)),
            *((f"12:0{minute}", 0) for minute in range(5, 10)),
        ]


def test_bad_rows_are_told_by_line_and_nothing_is_stored(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    rows = ["2025-03-01T12:00:00Z,entrance,2,0", "2025-03-01T12:01:00,entrance,2,0"]
    rows += ["2025-03-01T12:02:00Z,entrance,-2,0", "2025-03-01T12:00:00+00:00,entrance,1,1"]
    (tmp_path / "counts.csv").write_text(HEADER + "\n".join(rows) + "\n")
    refused = run(tmp_path, "counts", "import", tmp_path / "counts.csv")
    assert refused.returncode == 1
    for line in ("line 3: ", "line 4: ", "line 5: "):
        assert line in refused.stderr
    assert "line 2: " not in refused.stderr
    assert entrances(tmp_path) == []


def test_a_passage_that_does_not_exist_is_told_by_line(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    (tmp_path / "counts.csv").write_text(f"{HEADER}2025-03-01T12:00:00Z,chimney,2,0\nyesterday,chimney,2,0\n")
    refused = run(tmp_path, "counts", "import", tmp_path / "counts.csv")
    assert refused.returncode == 1
    assert "line 2: there is no passage 'chimney'" in refused.stderr
    assert "line 3: timestamp 'yesterday'" in refused.stderr
    assert "In all rows of unknown passages: 2, bad timestamps: 1." in refused.stderr


def test_five_minute_rows_are_not_imported_as_single_minutes_unasked(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    rows = [f"2025-03-01T12:{minute:02}:00Z,entrance,5,0\n" for minute in range(0, 60, 5)]
    (tmp_path / "counts.csv").write_text(HEADER + "".join(rows))
    refused = run(tmp_path, "counts", "import", tmp_path / "counts.csv")
    assert refused.returncode == 1
    assert "say --interval 5" in refused.stderr
    assert entrances(tmp_path) == []
    taken = run(tmp_path, "counts", "import", tmp_path / "counts.csv", "--interval", "5")
    assert "Imported 12 rows, 60 passage minutes." in taken.stderr
    assert [people for _, people in entrances(tmp_path)] == [1] * 60


def test_absent_rows_are_missing_or_zero_as_asked(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    rows = "2025-03-01T12:00:00Z,entrance,2,0\n2025-03-01T12:01:00Z,entrance,1,0\n"
    (tmp_path / "counts.csv").write_text(f"{HEADER}{rows}2025-03-01T12:04:00Z,entrance,1,0\n")
    missing = run(tmp_path, "counts", "import", tmp_path / "counts.csv")
    assert "--absent zero" in missing.stderr
    assert entrances(tmp_path) == [("12:00", 2), ("12:01", 1), ("12:04", 1)]
    zero = run(tmp_path, "counts", "import", tmp_path / "counts.csv", "--absent", "zero")
    assert "Imported 3 rows, 3 passage minutes and 2 absent ones as zero." in zero.stderr
    assert [people for _, people in entrances(tmp_path)] == [2, 1, 0, 0, 1]


def test_a_file_without_rows_is_refused(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    (tmp_path / "counts.csv").write_text(HEADER)
    refused = run(tmp_path, "counts", "import", tmp_path / "counts.csv")
    assert refused.returncode == 1
    assert "no rows" in refused.stderr
