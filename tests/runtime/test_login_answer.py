"""A real dashboard whose provider of logins cannot be reached."""

from __future__ import annotations

from pathlib import Path

import httpx

from tests.running_dashboard import start_dashboard
from tests.running_provider import RunningProvider
from tests.running_service import free_port

PATIENCE = 60.0


def test_who_is_sent_to_a_provider_that_does_not_answer_is_told_what_to_do(tmp_path: Path) -> None:
    port = free_port()
    nobody = RunningProvider(f"http://127.0.0.1:{free_port()}", tmp_path)
    environment = nobody.secrets(port) | {"HEADROOM_BASE_URL": f"http://127.0.0.1:{free_port()}"}
    dashboard = start_dashboard(tmp_path / "dashboard", port=port, environment=environment)
    try:
        with httpx.Client(base_url=dashboard.base_url, follow_redirects=True, timeout=PATIENCE) as client:
            answer = client.get("/login", params={"provider": "default", "next": "live"})
        assert answer.status_code == 502
        assert "The provider of the logins does not answer as it should. Try again" in answer.text
        assert 'href="../login"' in answer.text
    finally:
        dashboard.kill()
