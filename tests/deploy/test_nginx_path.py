"""deploy/nginx/headroom.conf before a dashboard below a path, with the login that is ready in it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.hung_screen import hang_screen
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_nginx import RunningNginx, running_nginx
from tests.running_service import start_service
from tests.small_site import create_small_site

PATIENCE = 60.0


@pytest.fixture(scope="module", params=["headroom", "shop/counts"])
def path(request: pytest.FixtureRequest) -> str:
    """The one that is shipped, and one that is put in its place as deploy/README.md says."""
    return str(request.param)


@pytest.fixture(scope="module")
def dashboard(path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    site = create_small_site(tmp_path_factory.mktemp("service"))
    service = start_service(site.data_dir)
    environment = {
        "HEADROOM_BASE_URL": service.base_url,
        "HEADROOM_API_KEY": site.read_key,
        "STREAMLIT_SERVER_BASE_URL_PATH": path,
    }
    started = start_dashboard(tmp_path_factory.mktemp("dashboard"), environment=environment)
    yield started
    started.kill()
    service.kill()


@pytest.fixture
def nginx(dashboard: RunningDashboard, path: str, tmp_path: Path) -> Iterator[RunningNginx]:
    passwords = tmp_path / "htpasswd"
    passwords.write_text("manager:{PLAIN}secret\n")
    passwords.chmod(0o644)
    replacing = {
        "(/headroom)": f"(/{path})",
        '# auth_basic           "Headroom";': 'auth_basic "Headroom";',
        "# auth_basic_user_file /etc/nginx/headroom.htpasswd;": f"auth_basic_user_file {passwords};",
    }
    with running_nginx(tmp_path / "nginx", [dashboard.base_url], replacing=replacing) as started:
        yield started


def test_below_a_path_operation_is_not_shown_to_strangers(nginx: RunningNginx, path: str) -> None:
    with httpx.Client(base_url=nginx.base_url, timeout=PATIENCE) as client:
        for root in ("", f"/{path}"):
            assert client.get(f"{root}/healthz").json() == {"status": "serving"}
            assert client.get(f"{root}/metrics").status_code == 404
            assert client.get(f"{root}/readyz").status_code == 404


def test_below_a_path_the_login_stands_before_pages_and_not_before_links(
    nginx: RunningNginx, dashboard: RunningDashboard, path: str
) -> None:
    token = hang_screen(dashboard.log_file.parent)
    with httpx.Client(base_url=f"{nginx.base_url}/{path}", timeout=PATIENCE) as client:
        for page in ("/", "/screens", "/_stcore/stream", "/_stcore/health"):
            assert client.get(page).status_code == 401
        assert client.get("/screens", auth=("manager", "secret")).status_code == 200
        assert client.get(f"/screen/{token}").status_code == 200
        assert client.get("/screen-assets/any/screen.js").status_code == 200
        assert client.get("/live/usual").status_code not in {401, 404}
        for refused in ("/live/stream", "/screen/no-link/stream"):
            assert client.get(refused).status_code != 401
        with client.stream("GET", f"/screen/{token}/stream") as stream:
            assert stream.status_code == 200
            assert "event: state" in next(line for line in stream.iter_lines() if line.startswith("event"))


def test_below_a_path_links_are_not_logged(nginx: RunningNginx, path: str) -> None:
    with httpx.Client(base_url=f"{nginx.base_url}/{path}", timeout=PATIENCE) as client:
        for address in ("/live/stream?token=", "/live/usual?token=", "/screen/"):
            client.get(f"{address}told-to-nobody")
        assert client.get("/healthz?last").status_code == 200
    deadline = time.monotonic() + PATIENCE
    while "/healthz?last" not in nginx.access_log() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "/healthz?last" in nginx.access_log()
    assert "told-to-nobody" not in nginx.access_log()
