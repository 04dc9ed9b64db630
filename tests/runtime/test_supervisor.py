from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

import httpx
import pytest

from live.reconnect import Backoff
from runtime.supervisor import ServiceSupervisor
from service.embedded import EmbeddedService, EmbeddedServiceError, start_embedded
from tests.begun_demo import begin_demo
from tests.forked_embedded import forked_embedded
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_service import free_port
from tests.small_disk import small_disk

__all__ = ["forked_embedded"]

DEADLINE = 90.0


def wait_until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextmanager
def supervised(
    data_dir: Path, port: int, may_start: threading.Event | None = None
) -> Iterator[ServiceSupervisor]:
    """The service starts, and again, once it may."""

    def start(cancelled: threading.Event) -> EmbeddedService:
        assert may_start is None or may_start.wait(DEADLINE)
        return start_embedded(data_dir, port, cancelled=cancelled)

    supervisor = ServiceSupervisor(
        start,
        on_new_key=lambda: None,
        backoff=Backoff(Random(1), first=0.1, longest=0.2),
    )
    supervisor.start()
    try:
        yield supervisor
    finally:
        supervisor.close()


def running(supervisor: ServiceSupervisor) -> EmbeddedService:
    assert supervisor.service is not None
    return supervisor.service


def is_alive(process_id: int) -> bool:
    """Not gone, and no zombie: a child of a process that was killed is collected by the system."""
    try:
        status = Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return False
    return status.rsplit(")", 1)[1].split()[0] != "Z"


@pytest.mark.usefixtures("forked_embedded")
def test_killed_service_comes_back_with_its_port_and_key(tmp_path: Path) -> None:
    may_start = threading.Event()
    may_start.set()
    with supervised(tmp_path, free_port(), may_start) as supervisor:
        first = running(supervisor)
        assert supervisor.outage is None
        may_start.clear()
        os.kill(first.process_id, signal.SIGKILL)
        wait_until(lambda: supervisor.outage)
        said = str(supervisor.outage)
        may_start.set()
        assert "signal 9 (Killed)" in said
        assert "It is started again by itself, " in said
        wait_until(lambda: supervisor.outage is None)
        second = running(supervisor)
        assert second.process_id != first.process_id
        assert (second.base_url, second.api_key) == (first.base_url, first.api_key)
    assert not second.is_running()


@pytest.mark.usefixtures("forked_embedded")
def test_service_that_cannot_start_is_tried_until_it_can(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk, ExitStack() as stack:
        disk.fill()
        supervisor = stack.enter_context(supervised(disk.folder / "data", free_port()))
        assert supervisor.service is None
        assert "no space left" in str(supervisor.outage)
        disk.make_room()
        wait_until(lambda: supervisor.outage is None)
        assert running(supervisor).api_key


def test_crash_loop_is_slowed_down_and_keeps_its_first_time_and_its_reason() -> None:
    attempts: list[float] = []

    def fails(_: threading.Event) -> EmbeddedService:
        attempts.append(time.monotonic())
        raise EmbeddedServiceError("It is broken.")

    supervisor = ServiceSupervisor(fails, on_new_key=lambda: None, backoff=Backoff(Random(1), first=0.01))
    supervisor.start()
    first = supervisor.outage
    wait_until(lambda: len(attempts) >= 5)
    later = supervisor.outage
    assert first is not None
    assert later is not None
    assert (later.since, later.reason) == (first.since, "It is broken.")
    supervisor.close()
    assert supervisor.service is None


def test_defect_of_a_start_does_not_end_the_supervision() -> None:
    attempts: list[None] = []

    def fails(_: threading.Event) -> EmbeddedService:
        attempts.append(None)
        raise ZeroDivisionError("a defect")

    supervisor = ServiceSupervisor(fails, on_new_key=lambda: None, backoff=Backoff(Random(1), first=0.01))
    supervisor.start()
    assert "a defect" in str(supervisor.outage)
    wait_until(lambda: len(attempts) >= 2)
    supervisor.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_who_waits_for_the_first_attempt_is_let_go_when_the_supervision_dies() -> None:
    def fails(_: threading.Event) -> EmbeddedService:
        raise EmbeddedServiceError("It is broken.")

    class BrokenBackoff(Backoff):
        def next_wait(self, connected_for: float = 0.0) -> float:
            raise ZeroDivisionError(f"a defect after {connected_for}")

    supervisor = ServiceSupervisor(fails, on_new_key=lambda: None, backoff=BrokenBackoff(Random(1)))
    starting = threading.Thread(target=supervisor.start, daemon=True)
    starting.start()
    starting.join(DEADLINE)
    assert not starting.is_alive()
    supervisor.close()


def children_of(dashboard: RunningDashboard) -> list[int]:
    task = Path(f"/proc/{dashboard.process.pid}/task")
    return [int(number) for file in task.glob("*/children") for number in file.read_text().split()]


@pytest.fixture
def dashboard(tmp_path: Path) -> Iterator[RunningDashboard]:
    begin_demo(tmp_path)
    started = start_dashboard(tmp_path, environment={"HEADROOM_SERVICE_PORT": str(free_port())})
    yield started
    started.kill()


def ready(dashboard: RunningDashboard) -> httpx.Response:
    return httpx.get(f"{dashboard.base_url}/readyz", timeout=DEADLINE)


def test_dashboard_says_that_its_service_is_down_and_ends_during_the_backoff(
    dashboard: RunningDashboard, tmp_path: Path
) -> None:
    wait_until(lambda: ready(dashboard).status_code == 200)
    [child] = children_of(dashboard)
    # It cannot come back as long as its file is this one.
    os.kill(child, signal.SIGSTOP)
    for file in tmp_path.glob("headroom.sqlite*"):
        file.unlink()
    (tmp_path / "headroom.sqlite").write_text("Dear diary, today nobody came into the shop. " * 99)
    os.kill(child, signal.SIGKILL)
    wait_until(lambda: "file is not a database" in ready(dashboard).text)
    answer = ready(dashboard)
    assert (answer.status_code, answer.json()["ready"]) == (503, False)
    [reason] = answer.json()["reasons"]
    assert "has been down for" in reason
    assert "started again by itself" in reason
    assert "file is not a database" in dashboard.log(), "the log holds what the process said"
    assert "embedded service down" in dashboard.log()
    dashboard.process.terminate()
    dashboard.process.wait(DEADLINE)
    wait_until(lambda: not any(is_alive(number) for number in (child, *children_of(dashboard))))


def test_dashboard_is_ready_again_when_its_service_is(dashboard: RunningDashboard) -> None:
    wait_until(lambda: ready(dashboard).status_code == 200)
    [child] = children_of(dashboard)
    os.kill(child, signal.SIGKILL)
    wait_until(lambda: "embedded service up again" in dashboard.log())
    wait_until(lambda: ready(dashboard).status_code == 200)
    [second] = children_of(dashboard)
    assert dashboard.stop() in (0, -signal.SIGTERM)
    assert not is_alive(second)
