"""deploy/nginx/headroom.conf and who may open what: names, and the login that is ready in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.hung_screen import hang_screen
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_nginx import running_nginx
from tests.running_service import start_service
from tests.small_site import create_small_site

NAME = "headroom.example.org"
PATIENCE = 60.0


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    site = create_small_site(tmp_path_factory.mktemp("service"))
    service = start_service(site.data_dir)
    environment = {
        "HEADROOM_BASE_URL": service.base_url,
        "HEADROOM_API_KEY": site.read_key,
        "HEADROOM_HOSTS": NAME,
    }
    started = start_dashboard(tmp_path_factory.mktemp("dashboard"), environment=environment)
    yield started
    started.kill()
    service.kill()


def test_the_name_that_a_browser_uses_reaches_the_dashboard(
    dashboard: RunningDashboard, tmp_path: Path
) -> None:
    with running_nginx(tmp_path, [dashboard.base_url]) as nginx:
        statuses = {
            name: httpx.get(f"{nginx.base_url}/", headers={"Host": name}, timeout=PATIENCE).status_code
            for name in (NAME, "127.0.0.1", "rebound.example")
        }
    assert statuses == {NAME: 200, "127.0.0.1": 200, "rebound.example": 421}


def test_login_stands_before_pages_and_not_before_links(dashboard: RunningDashboard, tmp_path: Path) -> None:
    passwords = tmp_path / "htpasswd"
    passwords.write_text("manager:{PLAIN}secret\n")
    passwords.chmod(0o644)
    login = {
        '# auth_basic           "Headroom";': 'auth_basic "Headroom";',
        "# auth_basic_user_file /etc/nginx/headroom.htpasswd;": f"auth_basic_user_file {passwords};",
    }
    token = hang_screen(dashboard.log_file.parent)
    with (
        running_nginx(tmp_path / "nginx", [dashboard.base_url], replacing=login) as nginx,
        httpx.Client(base_url=nginx.base_url, timeout=PATIENCE) as client,
    ):
        for path in ("/", "/screens", "/_stcore/stream", "/_stcore/health"):
            assert client.get(path).status_code == 401
        assert client.get("/screens", auth=("manager", "secret")).status_code == 200
        wall = client.get(f"/screen/{token}")
        assert wall.status_code == 200
        assert client.get("/screen-assets/any/screen.js").status_code == 200
        with client.stream("GET", f"/screen/{token}/stream") as stream:
            assert stream.status_code == 200
            assert "event: state" in next(line for line in stream.iter_lines() if line.startswith("event"))
