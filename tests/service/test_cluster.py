"""All that several machines would have, on this one, each part of it killed under load."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own
import pytest

from benchmarks.cluster.parts import running_cluster
from benchmarks.cluster.rounds import survive
from tests.running_service import ROOT

pytestmark = [pytest.mark.timeout(1200), pytest.mark.soak]
ENDING = 60.0


def test_nothing_that_was_acknowledged_is_lost_or_doubled_whichever_part_is_killed(tmp_path: Path) -> None:
    with running_cluster(tmp_path, sites=12, tell=print) as cluster:
        found, compared = survive(cluster, rounds=1, seed=11, tell=print)
        assert found.keys() == {"nothing", *(part.name for part in cluster.parts)}
    assert (compared.lost, compared.doubled, compared.differing) == (0, 0, ())
    assert compared.acknowledged > 0


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda one: one.name)
def test_all_that_was_put_up_ends_with_ctrl_c_and_with_its_terminal(ending: signal.Signals) -> None:
    command = [sys.executable, "-m", "benchmarks.cluster", "--sites", "6"]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"BROWSER": "true"},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as shown:
        assert shown.stdout
        assert any("Ctrl-C ends all of it" in line for line in shown.stdout)
        parts = psutil.Process(shown.pid).children(recursive=True)
        # As a terminal does, which tells all of them.
        os.killpg(shown.pid, ending)
        shown.wait(ENDING)
    _, left = psutil.wait_procs(parts, timeout=ENDING)
    for one in left:
        one.kill()
    assert [one.name() for one in left] == []
