from __future__ import annotations

import json
import subprocess
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from service.open_store import open_store, store_url
from service.sensor_commands import place_sensor
from service.sensors import taking
from service.sensors.taking import go_on, take
from service.sensors.told_count import Kind, Report, ToldCount
from service.site_devices import with_devices
from service.store.audit_protocol import COMMAND_LINE
from service.store.sensor_protocol import Placement
from tests.forked_process import run_forked
from tests.running_service import ROOT
from tests.small_site import ORGANIZATION, SITE, create_small_site

END = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(hours=1)
START = END - timedelta(minutes=15)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a counter that nobody has placed."""
    create_small_site(tmp_path)
    told = ToldCount("[S-1]", "2", Kind.INTERVAL, START, END, 3, 4, "identity")
    with closing(open_store(store_url(tmp_path))) as store, store.sensors.writing() as rows:
        take(rows, ORGANIZATION.id, "maker", Report((told,)), END)
    return tmp_path


def sensors(folder: Path, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    options = ["--organization", ORGANIZATION.id, "--data-dir", str(folder)]
    return run_forked(["service", "sensors", command, *options, *arguments], folder=ROOT)


def test_counters_are_listed_with_what_waits(folder: Path) -> None:
    listed = sensors(folder, "list")
    assert listed.returncode == 0
    [row] = [line for line in listed.stdout.splitlines() if "[S-1]" in line]
    assert [cell.strip() for cell in row.strip("│").split("│")] == [
        "1", "maker", "[S-1]", "2", "", END.isoformat(timespec="seconds"), "1",
    ]  # fmt: skip


def test_a_service_beside_it_has_its_turn_and_what_that_counts_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(taking, "MOST_AT_ONCE", 1)
    with closing(open_store(store_url(folder))) as store:
        for number in range(1, 4):
            start = START - number * timedelta(minutes=15)
            told = ToldCount("[S-1]", "2", Kind.INTERVAL, start, START, 1, 0, f"{number}")
            with store.sensors.writing() as rows:
                take(rows, ORGANIZATION.id, "maker", Report((told,)), END)

        def count_meanwhile(seconds: float) -> None:
            assert seconds > 0
            with store.sensors.writing() as rows:
                go_on(rows, 1)

        monkeypatch.setattr("service.sensor_commands.time.sleep", count_meanwhile)
        place_sensor(ORGANIZATION.id, 1, "entrance", data_dir=folder)
        assert store.sensors.uncounted() == []
    assert capsys.readouterr().err == "[S-1] 2 counts at entrance. 2 counted, 2 by the service\n"


def test_a_line_is_placed_and_taken_down(folder: Path) -> None:
    placed = sensors(folder, "place", "1", "entrance", "--swapped")
    assert (placed.returncode, placed.stderr) == (0, "[S-1] 2 counts at entrance. 1 counted\n")
    with closing(open_store(store_url(folder))) as store:
        [line] = store.sensors.lines(ORGANIZATION.id)
        [entry] = store.audit.entries(ORGANIZATION.id, limit=1)
    assert (entry.author, entry.change.target) == (COMMAND_LINE, "maker [S-1] 2")
    assert line.placement == Placement("entrance", is_swapped=True)
    assert "entrance (swapped)" in sensors(folder, "list").stdout
    down = sensors(folder, "place", "1")
    assert (down.returncode, down.stderr) == (0, "[S-1] 2 counts nowhere, its reports wait.\n")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("7", "entrance"), "There is no counter 7 of 'corner'."),
        (("1", "nowhere"), "Nothing was changed: no such passage: nowhere."),
    ],
)
def test_what_cannot_be_placed_is_named(folder: Path, arguments: tuple[str, ...], reason: str) -> None:
    refused = sensors(folder, "place", *arguments)
    assert (refused.returncode, refused.stderr) == (1, f"{reason}\n")


def imported(folder: Path, document: object) -> None:
    (folder / "site.json").write_text(json.dumps(document))
    command = ["service", "sites", "import", str(folder / "site.json"), "--data-dir", str(folder)]
    assert run_forked(command, folder=ROOT).returncode == 0


def test_importing_what_the_api_answers_keeps_placed_counters_and_names_none_for_ever(folder: Path) -> None:
    def placements() -> list[str | None]:
        with closing(open_store(store_url(folder))) as store:
            own = store.sensors.lines(ORGANIZATION.id)
            return [line.placement and line.placement.passage_id for line in own]

    def shown() -> dict[str, list[str]]:
        with closing(open_store(store_url(folder))) as store:
            record = store.catalogue.find(SITE.id)
            assert record
            lines = store.sensors.of_site(SITE.id)
        site = with_devices(record.site, lines, END, END)
        (folder / "answer.json").write_text(json.dumps(site.model_dump(mode="json", by_alias=True)))
        return {passage.id: [device.id for device in passage.devices] for passage in site.passages}

    sensors(folder, "place", "1", "entrance")
    before = shown()
    assert before == {"entrance": ["pad-1", "[S-1]"], "archway": ["pad-2"], "terrace": []}
    answer = json.loads((folder / "answer.json").read_text())
    imported(folder, {"data": answer, "meta": {}})
    assert (placements(), shown()) == (["entrance"], before)
    # It hangs elsewhere by now, and the passage where it hung leaves the site for a while.
    sensors(folder, "place", "1", "terrace")
    without = [one for one in answer["passages"] if one["id"] != "terrace"]
    imported(folder, answer | {"passages": without})
    assert placements() == [None]
    imported(folder, answer)
    assert placements() == ["terrace"]
    assert shown() == {"entrance": ["pad-1"], "archway": ["pad-2"], "terrace": ["[S-1]"]}
