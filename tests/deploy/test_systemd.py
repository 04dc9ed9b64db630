"""The units of deploy/systemd, run as they are written, without systemd."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import httpx
import pytest

from runtime.settings import Settings
from service.nats_settings import NatsSettings
from service.settings import ServiceSettings
from tests.running_service import ROOT, free_port, start_service
from tests.small_site import create_small_site

UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
EXAMPLE = ROOT / "deploy" / "systemd" / "dashboard.env.example"
SERVICE_EXAMPLE = ROOT / "deploy" / "systemd" / "service.env.example"
PATIENCE = 60.0
Unit = dict[str, list[str]]


def directives(path: Path) -> Unit:
    """`Section.Name` -> its values, as systemd.syntax(7) has them: no quotes or continued lines here."""
    found: Unit = defaultdict(list)
    section = ""
    for line in path.read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            name, equals, value = line.partition("=")
            assert equals, f"{path.name}: {line!r} is no directive"
            found[f"{section}.{name}"].append(value)
    return found


def command(unit: Unit, port: int) -> list[str]:
    """ExecStart for this machine: the environment and the folder of the tests, the instance's port."""
    [line] = unit["Service.ExecStart"]
    line = line.replace("/opt/headroom/.venv", sys.prefix).replace("/opt/headroom", str(ROOT))
    return shlex.split(line.replace("%i", str(port)).replace("8502", str(port)))


def environment(unit: Unit, data_dir: Path) -> dict[str, str]:
    set_here = dict(entry.split("=", 1) for entry in unit["Service.Environment"])
    return {name: value.replace("/var/lib/headroom", str(data_dir)) for name, value in set_here.items()}


def wait_until_it_serves(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None, "it ended at its start"
        try:
            if httpx.get(f"{address}/healthz", timeout=5.0).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    pytest.fail("it did not serve")


def test_the_three_sections_are_there() -> None:
    assert [path.name for path in UNITS] == [
        "headroom-dashboard@.service",
        "headroom-service.service",
        "headroom-service@.service",
    ]
    for path in UNITS:
        assert {name.split(".")[0] for name in directives(path)} == {"Unit", "Service", "Install"}


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_serves_and_ends_by_its_own_words(path: Path, tmp_path: Path) -> None:
    unit, port = directives(path), free_port()
    site = create_small_site(tmp_path / "known")
    upstream = start_service(site.data_dir)
    told = {"HEADROOM_BASE_URL": upstream.base_url, "HEADROOM_API_KEY": site.read_key}
    process = subprocess.Popen(
        command(unit, port),
        cwd=unit["Service.WorkingDirectory"][0].replace("/opt/headroom", str(ROOT)),
        env=os.environ | environment(unit, tmp_path) | told,
        stdin=subprocess.DEVNULL,
    )
    try:
        wait_until_it_serves(f"http://127.0.0.1:{port}", process)
        process.send_signal(signal.Signals[unit["Service.KillSignal"][0]])
        assert process.wait(float(unit["Service.TimeoutStopSec"][0])) == 0
        [state] = unit["Service.StateDirectory"]
        assert environment(unit, tmp_path)["HEADROOM_DATA_DIR"] == str(tmp_path / state.split("/")[1])
    finally:
        process.kill()
        process.wait()
        upstream.kill()


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_always_comes_back_and_may_write_only_its_state(path: Path) -> None:
    unit = directives(path)
    assert unit["Service.Restart"] == ["always"]
    assert unit["Unit.StartLimitIntervalSec"] == ["0"]
    assert unit["Service.User"] == ["headroom"]
    assert unit["Service.ProtectSystem"] == ["strict"]
    assert unit["Service.NoNewPrivileges"] == ["yes"]
    assert unit["Service.CapabilityBoundingSet"] == [""]
    assert float(unit["Service.TimeoutStopSec"][0]) > 5
    assert int(unit["Service.LimitNOFILE"][0]) > 5000


def test_the_example_names_settings_that_exist() -> None:
    lines = EXAMPLE.read_text().splitlines()
    names = [line.partition("=")[0] for line in lines if line and not line.startswith("#")]
    ours = {f"HEADROOM_{name.upper()}" for name in Settings.model_fields}
    assert {name for name in names if name.startswith("HEADROOM_")} <= ours
    assert "STREAMLIT_SERVER_COOKIE_SECRET" in names


def test_the_example_for_services_names_settings_that_exist() -> None:
    names = re.findall(r"^(?:# )?([A-Z_]+)=", SERVICE_EXAMPLE.read_text(), re.MULTILINE)
    of_hints = {f"NATS_{name.upper()}" for name in NatsSettings.model_fields}
    ours = {name.upper() for name in ServiceSettings.model_fields} | of_hints
    assert {name.removeprefix("HEADROOM_SERVICE_") for name in names} <= ours
    assert "HEADROOM_SERVICE_STORE" in names


@pytest.mark.parametrize("example", [EXAMPLE, SERVICE_EXAMPLE], ids=lambda path: path.name)
def test_a_shell_reads_what_is_written_into_an_example_as_systemd_does(example: Path, tmp_path: Path) -> None:
    """Commands are told by it which store is meant: URLs have `&` in them, and passwords anything."""
    more, filled = "?a=1&b=$2;c", tmp_path / "filled.env"
    filled.write_text(
        re.sub(r"^(?:# )?([A-Z_]+=.*?)('?)$", rf"\1{more}\2", example.read_text(), flags=re.MULTILINE)
    )
    script = f"set -a; . {filled}; set +a; exec env --null"
    own = {"PATH": os.environ["PATH"]}
    told = subprocess.run(["sh", "-c", script], env=own, capture_output=True, text=True, check=False)
    found = dict(line.split("=", 1) for line in told.stdout.split("\0") if line)
    names = set(re.findall(r"^(?:# )?([A-Z_]+)=", example.read_text(), re.MULTILINE))
    assert {name for name in names if found.get(name, "").endswith(more)} == names


@pytest.mark.parametrize("name", ["headroom-service@.service", "headroom-dashboard@.service"])
def test_what_is_edited_on_another_host_than_nginx_s_is_the_unit_s_command_at_its_address(name: str) -> None:
    [line] = directives(ROOT / "deploy" / "systemd" / name)["Service.ExecStart"]
    edited = f"    [Service]\n    ExecStart=\n    ExecStart={line.replace('127.0.0.1', '10.0.0.5')}\n"
    assert edited in (ROOT / "deploy" / "README.md").read_text()
