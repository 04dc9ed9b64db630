from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import httpx
import pytest

from live import FeedKey, GrantedFeed, StreamGrant, StreamSigner
from screens import ViewKind
from tests.eventually import eventually
from tests.faults.misbehaving_server import Call, misbehaving_server
from tests.forked_process import ForkedProcess
from tests.hung_screen import hang_screen
from tests.running_dashboard import start_dashboard
from tests.running_service import RunningService, start_service
from tests.small_site import SmallSite, create_small_site

SECRET = "for tests"
"""Known to the test, so that it can sign as the dashboard does."""
ENDS_WITHIN = 5.0
ENDS_WHILE_WAITED_FOR = 15.0
"""Seconds; systemd kills it after as many."""

WRITES = """
import structlog
from runtime.lifespan import configure_logging
configure_logging()
log = structlog.get_logger("test")
log.warning("heard", name="caf\\u00e9 \\ud800")
try:
    1 / 0
except ZeroDivisionError:
    log.exception("defect")
print("went on")
"""


def token(site_id: str) -> str:
    grant = StreamGrant((GrantedFeed(FeedKey(site_id), "Europe/Zurich"),))
    return StreamSigner(SECRET).sign(grant)


def configured(site: SmallSite, service: RunningService) -> dict[str, str]:
    return {
        "HEADROOM_BASE_URL": service.base_url,
        "HEADROOM_API_KEY": site.read_key,
        "HEADROOM_SECRET": SECRET,
    }


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_at_once_with_live_streams_open(tmp_path: Path, ending: signal.Signals) -> None:
    site = create_small_site(tmp_path / "service")
    service = start_service(site.data_dir)
    dashboard = start_dashboard(tmp_path / "dashboard", environment=configured(site, service))
    address = f"{dashboard.base_url}/live/stream"
    try:
        with httpx.stream("GET", address, params={"token": token(site.site_id)}, timeout=30) as answer:
            assert answer.status_code == 200
            lines = answer.iter_lines()
            assert any(line == "event: state" for line in lines)
            dashboard.process.send_signal(ending)
            assert dashboard.process.wait(ENDS_WITHIN) == 0
    finally:
        dashboard.kill()
        service.kill()


def test_a_stream_without_a_valid_token_is_refused(tmp_path: Path) -> None:
    site = create_small_site(tmp_path / "service")
    service = start_service(site.data_dir)
    dashboard = start_dashboard(tmp_path / "dashboard", environment=configured(site, service))
    try:
        answer = httpx.get(f"{dashboard.base_url}/live/stream", params={"token": "forged"}, timeout=30)
        assert answer.status_code in (401, 403)
        assert answer.json()["error"]
    finally:
        dashboard.kill()
        service.kill()


@pytest.mark.parametrize("path", ["/screen/{token}", "/screen/{token}/stream"])
async def test_it_ends_while_requests_wait_for_a_service_that_never_answers(
    tmp_path: Path, path: str
) -> None:
    async def hold(call: Call) -> None:
        await call.hold()

    async with misbehaving_server(hold, hold) as service:
        service.other = hold
        data_dir = tmp_path / "dashboard"
        token = hang_screen(data_dir, ViewKind.CURVE)
        environment = {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": "key"}
        dashboard = await asyncio.to_thread(start_dashboard, data_dir, environment=environment)
        try:
            asked = len(service.calls)
            async with httpx.AsyncClient(timeout=120) as client:
                address = f"{dashboard.base_url}{path.format(token=token)}"
                waiting = [asyncio.create_task(client.get(address)) for _ in range(3)]
                await eventually(lambda: len(service.calls) > asked)
                dashboard.process.send_signal(signal.SIGTERM)
                code = await asyncio.to_thread(dashboard.process.wait, ENDS_WHILE_WAITED_FOR)
                assert code == 0, dashboard.log()
                answers = await asyncio.gather(*waiting)
                assert {answer.status_code for answer in answers} == {503}
                assert "Traceback" not in dashboard.log()
        finally:
            dashboard.kill()


def run(folder: Path, errors: Path) -> str:
    """What a program prints that logs to `errors`."""
    (folder / "writes.py").write_text(WRITES)
    printed = folder / "printed"
    process = ForkedProcess(["writes"], folder=folder, environment={}, log=printed, errors=errors)
    process.wait(60)
    return printed.read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_log_that_cannot_be_written_ends_nothing(tmp_path: Path) -> None:
    assert run(tmp_path, Path("/dev/full")) == "went on\n"


def test_log_has_the_event_and_the_traceback(tmp_path: Path) -> None:
    run(tmp_path, tmp_path / "log")
    written = (tmp_path / "log").read_text()
    assert "event='heard'" in written
    assert "ZeroDivisionError" in written
