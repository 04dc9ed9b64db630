from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.running_service import ROOT

WRITES = """
import os, sys
sys.path.insert(0, os.getcwd())
import structlog
from runtime.log_lines import configure_logging
configure_logging()
log = structlog.get_logger("test")
log.warning("heard", name="caf\\u00e9 \\ud800")
try:
    1 / 0
except ZeroDivisionError:
    log.exception("defect")
print("went on")
"""


def run(errors: Path) -> subprocess.CompletedProcess[str]:
    with errors.open("w") as stderr:
        return subprocess.run(
            [sys.executable, "-c", WRITES],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            check=False,
        )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_log_that_cannot_be_written_ends_nothing() -> None:
    ended = run(Path("/dev/full"))
    assert ended.stdout == "went on\n"


def test_log_has_the_event_and_the_traceback(tmp_path: Path) -> None:
    run(tmp_path / "log")
    written = (tmp_path / "log").read_text()
    assert "event='heard'" in written
    assert "ZeroDivisionError" in written
