from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from service.embedded import EmbeddedServiceError, start_embedded
from service.store.sqlite.store_file import FILE_NAME
from tests.forked_embedded import forked_embedded
from tests.running_service import ROOT, free_port
from tests.small_disk import small_disk
from tests.small_site import create_small_site

__all__ = ["forked_embedded"]

DEADLINE = 60.0


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5.0).close()
    except OSError:
        return False
    return True


def test_it_ends_by_itself_when_its_parent_is_killed(tmp_path: Path) -> None:
    port = free_port()
    script = (
        "import sys, time; from pathlib import Path; from service.embedded import start_embedded\n"
        f"service = start_embedded(Path({str(tmp_path)!r}), {port})\n"
        "print('started', flush=True); time.sleep(600)"
    )
    with (tmp_path / "log").open("wb") as log:
        parent = subprocess.Popen(
            [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True
        )
    with parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        assert answers(port)
        os.kill(parent.pid, signal.SIGKILL)
    deadline = time.monotonic() + DEADLINE
    while answers(port):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_taken_port_is_one_clear_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(EmbeddedServiceError) as taken_port:
            start_embedded(tmp_path, port)
    assert str(taken_port.value).startswith(
        f"Cannot listen on 127.0.0.1, port {port}: Address already in use."
    )
    assert "HEADROOM_SERVICE_PORT" in str(taken_port.value)


@pytest.mark.usefixtures("forked_embedded")
def test_a_dashboard_that_is_started_twice_says_so(tmp_path: Path) -> None:
    port = free_port()
    first = start_embedded(tmp_path, port, has_demo=False)
    try:
        with pytest.raises(EmbeddedServiceError) as second:
            start_embedded(tmp_path, port, has_demo=False)
    finally:
        first.stop()
    assert "of another dashboard as it seems: use that one, or end it" in str(second.value)
    assert "a HEADROOM_DATA_DIR and a HEADROOM_SERVICE_PORT of its own" in str(second.value)


def refused(data_dir: Path) -> str:
    """What start_embedded says, which is what the process said."""
    with pytest.raises(EmbeddedServiceError) as error:
        start_embedded(data_dir, free_port())
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.usefixtures("forked_embedded")
def test_a_folder_that_cannot_be_used_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert refused(tmp_path / "file").startswith(f"Cannot keep data in {tmp_path / 'file'}: File exists.")
    assert "Not a directory" in refused(tmp_path / "file" / "data")
    assert refused(Path("/proc/1/data")).startswith("Cannot keep data in /proc/1/data: ")


@pytest.mark.usefixtures("forked_embedded")
def test_a_disk_that_cannot_be_written_is_one_clear_sentence(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        disk.fill()
        assert "no space left" in refused(disk.folder / "data")
        disk.make_room()
        disk.make_read_only()
        assert "Read-only file system" in refused(disk.folder / "data")


@pytest.mark.usefixtures("forked_embedded")
def test_a_store_that_cannot_be_read_is_one_clear_sentence(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    file = tmp_path / FILE_NAME
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert "format 99" in refused(tmp_path)
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2)
    assert refused(tmp_path).startswith(f"{file} cannot be read as a store: ")
    file.write_text("Dear diary, today nobody came into the shop. " * 99)
    assert "file is not a database" in refused(tmp_path)


@pytest.mark.usefixtures("forked_embedded")
@pytest.mark.parametrize("content", [b"", "Schlüssel".encode("latin-1"), b"hr_0123", bytes(60)])
def test_a_key_file_that_holds_no_key_is_written_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "dashboard.key").write_bytes(content)
    service = start_embedded(tmp_path, free_port())
    try:
        assert service.api_key == (tmp_path / "dashboard.key").read_text().strip()
        headers = {"x-api-key": service.api_key}
        assert httpx.get(f"{service.base_url}/v3/sites", headers=headers).status_code in (200, 503)
    finally:
        service.stop()
    assert not service.is_running()
    service.stop()


@pytest.mark.usefixtures("forked_embedded")
def test_its_administrator_key_administers(tmp_path: Path) -> None:
    service = start_embedded(tmp_path, free_port())
    try:
        assert service.admin_key == (tmp_path / "administrator.key").read_text().strip()
        headers = {"x-api-key": service.admin_key}
        answer = httpx.get(f"{service.base_url}/admin/organization", headers=headers)
        # The demo may still be loaded.
        assert answer.status_code == 503 or answer.json()["data"]["id"] == "demo"
        read = httpx.get(f"{service.base_url}/admin/keys", headers={"x-api-key": service.api_key})
        assert read.status_code == 403
    finally:
        service.stop()


@pytest.mark.usefixtures("forked_embedded")
def test_without_the_demo_it_begins_with_no_site(tmp_path: Path) -> None:
    service = start_embedded(tmp_path, free_port(), has_demo=False)
    try:
        headers = {"x-api-key": service.admin_key}
        organization = httpx.get(f"{service.base_url}/admin/organization", headers=headers).json()["data"]
        assert organization == {"id": "own", "name": "My organization"}
        sites = httpx.get(f"{service.base_url}/v3/sites", headers={"x-api-key": service.api_key})
        assert (sites.status_code, sites.json()["data"]) == (200, [])
    finally:
        service.stop()


@pytest.mark.usefixtures("forked_embedded")
@pytest.mark.parametrize(("kind", "name"), [("read", "dashboard.key"), ("admin", "administrator.key")])
def test_a_key_file_that_cannot_be_read_is_one_clear_sentence(tmp_path: Path, kind: str, name: str) -> None:
    (tmp_path / name).mkdir()
    assert refused(tmp_path) == f"Cannot keep the demo's {kind} key in {tmp_path / name}: Is a directory."


@pytest.mark.usefixtures("forked_embedded")
def test_a_child_that_is_killed_says_by_what(tmp_path: Path) -> None:
    service = start_embedded(tmp_path, free_port())
    os.kill(service.process_id, signal.SIGKILL)
    assert service.wait() == "It was ended by signal 9 (Killed)."
    service.stop()


def test_a_start_that_is_cancelled_leaves_no_process(tmp_path: Path) -> None:
    cancelled = threading.Event()
    cancelled.set()
    port = free_port()
    with pytest.raises(EmbeddedServiceError):
        start_embedded(tmp_path, port, cancelled=cancelled)
    assert not answers(port)


def test_nothing_of_the_store_is_imported() -> None:
    program = "import sys, service.embedded; print([name for name in sys.modules if 'store' in name])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
