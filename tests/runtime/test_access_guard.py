"""A real dashboard with the administrator's password: what a browser without a session gets."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.routing import Route

from live import FeedKey, GrantedFeed, StreamGrant, StreamSigner
from page_list import PAGES
from runtime.application import live_routes
from runtime.failed_logins import MOST_OF_ADDRESS
from runtime.login import KNOWN_COOKIE, SESSION_COOKIE
from runtime.password import forget_password, keep_password
from screens.definition import Composition, View, ViewKind
from screens.previews import PreviewSigner
from tests.hung_screen import hang_screen
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_service import RunningService, start_service
from tests.small_site import SmallSite, create_small_site

PASSWORD = "a quiet word for the door"
SECRET = "a secret that signs what browsers open"
MONITORING = "a token of whoever watches it"
PATIENCE = 60.0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SmallSite:
    return create_small_site(tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="module")
def service(site: SmallSite) -> Iterator[RunningService]:
    started = start_service(site.data_dir)
    yield started
    started.kill()


@pytest.fixture(scope="module")
def dashboard(
    site: SmallSite, service: RunningService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningDashboard]:
    folder = tmp_path_factory.mktemp("dashboard")
    keep_password(folder, PASSWORD)
    environment = {
        "HEADROOM_BASE_URL": service.base_url,
        "HEADROOM_API_KEY": site.read_key,
        "HEADROOM_SECRET": SECRET,
        "HEADROOM_MONITORING_TOKEN": MONITORING,
    }
    started = start_dashboard(folder, environment=environment)
    yield started
    started.kill()


@pytest.fixture
def stranger(dashboard: RunningDashboard) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=dashboard.base_url, timeout=PATIENCE) as client:
        yield client


@pytest.fixture
def administrator(stranger: httpx.Client) -> httpx.Client:
    assert log_in(stranger).status_code == 303
    return stranger


def log_in(client: httpx.Client, password: str = PASSWORD, **headers: str) -> httpx.Response:
    return client.post("/login?next=live", data={"password": password}, headers=headers)


def stream_path(site: SmallSite) -> str:
    grant = StreamGrant((GrantedFeed(FeedKey(site.site_id), "Europe/Zurich"),))
    return f"/live/stream?token={StreamSigner(SECRET).sign(grant)}"


def preview_path(site: SmallSite) -> str:
    view = View(kind=ViewKind.NUMBER, site_id=site.site_id)
    return f"/screen/{PreviewSigner(SECRET).draft_ticket(Composition(name='Draft', views=(view,)))}"


def shake_hands(dashboard: RunningDashboard, cookie: str = "") -> bytes:
    """The answer to Streamlit's WebSocket being asked for."""
    port = int(dashboard.base_url.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(
            f"GET /_stcore/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
            f"Cookie: {cookie}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Protocol: streamlit\r\n\r\n".encode()
        )
        return connection.recv(4096).split(b"\r\n")[0]


def begun_guess(dashboard: RunningDashboard) -> socket.socket:
    """A try of a password whose last byte is not sent yet."""
    port = int(dashboard.base_url.rsplit(":", 1)[1])
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    body = b"password=a guess of many"
    head = f"POST /login HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body) + 1}\r\n\r\n"
    connection.sendall(head.encode() + body)
    return connection


OPEN_ROUTES = {"/healthz", "/screen-assets/{version}/{name}"}
"""And walls by their links, which are tried below."""


def test_every_route_beside_the_pages_is_closed(stranger: httpx.Client, site: SmallSite) -> None:
    paths = {route.path for route in live_routes() if isinstance(route, Route)} - OPEN_ROUTES
    paths |= {"/_stcore/health", "/_stcore/host-config", "/media/file.csv", "/static/index.js", "/robots.txt"}
    assert {"/live/stream", "/live/usual", "/floor-plan/{picture}", "/readyz", "/metrics"} <= paths
    for path in paths:
        asked = re.sub(r"\{address:other\}", "nowhere", path).replace("{token}", "a.ticket")
        answer = stranger.get(re.sub(r"\{\w+\}", "x", asked))
        assert (path, answer.status_code) == (path, 401)
    for path in (stream_path(site), preview_path(site), preview_path(site) + "/stream"):
        assert stranger.get(path).json() == {"error": "Log in first."}


def test_a_page_leads_to_the_login_and_back_to_where_it_was(stranger: httpx.Client) -> None:
    for page in PAGES:
        asked = stranger.get(f"/{page.address}?site=x&zone=y", headers={"Accept": "text/html"})
        assert asked.status_code == 303
        form = stranger.get(asked.headers["location"])
        assert form.status_code == 200
        action = re.findall(r'action="([^"]+)"', form.text)[0].replace("&amp;", "&")
        answer = stranger.post(f"/{action}", data={"password": PASSWORD})
        assert answer.headers["location"] == f"./{page.address}?site=x&zone=y"
        stranger.cookies.clear()


@pytest.mark.parametrize(
    "elsewhere", ["//evil.example", "https://evil.example", "\\\\evil.example", "a\nb", "login"]
)
def test_a_login_leads_to_no_other_host(stranger: httpx.Client, elsewhere: str) -> None:
    answer = stranger.post("/login", params={"next": elsewhere}, data={"password": PASSWORD})
    assert httpx.URL(answer.request.url).join(answer.headers["location"]).host == "127.0.0.1"
    assert answer.headers["location"].startswith("./")


def test_a_websocket_opens_for_a_session_alone(
    dashboard: RunningDashboard, administrator: httpx.Client
) -> None:
    session = administrator.cookies[SESSION_COOKIE]
    assert b"401" in shake_hands(dashboard)
    assert b"401" in shake_hands(dashboard, f"{SESSION_COOKIE}={session[:-2]}xx")
    assert b"101" in shake_hands(dashboard, f"{SESSION_COOKIE}={session}")


def test_a_wall_by_its_link_needs_no_login(dashboard: RunningDashboard, stranger: httpx.Client) -> None:
    token = hang_screen(dashboard.log_file.parent)
    wall = stranger.get(f"/screen/{token}")
    assert wall.status_code == 200
    [script] = re.findall(r'src="\.\./(screen-assets/[^"]+\.js)"', wall.text)
    assert stranger.get(f"/{script}").status_code == 200
    with stranger.stream("GET", f"/screen/{token}/stream") as stream:
        assert stream.status_code == 200
        assert any("inside" in line for line in stream.iter_lines() if line.startswith("data"))


def test_the_session_is_kept_from_scripts_and_from_other_sites(stranger: httpx.Client) -> None:
    plain = log_in(stranger).headers["set-cookie"]
    assert all(part in plain for part in ("HttpOnly", "SameSite=lax", "Max-Age=43200"))
    assert "Secure" not in plain
    assert "Secure" in log_in(stranger, **{"X-Forwarded-Proto": "https"}).headers["set-cookie"]


def test_operation_is_told_to_whoever_has_its_token(stranger: httpx.Client) -> None:
    for path in ("/readyz", "/metrics"):
        assert stranger.get(path, headers={"Authorization": "Bearer no"}).status_code == 401
        assert stranger.get(path, headers={"Authorization": f"Bearer {MONITORING}"}).status_code == 200


@pytest.mark.parametrize("after", ["", "%0a"], ids=["as it is", "with a line break"])
def test_an_open_stream_ends_within_seconds_of_the_log_out(
    administrator: httpx.Client, site: SmallSite, after: str
) -> None:
    session = dict(administrator.cookies)
    with administrator.stream("GET", stream_path(site).replace("?", f"{after}?")) as stream:
        lines = stream.iter_lines()
        assert "event" in next(lines) + next(lines)
        assert httpx.get(f"{administrator.base_url}/logout", cookies=session).status_code == 303
        for _ in lines:  # ends, or the client's patience does
            pass
    # Also for whoever has kept a copy.
    assert httpx.get(f"{administrator.base_url}/session", cookies=session).status_code == 401


def test_another_password_ends_the_sessions_of_the_one_before(
    dashboard: RunningDashboard, administrator: httpx.Client
) -> None:
    assert administrator.get("/session").status_code == 204
    folder = dashboard.log_file.parent
    try:
        keep_password(folder, "another quiet word")
        assert administrator.get("/session").status_code == 401
        assert log_in(administrator).status_code == 401
        forget_password(folder)
        assert log_in(administrator).status_code == 401
        assert administrator.get("/live/usual").status_code == 401
    finally:
        keep_password(folder, PASSWORD)


def test_a_page_of_elsewhere_logs_nobody_in(stranger: httpx.Client) -> None:
    assert log_in(stranger, Origin="https://evil.example").status_code == 403
    assert log_in(stranger, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403


@pytest.mark.parametrize(
    "body", [b"", b"password=", b"password=a&password=b", b"\xff\xfe", b"x" * 100_000, b"a&" * 5_000 + b"=1"]
)
def test_a_body_that_is_no_password_is_a_wrong_one(stranger: httpx.Client, body: bytes) -> None:
    log_in(stranger)  # forgets failures before
    answer = stranger.post("/login", content=body)
    assert (answer.status_code, "not the password" in answer.text) == (401, True)


def test_after_a_few_wrong_passwords_the_right_one_has_to_wait_and_no_log_has_any(
    dashboard: RunningDashboard, stranger: httpx.Client
) -> None:
    log_in(stranger)
    guesses = [log_in(stranger, f"guess number {number}").status_code for number in range(6)]
    assert guesses == [401] * 5 + [429]
    waiting = log_in(stranger)
    assert waiting.status_code == 429
    assert 0 < int(waiting.headers["retry-after"]) <= 300
    log = dashboard.log()
    assert "a wrong password was given" in log
    for secret in (PASSWORD, "guess number", SECRET, MONITORING, *stranger.cookies.values()):
        assert secret not in log


def test_many_tries_at_once_are_as_few_as_others_and_do_not_keep_out_whoever_was_in_before(
    site: SmallSite, service: RunningService, tmp_path: Path
) -> None:
    keep_password(tmp_path, PASSWORD)
    environment = {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": site.read_key}
    started = start_dashboard(tmp_path, environment=environment)
    try:
        with httpx.Client(base_url=started.base_url, timeout=PATIENCE) as known:
            log_in(known)
            known.cookies.delete(SESSION_COOKIE)
            begun = [begun_guess(started) for _ in range(12)]
            answers = []
            for connection in begun:
                with connection:
                    connection.sendall(b"!")
                    answers.append(connection.recv(4096)[9:12])
            assert answers == [b"401"] * MOST_OF_ADDRESS + [b"429"] * 7
            assert log_in(known).status_code == 303
            known.cookies.clear()
            known.cookies.set(KNOWN_COOKIE, "a-name-of-ones-own")
            assert log_in(known).status_code == 429
    finally:
        started.kill()


def test_open_to_the_network_without_a_login_no_page_is_served_and_walls_go_on(
    site: SmallSite, service: RunningService, tmp_path: Path
) -> None:
    environment = {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": site.read_key}
    token = hang_screen(tmp_path)
    started = start_dashboard(tmp_path, environment=environment, address="0.0.0.0")
    try:
        for path in ("/", "/live", "/readyz", "/metrics", "/live/stream", "/login", "/_stcore/health"):
            answer = httpx.get(f"{started.base_url}{path}", timeout=PATIENCE)
            assert answer.status_code == 403
            assert all(
                way in answer.text for way in ("runtime.password", "[auth]", "HEADROOM_OPEN_TO_NETWORK=yes")
            )
        assert b"403" in shake_hands(started)
        assert httpx.get(f"{started.base_url}/screen/{token}", timeout=PATIENCE).status_code == 200
        assert started.log().count("serves no page") == 1
    finally:
        started.kill()


def test_below_a_path_the_same_holds_and_a_login_leads_back_below_it(
    site: SmallSite, service: RunningService, tmp_path: Path
) -> None:
    keep_password(tmp_path, PASSWORD)
    environment = {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": site.read_key}
    below = {"STREAMLIT_SERVER_BASE_URL_PATH": "shop/counts", "HEADROOM_SECRET": SECRET}
    started = start_dashboard(tmp_path, environment=environment | below)
    token = hang_screen(tmp_path)
    try:
        with httpx.Client(base_url=f"{started.base_url}/shop/counts", timeout=PATIENCE) as client:
            for path in ("/live/usual", "/readyz", "/_stcore/health", stream_path(site), preview_path(site)):
                assert client.get(path).status_code == 401
                assert httpx.get(f"{started.base_url}{path}").status_code == 401
            assert client.get(f"/screen/{token}").status_code == 200
            asked = client.get("/live?site=x", headers={"Accept": "text/html"})
            form = asked.next_request.url if asked.next_request else ""
            answer = client.post(form, data={"password": PASSWORD})
            assert "Path=/shop/counts" in answer.headers["set-cookie"]
            assert answer.next_request
            assert answer.next_request.url.raw_path == b"/shop/counts/live?site=x"
            assert client.get("/session").status_code == 204
    finally:
        started.kill()
