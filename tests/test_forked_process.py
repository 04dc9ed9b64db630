"""A forked process is what a newly started interpreter would be, with the project imported already."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

from tests.forked_process import ForkedChild, ForkedProcess

PROGRAM = """
import os, sys, time
print(sorted(os.environ), os.getcwd(), sys.argv[1:], __name__, time.tzname[0])
print({"service.cli", "components.panels", "plotly"} <= set(sys.modules), file=sys.stderr)
sys.exit(3)
"""


def test_it_runs_where_and_as_it_is_told_and_what_is_imported_is_there(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    log = tmp_path / "log"
    log.write_text("before\n")
    process = ForkedProcess(
        ["program", "--port", "1"], folder=tmp_path, environment={"TZ": "Asia/Kathmandu"}, log=log
    )
    assert process.wait(60) == process.poll() == 3
    assert sorted(log.read_text().splitlines()) == [
        "True",
        f"['TZ'] {tmp_path} ['--port', '1'] __main__ +0545",
        "before",
    ]


def test_it_runs_nothing_of_the_program_that_starts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Streamlit leaves a page behind as the program of a process that tested it."""
    (tmp_path / "page.py").write_text("print('a page')")
    page = ModuleType("__main__")
    page.__file__ = str(tmp_path / "page.py")
    monkeypatch.setitem(sys.modules, "__main__", page)
    (tmp_path / "program.py").write_text("print('a program')")
    log = tmp_path / "log"
    assert ForkedProcess(["program"], folder=tmp_path, environment={}, log=log).wait(60) == 0
    assert log.read_text() == "a program\n"
    assert sys.modules["__main__"] is page


def test_it_is_waited_for_and_ends_by_a_signal(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import time\nwhile True: time.sleep(60)")
    process = ForkedProcess(["program"], folder=tmp_path, environment={}, log=tmp_path / "log")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.1)
    assert process.poll() is None
    process.kill()
    assert process.wait(60) == -signal.SIGKILL
    process.terminate()


def test_child_has_pipes_and_each_thread_that_waits_learns_how_it_ended(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import os, sys\nwhile os.read(sys.stdin.fileno(), 1): pass\nsys.exit('no more is said')"
    )
    child = ForkedChild([sys.executable, "-m", "program"], cwd=tmp_path)
    with child.stdin, child.stderr, ThreadPoolExecutor(8) as threads:
        waiting = [threads.submit(child.wait, 60) for _ in range(8)]
        child.stdin.write(b"something")
        assert child.poll() is None
        child.stdin.close()
        assert child.stderr.read() == b"no more is said\n"
        assert {one.result() for one in waiting} == {1}
