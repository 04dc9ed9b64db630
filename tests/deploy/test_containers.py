"""The Dockerfile and the compose files of deploy/, held to the project. No container is made."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from runtime.settings import Settings
from service.mqtt_settings import MqttSettings
from service.nats_settings import NatsSettings
from service.settings import ServiceSettings
from tests.running_service import ROOT

COMPOSE: Final = sorted((ROOT / "deploy" / "compose").glob("*.yaml"))
DOCKERFILE: Final = ROOT / "deploy" / "docker" / "Dockerfile"
NOT_RUN: Final = {"benchmarks", "deploy", "docs", "scripts", "tests", ".ci"}
"""Folders of the project that no image needs."""
PORTS: Final = {"service": 8502, "dashboard": 8501}
NAMES: Final = {
    *(f"HEADROOM_{name.upper()}" for name in Settings.model_fields),
    *(f"HEADROOM_SERVICE_{name.upper()}" for name in ServiceSettings.model_fields),
    *(f"HEADROOM_SERVICE_NATS_{name.upper()}" for name in NatsSettings.model_fields),
    *(f"HEADROOM_SERVICE_MQTT_{name.upper()}" for name in MqttSettings.model_fields),
}


@cache
def stages() -> dict[str, list[tuple[str, str]]]:
    """Name -> its instructions, those of the stage that it is made from first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in DOCKERFILE.read_text().replace("\\\n", " ").splitlines():
        if not line or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        if word == "FROM":
            origin, _, name = rest.partition(" AS ")
            found[name] = list(found.get(origin, [("FROM", origin)]))
        else:
            found[name].append((word, rest))
    return found


def of(stage: str, word: str) -> list[str]:
    return [rest for found, rest in stages()[stage] if found == word]


def compose(path: Path) -> dict[str, Any]:
    """Its services."""
    found: dict[str, Any] = yaml.safe_load(path.read_text())["services"]
    return found


def ours(path: Path) -> dict[str, Any]:
    return {name: told for name, told in compose(path).items() if "build" in told}


def test_what_goes_into_an_image_is_all_that_runs_and_nothing_else() -> None:
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert lines[0] == "*"
    taken = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert {path for path in taken if not (ROOT / path).exists()} == set()
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    tracked = [Path(line) for line in listed.stdout.splitlines()]
    folders = {path.parts[0] for path in tracked if len(path.parts) > 1}
    modules = {path.name for path in tracked if len(path.parts) == 1 and path.suffix == ".py"}
    assert {path.split("/")[0] for path in taken} == (folders - NOT_RUN) | modules | {
        "requirements.txt",
        "constraints.txt",
    }


@pytest.mark.parametrize("stage", PORTS)
def test_an_image_runs_as_nobody_in_particular_and_is_asked_where_it_listens(stage: str) -> None:
    user = of(stage, "USER")[-1]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user), "by number, as an orchestrator checks it"
    assert f"--uid {user.split(':')[0]} " in " ".join(of(stage, "RUN"))
    words = [word for word, _ in stages()[stage]]
    assert "RUN" not in words[words.index("USER") :], "what is installed is not the user's to change"
    port = str(PORTS[stage])
    assert of(stage, "EXPOSE") == [port]
    command = json.loads(of(stage, "CMD")[-1])
    assert command[-1] == port
    assert "0.0.0.0" in command
    [check] = of(stage, "HEALTHCHECK")
    assert f"http://127.0.0.1:{port}/healthz" in check
    [*_, script] = json.loads(check[check.index("[") :])
    compile(script, "the health check", "exec")
    [data_dir] = re.findall(r"HEADROOM_DATA_DIR=(\S+)", of(stage, "ENV")[0])
    assert of(stage, "VOLUME") == [data_dir]


def test_a_command_is_that_of_the_unit_for_systemd() -> None:
    for stage, unit in (
        ("service", "headroom-service@.service"),
        ("dashboard", "headroom-dashboard@.service"),
    ):
        [line] = re.findall(r"ExecStart=/opt/headroom/(.*)", (ROOT / "deploy" / "systemd" / unit).read_text())
        line = line.replace("127.0.0.1", "0.0.0.0").replace("%i", str(PORTS[stage]))
        assert json.loads(of(stage, "CMD")[-1]) == shlex.split(line)


def test_images_are_pinned_by_a_tag() -> None:
    named = [rest for stage in stages() for rest in of(stage, "FROM")]
    named += [told["image"] for path in COMPOSE for told in compose(path).values() if "build" not in told]
    assert all(re.fullmatch(r"[a-z]+:\d+(\.\d+)?(-[a-z]+)+", name) for name in named), named


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.stem)
def test_a_compose_file_fits_the_images_and_the_settings(path: Path) -> None:
    told = compose(path)
    for service in ours(path).values():
        build = service["build"]
        assert (path.parent / build["context"]).resolve() == ROOT
        assert ROOT / build["dockerfile"] == DOCKERFILE
        assert service["image"] == f"headroom-{build['target']}"
        assert build["target"] in PORTS
        names = {name for name in service.get("environment", {}) if name.startswith("HEADROOM_")}
        assert names <= NAMES
        [data_dir] = of(build["target"], "VOLUME")
        assert all(volume.split(":")[1] == data_dir for volume in service.get("volumes", []))
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
    for service in told.values():
        assert set(service.get("depends_on", [])) <= set(told)
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
        assert service["restart"] == "always"
    hosts = set(re.findall(r"(?:@|//)([a-z-]+)(?::\d+|/)", json.dumps(list(ours(path).values()))))
    assert hosts <= set(told)


def test_nginx_finds_every_container_by_its_name() -> None:
    path = ROOT / "deploy" / "compose" / "many.yaml"
    [*_, script] = compose(path)["nginx"]["command"]
    scripts = [part for found in re.findall(r"-e '([^']+)'", script) for part in ("-e", found)]
    for name, stage in (("headroom", "dashboard"), ("services", "service")):
        text = (ROOT / "deploy" / "nginx" / f"{name}.conf").read_text()
        done = subprocess.run(["sed", *scripts], input=text, capture_output=True, text=True, check=True)
        servers = set(re.findall(r"^\s+server (\S+) ", done.stdout, re.MULTILINE))
        assert servers == {f"{stage}-{number}:{PORTS[stage]}" for number in ("one", "two")}
    published = {port.split(":")[2] for port in compose(path)["nginx"]["ports"]}
    shipped = "".join(file.read_text() for file in (ROOT / "deploy" / "nginx").glob("*.conf"))
    assert published == set(re.findall(r"^\s+listen (\d+);", shipped, re.MULTILINE))
