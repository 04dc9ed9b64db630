from __future__ import annotations

import errno
import subprocess
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from typer.testing import CliRunner

from service import key_commands
from service.cli import application
from service.open_store import open_store, store_url
from service.store.audit_protocol import COMMAND_LINE
from service.store.errors import StoreBusyError, StoreError, StoreFullError
from service.store.key_protocol import KeyUse
from service.store.keys import SqlKeyRing
from service.store.protocol import KeyScope
from tests.database_of import database_of
from tests.forked_process import run_forked
from tests.running_service import ROOT
from tests.small_site import create_small_site


def keys(data_dir: Path, *arguments: str, stdout: Path | None = None) -> subprocess.CompletedProcess[str]:
    return run_forked(
        ["service", "keys", *arguments, "--data-dir", str(data_dir)], folder=ROOT, output=stdout
    )


def names_in(data_dir: Path) -> list[str]:
    """Of the keys in the store."""
    store = open_store(store_url(data_dir))
    names = [key.name for key in store.keys.list_keys()]
    store.close()
    return names


def create(data_dir: Path, name: str, stdout: Path | None = None) -> subprocess.CompletedProcess[str]:
    return keys(data_dir, "create", "--organization", "corner", "--name", name, stdout=stdout)


def test_names_are_listed_as_they_stand(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    names = ["Till [/door]", "[shop] Till", "[bold]Till[/bold]", ":warning: Café"]
    store = open_store(store_url(tmp_path))
    for name in names:
        store.keys.create("corner", name, KeyScope.READ)
    store.close()
    listed = keys(tmp_path, "list")
    assert listed.returncode == 0
    assert [name for name in names if name in listed.stdout] == names


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "\x1b[31mred", "bell\x07", "two\u2028lines"])
def test_name_that_cannot_be_shown_is_refused(tmp_path: Path, name: str) -> None:
    create_small_site(tmp_path)
    before = names_in(tmp_path)
    refused = create(tmp_path, name)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("No key was made: ")
    assert len(refused.stderr.splitlines()) == 1
    assert names_in(tmp_path) == before


