"""A real dashboard in a process of its own, started as a person starts it."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.forked_process import ForkedProcess, start_anew
from tests.running_service import ROOT, free_port

START_DEADLINE = 120.0
STOP_DEADLINE = 15.0


@dataclass(frozen=True)
class RunningDashboard:
    base_url: str
    """Without a trailing slash; the Overview page."""
    process: ForkedProcess | subprocess.Popen[bytes]
    log_file: Path

    def log(self) -> str:
        return self.log_file.read_text()

    def stop(self) -> int:
        """End it as an operator would (SIGTERM); the exit code. May be called again."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(STOP_DEADLINE)

    def kill(self) -> None:
        """End it as a power cut would (SIGKILL). May be called again."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(STOP_DEADLINE)


def start_dashboard(
    data_dir: Path,
    *,
    environment: dict[str, str] | None = None,
    port: int | None = None,
    project: Path = ROOT,
    is_anew: bool = False,
    address: str = "127.0.0.1",
) -> RunningDashboard:
    """Start `streamlit run app.py` on loopback, or at another `address`, and wait until it serves.

    `environment` adds variables (HEADROOM_BASE_URL and HEADROOM_API_KEY; without them an embedded service
    starts). The log is `data_dir/dashboard.log`. `project` is the folder of a copy to run instead. What is
    measured is to begin anew, by an interpreter of its own.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    port = port or free_port()
    log_file = data_dir / "dashboard.log"
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HEADROOM_")}
    variables = inherited | {"HEADROOM_DATA_DIR": str(data_dir)} | (environment or {})
    command = ["streamlit", "run", "app.py", "--server.port", str(port), "--server.address", address]
    # What is imported already is not a copy's.
    start = start_anew if is_anew or project != ROOT else ForkedProcess
    process = start(command, folder=project, environment=variables, log=log_file)
    dashboard = RunningDashboard(f"http://127.0.0.1:{port}", process, log_file)
    _wait_until_it_serves(dashboard)
    return dashboard


def _wait_until_it_serves(dashboard: RunningDashboard) -> None:
    deadline = time.monotonic() + START_DEADLINE
    while time.monotonic() < deadline:
        if dashboard.process.poll() is not None:
            raise RuntimeError(f"the dashboard ended at its start:\n{dashboard.log()}")
        try:
            healthy = httpx.get(f"{dashboard.base_url}/healthz", timeout=5.0).is_success
        except httpx.TransportError:
            healthy = False
        if healthy:
            return
        time.sleep(0.1)
    dashboard.kill()
    raise RuntimeError(f"the dashboard did not serve in time:\n{dashboard.log()}")
