from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.datastructures import Headers
from structlog.testing import capture_logs

from runtime.host_check import HostCheck, host_name, is_allowed, is_own_page, own_names, say_who_may_open
from tests.running_dashboard import RunningDashboard, start_dashboard

LISTED = "wall.example.org"


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    """Nothing answers as its service, which does not matter here."""
    environment = {
        "HEADROOM_BASE_URL": "http://127.0.0.1:9",
        "HEADROOM_API_KEY": "key",
        "HEADROOM_HOSTS": f"{LISTED}, *.intranet.example",
    }
    started = start_dashboard(tmp_path_factory.mktemp("dashboard"), environment=environment)
    yield started
    started.kill()


def shake_hands(dashboard: RunningDashboard, host: str, origin: str | None = None) -> bytes:
    """The answer to Streamlit's WebSocket being asked for under `host`; by a page of the same unless told."""
    port = int(dashboard.base_url.rsplit(":", 1)[1])
    page = f"http://{host}:{port}" if origin is None else origin
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(
            (
                f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}:{port}\r\n"
                + (f"Origin: {page}\r\n" if page else "")
                + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                "Sec-WebSocket-Protocol: streamlit\r\n\r\n"
            ).encode()
        )
        return connection.recv(4096).split(b"\r\n")[0]


@pytest.mark.parametrize(
    "path",
    ["/", "/screens", "/_stcore/health", "/healthz", "/readyz", "/metrics", "/screen/x"],
)
def test_request_under_a_foreign_name_is_refused(dashboard: RunningDashboard, path: str) -> None:
    answer = httpx.get(f"{dashboard.base_url}{path}", headers={"Host": "rebound.example"}, timeout=30)
    assert answer.status_code == 421
    assert "HEADROOM_HOSTS=rebound.example" in answer.text
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"


def test_websocket_under_a_foreign_name_is_refused(dashboard: RunningDashboard) -> None:
    """Its origin is the same, as it is after DNS rebinding."""
    assert b"101" not in shake_hands(dashboard, "rebound.example")
    assert b"101" in shake_hands(dashboard, "127.0.0.1")
    assert b"101" in shake_hands(dashboard, LISTED)


@pytest.mark.parametrize("origin", ["http://127.0.0.1:1", "http://localhost", "http://0.0.0.0:1", "null"])
def test_websocket_of_a_page_of_another_port_of_this_machine_is_refused(
    dashboard: RunningDashboard, origin: str
) -> None:
    assert b"403" in shake_hands(dashboard, "127.0.0.1", origin)


def test_websocket_of_what_is_no_browser_is_accepted(dashboard: RunningDashboard) -> None:
    assert b"101" in shake_hands(dashboard, "127.0.0.1", "")


@pytest.mark.parametrize(
    ("origin", "host", "is_own"),
    [
        ("http://localhost:8501", "localhost:8501", True),
        ("https://wall.example.org", "wall.example.org", True),
        ("https://wall.example.org", "wall.example.org:443", True),
        ("HTTPS://Wall.example.org:8443", "wall.example.org:8443", True),
        ("http://[::1]:8501", "[::1]:8501", True),
        ("http://localhost:8502", "localhost:8501", False),
        ("http://localhost:8501", "127.0.0.1:8501", False),
        ("https://wall.example.org", "wall.example.org:8443", False),
        ("https://wall.example.org:8443", "wall.example.org", False),
        ("https://wall.example.org.evil.example", "wall.example.org", False),
        ("http://localhost:8501/", "localhost:8501", False),
        ("null", "localhost", False),
        ("", "localhost", False),
        ("file://", "localhost", False),
    ],
)
def test_a_page_is_ours_when_host_and_port_are_the_same(origin: str, host: str, is_own: bool) -> None:
    assert is_own_page(Headers({"origin": origin, "host": host})) is is_own


@pytest.mark.parametrize(
    "host",
    [
        "localhost:8501",
        "LOCALHOST.",
        "headroom.localhost",
        "192.168.1.5:8501",
        "[::1]:8501",
        "[fe80::1]",
        LISTED,
        "WALL.example.org.:443",
        "a.b.intranet.example",
        *own_names(),
    ],
)
def test_known_names_and_addresses_are_answered(dashboard: RunningDashboard, host: str) -> None:
    answer = httpx.get(f"{dashboard.base_url}/healthz", headers={"Host": host}, timeout=30)
    assert answer.status_code == 200


def test_a_refused_name_is_logged_once(dashboard: RunningDashboard) -> None:
    for _ in range(3):
        httpx.get(f"{dashboard.base_url}/healthz", headers={"Host": "twice.example"}, timeout=30)
    assert dashboard.log().count("twice.example") == 1


@pytest.mark.parametrize(
    "header",
    [
        "",
        "<script>alert(1)</script>",
        "127.0.0.1@x.example",
        "a b",
        "evil.example/",
        "x" * 300,
        "127.0.0.1,evil",
    ],
)
def test_what_is_no_name_is_none(header: str) -> None:
    assert host_name(header) is None


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("example.org", "*.example.org"),
        ("notexample.org", "*.example.org"),
        ("evil.example", "example"),
        ("localhost.evil.example", "localhost"),
        ("127.0.0.1.evil.example", "127.0.0.1"),
        ("2130706433", "localhost"),
    ],
)
def test_names_that_only_look_alike_are_not_allowed(name: str, listed: str) -> None:
    assert not is_allowed(name, frozenset({listed}))


def test_a_star_allows_every_name() -> None:
    assert is_allowed("anything.example", frozenset({"*"}))


async def test_of_two_host_headers_both_must_be_known() -> None:
    """A server behind this check might read the other one."""
    reached: list[str] = []
    statuses: list[int] = []

    async def app(*_: object) -> None:
        reached.append("app")

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        statuses.append(message.get("status", 0))

    async def receive() -> dict[str, object]:
        return {"type": "http.disconnect"}

    scope = {"type": "http", "headers": [(b"host", b"localhost"), (b"host", b"rebound.example")]}
    await HostCheck(app)(scope, receive, send)
    assert (reached, statuses[0]) == ([], 421)


def test_setting_that_is_no_name_ends_the_start_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"HEADROOM_HOSTS: “https://x\.example” is no host name"):
        start_dashboard(tmp_path, environment={"HEADROOM_HOSTS": "https://x.example"})


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
def test_nothing_is_said_where_only_this_machine_may_open_it(address: str) -> None:
    with capture_logs() as logged:
        say_who_may_open(address, has_login=False, is_meant=False)
    assert logged == []


@pytest.mark.parametrize("address", [None, "", "0.0.0.0", "::", "192.168.1.5", "shop-server"])
def test_what_the_network_sees_is_said_in_one_line(address: str | None) -> None:
    with capture_logs() as logged:
        say_who_may_open(address, has_login=False, is_meant=True)
    [line] = logged
    assert (line["log_level"], line["event"].split(",")[0]) == (
        "warning",
        "the dashboard is open to the network",
    )
    assert all(part in line["visible"] for part in ("all sites", "Screens", "/readyz", "/metrics"))


def test_a_login_before_the_network_is_said_and_none_is_said_loudly_with_what_to_do() -> None:
    with capture_logs() as logged:
        say_who_may_open("0.0.0.0", has_login=True, is_meant=False)
        say_who_may_open("0.0.0.0", has_login=False, is_meant=False)
    assert [line["log_level"] for line in logged] == ["info", "error"]
    assert all(part in logged[1]["remedy"] for part in ("runtime.password", "[auth]", "OPEN_TO_NETWORK=yes"))
