"""What holds for all tests."""

from __future__ import annotations

import gc
import inspect
import logging
import os
import sys
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile

import certifi
import httpx
import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own
import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer  # type: ignore[import-untyped]  # xdist has no types
from xdist.scheduler import Scheduling  # type: ignore[import-untyped]

from runtime._compat import search_no_package_for_components
from tests.eventually import PATIENCE
from tests.never_synced import never_synced
from tests.scheduling import FromBothEnds
from tests.told_secrets import found, look_at_answers, note, read_logs

END_OF_CERTIFICATE = "-----END CERTIFICATE-----"

# All that is imported and collected lasts as long as the run: not to be walked through again and again.
gc.disable()

# Each service and dashboard that a test starts would compile the project anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A busy machine draws examples slowly; that is no fault of a test, nor of what it tests.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

# Nor is an answer that takes a test's client longer than the five seconds that it waits unasked.
_patience: httpx.Timeout = inspect.signature(httpx.get).parameters["timeout"].default
_patience.connect = _patience.read = _patience.write = _patience.pool = PATIENCE

# Nobody here asks a host of the world: each client that is made would read all of its authorities anew.
_authority = NamedTemporaryFile("w", prefix="authority-", suffix=".pem")  # noqa: SIM115 - as long as the run
_authority.write(certifi.contents().partition(END_OF_CERTIFICATE)[0] + END_OF_CERTIFICATE + "\n")
_authority.flush()
os.environ["SSL_CERT_FILE"] = _authority.name

# Where it is not installed, httpcore searches all packages for it anew with each lock that it makes.
if find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]

TESTS = Path(__file__).parent
THAT_WORK = (
    "e2e",
    "faults",
    "pages",
    "deploy",
    "service",
    "facts",
    # Files that one process would be at for half a minute when the others have ended.
    "analysis/test_other_period.py",
    "analysis/test_targets.py",
    "components/sentences/test_trust_of_hard_sites.py",
    "contract/test_buckets.py",
    "test_plain_text.py",
)
"""Where tests take long and need the processor; those that take longest come first."""
THAT_WAIT = (
    "screens",
    "faults/test_answers.py",
    "faults/test_clocks.py",
    "faults/test_connections.py",
    "faults/test_contents.py",
    "live",
    "service/routes/test_live_merged.py",
    "service/test_compat.py",
    "service/workers/test_pull.py",
    "service/workers/test_zone_publisher.py",
    "runtime",
)
"""Where they take long and mostly wait; they come last, where some processes begin."""
ENDING = 30.0
"""Seconds that a process has to end after what it was told to."""
OF_PYTHON = "from multiprocessing"
"""In the command line of children that the interpreter keeps until it ends, and of what they fork."""
WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
"""Which of the processes of a parallel run this is."""


@pytest.fixture(autouse=True)
def one_minute(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All points of a test are of the minute that it began in: two of one minute never become two minutes."""
    if not request.node.get_closest_marker("soak"):
        began = datetime.now(UTC)
        monkeypatch.setattr("tests.faults.misbehaving_server.now", lambda: began)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Each process of a parallel run begins elsewhere, and finds most files compiled by the others."""
    report = yield
    if isinstance(collector, pytest.Directory) and report.passed:
        begin = len(report.result) * WORKER // WORKERS
        report.result = report.result[begin:] + report.result[:begin]
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long stands at both ends, so that no process of a parallel run ends long after others."""
    items.sort(key=lambda item: (_turn(item.path), item.path))


@cache
def _turn(file: Path) -> int:
    path = file.relative_to(TESTS)
    if found := [place for place, begin in enumerate(THAT_WAIT, 1) if path.is_relative_to(begin)]:
        return found[0]
    first = [place for place, begin in enumerate(THAT_WORK) if path.is_relative_to(begin)]
    return first[0] - len(THAT_WORK) if first else 0


look_at_answers()
never_synced()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Fails the test after which a log or an answer has a secret."""
    read_logs()  # before the folder goes in which a log is
    yield
    read_logs()
    for _, part, text in item._report_sections:
        if part in {"log", "stderr", "stdout"}:
            note(f"the {part} of the test itself", text)
    if told := found():
        pytest.fail("\n".join(["secrets are told:", *told]), pytrace=False)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """None where another than that for whole files is asked for."""
    return FromBothEnds(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    # pytest listens at each logger that does not tell its parent, anew in each of three phases of each test:
    # the dozens of Streamlit were half of what a small test cost.
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith("streamlit.") and isinstance(logger, logging.Logger):
            logger.propagate = True


@pytest.fixture(scope="session", autouse=True)
def no_package_searched() -> None:
    """Each run of a page in a test starts Streamlit's runtime, which would search every installed package for
    components: half of what such a test costs. The app spares it, too."""
    search_no_package_for_components()


@pytest.fixture(scope="session")
def lasting() -> set[int]:
    """Ids of processes that outlive a module, with all that they start: added by what starts them."""
    return set()


@pytest.fixture(scope="module", autouse=True)
def nothing_left_behind(lasting: set[int]) -> Iterator[None]:
    """Fails a module whose tests and fixtures leave a process behind."""
    before = set(_children(lasting))
    yield
    left = [child for child in _children(lasting) if child not in before]
    _, left = psutil.wait_procs(left, timeout=ENDING)
    found = [command for child in left if (command := _command(child))]
    for child in left:
        child.kill()
    assert found == []


def _children(lasting: set[int]) -> list[psutil.Process]:
    """All that this process started, at any depth, and that still runs; not what is to last."""
    this = psutil.Process()
    found = [child for child in this.children() if child.pid not in lasting]
    kept = {child.pid for child in found if OF_PYTHON in _command(child)}
    found += [further for child in found for further in _further(child)]
    return [child for child in found if child.pid not in kept | lasting and _command(child)]


def _further(process: psutil.Process) -> list[psutil.Process]:
    """Empty for one that has ended."""
    try:
        found: list[psutil.Process] = process.children(recursive=True)
    except psutil.Error:
        return []
    return found


def _command(process: psutil.Process) -> str:
    """Empty for one that has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""