def test_stored_name_with_an_escape_sequence_reaches_no_terminal(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    store = open_store(store_url(tmp_path))
    with database_of(store).writing() as connection:
        connection.exec_driver_sql("UPDATE keys SET name = char(27) || '[31mred'")
    store.close()
    listed = keys(tmp_path, "list").stdout
    assert "\x1b" not in listed
    assert r"\x1b[31mred" in listed


def test_key_whose_secret_cannot_be_written_is_revoked(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    failed = create(tmp_path, "till", stdout=Path("/dev/full"))
    assert failed.returncode == 1
    assert "No space left on device" in failed.stderr
    assert "is revoked again" in failed.stderr
    assert len(failed.stderr.splitlines()) == 1
    store = open_store(store_url(tmp_path))
    [key] = [key for key in store.keys.list_keys() if key.name == "till"]
    store.close()
    assert key.revoked_at is not None


def test_list_that_cannot_be_written_is_told_in_one_sentence(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    failed = keys(tmp_path, "list", stdout=Path("/dev/full"))
    assert failed.returncode == 1
    assert failed.stderr == "The keys cannot be written to standard output: No space left on device.\n"


@pytest.mark.parametrize(
    "error", [StoreBusyError("Another process writes."), StoreFullError("There is no space left.")], ids=str
)
def test_a_key_that_nobody_received_and_that_the_store_keeps_is_named(
    error: StoreError, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_small_site(tmp_path)
    monkeypatch.setattr(key_commands, "answer", Mock(side_effect=OSError(errno.EPIPE, "Broken pipe")))
    monkeypatch.setattr(SqlKeyRing, "revoke", Mock(side_effect=error))
    arguments = ["keys", "create", "--organization", "corner", "--name", "Till", "--data-dir", str(tmp_path)]
    refused = CliRunner().invoke(application, arguments)
    store = open_store(store_url(tmp_path))
    [key] = [key for key in store.keys.list_keys() if key.name == "Till"]
    store.close()
    assert refused.exit_code == 1
    assert refused.stderr == f"Key {key.id}, whose secret reached nobody, is not revoked: {error}\n"


def test_a_key_with_an_end_and_sites_is_made_and_listed(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    asked = ["--organization", "corner", "--name", "Till", "--expires", "2100-01-31"]
    made = keys(tmp_path, "create", *asked, "--site", "corner-shop", "--site", "closed-shop")
    assert (made.returncode, made.stderr) == (0, "")
    with closing(open_store(store_url(tmp_path))) as store:
        key = store.keys.verify(made.stdout.strip())
        assert key is not None
        assert key.expires_at == datetime(2100, 1, 31, 23, 59, 59, tzinfo=UTC)
        assert key.site_ids == frozenset({"corner-shop", "closed-shop"})
        store.keys.note_uses({key.id: KeyUse(datetime(2026, 3, 1, 12, tzinfo=UTC), "192.0.2.7")})
        [entry] = store.audit.entries("corner", limit=1)
    assert (entry.author, entry.change.target) == (COMMAND_LINE, key.id)
    [row] = [line for line in keys(tmp_path, "list").stdout.splitlines() if key.id in line]
    assert [cell.strip() for cell in row.strip("│").split("│")] == [
        key.id, "corner", "Till", "read", "closed-shop, corner-shop",
        key.created_at.isoformat(timespec="seconds"), "2100-01-31T23:59:59+00:00", "",
        "2026-03-01T12:00:00+00:00", "192.0.2.7",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--expires", "soon"), "--expires 'soon' is neither a day, as 2027-01-31, nor a time"),
        (("--expires", "2100-01-31T12:00"), "is neither a day"),
        (("--expires", "2100-02-30"), "is neither a day"),
        (("--expires", "2020-01-31"), "it would expire at 2020-01-31T23:59:59.999999+00:00, and it is"),
        (("--expires", "9999-12-31"), "in more than a hundred years"),
        (("--site", "elsewhere"), "the organization has no such site: 'elsewhere'"),
        (("--site", "corner-shop", "--scope", "ingest"), "name sites for one of scope read alone"),
    ],
)
def test_a_key_that_cannot_be_is_refused_with_the_reason(
    tmp_path: Path, options: tuple[str, ...], reason: str
) -> None:
    create_small_site(tmp_path)
    before = names_in(tmp_path)
    refused = keys(tmp_path, "create", "--organization", "corner", "--name", "Till", *options)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("No key was made: ")
    assert reason in refused.stderr
    assert names_in(tmp_path) == before


def test_a_key_is_rotated(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    rotated = keys(tmp_path, "rotate", site.read_key_id, "--overlap", "48")
    assert rotated.returncode == 0
    with closing(open_store(store_url(tmp_path))) as store:
        new, old = store.keys.verify(rotated.stdout.strip()), store.keys.find(site.read_key_id)
        assert new is not None
        assert old is not None
        assert old.replaced_by == new.id
        assert old.expires_at == new.created_at + timedelta(hours=48)
        entries = store.audit.entries("corner", limit=2)
    assert {entry.author for entry in entries} == {COMMAND_LINE}
    until = old.expires_at.isoformat(timespec="seconds")
    assert rotated.stderr == f"{old.id} is replaced by {new.id} and opens until {until}.\n"
    again = keys(tmp_path, "rotate", site.read_key_id)
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr.startswith("No key was made: 'reads' was rotated already")
    absent = keys(tmp_path, "rotate", "0123456789ab")
    assert (absent.returncode, absent.stderr) == (1, "There is no key '0123456789ab'.\n")


def test_a_secret_that_was_found_somewhere_names_its_key_and_is_not_printed_again(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    arguments = ["--data-dir", str(tmp_path)]
    revoked = CliRunner().invoke(application, ["keys", "revoke", site.read_key, *arguments])
    assert (revoked.exit_code, revoked.output) == (0, f"Revoked {site.read_key_id}.\n")
    nobodys = "hr_0123456789ab_" + "x" * 43
    absent = CliRunner().invoke(application, ["keys", "rotate", nobodys, *arguments])
    assert (absent.exit_code, absent.output) == (1, "There is no key '0123456789ab'.\n")
