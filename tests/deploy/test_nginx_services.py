"""deploy/nginx/services.conf in the real nginx, before two services on one store."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from tests.eventually import wait_until
from tests.running_nginx import SERVICES, RunningNginx, running_nginx
from tests.running_service import RunningService, start_service
from tests.small_site import SITE, SmallSite, count, create_small_site

PATIENCE = 60.0
LIVE = {"siteId": SITE.id, "metrics": ["visitorsInside"], "granularity": "minute", "live": True}


@pytest.fixture(scope="module")
def deployed(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[SmallSite, list[RunningService], RunningNginx]]:
    folder = tmp_path_factory.mktemp("services")
    site = create_small_site(folder / "store")
    with ExitStack() as ending:
        services = [start_service(site.data_dir) for _ in range(2)]
        for service in services:
            ending.callback(service.kill)
        urls = [service.base_url for service in services]
        yield site, services, ending.enter_context(running_nginx(folder / "nginx", urls, shipped=SERVICES))


def post(site: SmallSite, client: httpx.Client) -> httpx.Response:
    body = [count(datetime.now(UTC), 1)]
    return client.post("/ingest/counts", json=body, headers=site.ingest_headers)


def test_events_pass_at_once_and_both_services_are_asked(
    deployed: tuple[SmallSite, list[RunningService], RunningNginx],
) -> None:
    site, services, nginx = deployed
    headers = site.headers | {"accept": "text/event-stream"}
    with (
        httpx.Client(base_url=nginx.base_url, timeout=PATIENCE) as client,
        client.stream("POST", "/v3/metrics", json=LIVE, headers=headers) as answer,
    ):
        lines = (line for line in answer.iter_lines() if line.startswith("data: "))
        for inside in (1, 2):
            assert post(site, client).is_success
            for line in lines:
                if json.loads(line.removeprefix("data: "))["metrics"]["visitorsInside"] == inside:
                    break
    # A stream is written down once nginx has seen that it ended.
    deadline = time.monotonic() + PATIENCE
    while not nginx.upstreams("/v3/metrics") and time.monotonic() < deadline:
        time.sleep(0.05)
    asked = {host for part in ("/v3/metrics", "/ingest") for host in nginx.upstreams(part)}
    assert asked == {service.base_url.removeprefix("http://") for service in services}


def test_what_is_about_one_service_is_not_told_and_too_much_is_refused_by_the_service(
    deployed: tuple[SmallSite, list[RunningService], RunningNginx],
) -> None:
    site, _, nginx = deployed
    with httpx.Client(base_url=nginx.base_url, timeout=PATIENCE) as client:
        assert [client.get(path).status_code for path in ("/healthz", "/readyz", "/metrics")] == [
            200,
            404,
            404,
        ]
        packed = gzip.compress(b" " * 9_000_000)
        headers = site.ingest_headers | {"content-type": "application/json", "content-encoding": "gzip"}
        answer = client.post("/ingest/counts", content=packed, headers=headers)
        assert (answer.status_code, bool(answer.json()["meta"]["requestId"])) == (413, True)


@contextmanager
def hanging_up() -> Iterator[str]:
    """The address of a service that ends each connection once something was asked."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def hang_up() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection:
                        connection.recv(64)

        threading.Thread(target=hang_up, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(("path", "status"), [("/v3/metrics", 200), ("/ingest/counts", 502)])
def test_what_one_leaves_without_an_answer_the_other_is_asked_unless_it_may_be_stored(
    deployed: tuple[SmallSite, list[RunningService], RunningNginx], tmp_path: Path, path: str, status: int
) -> None:
    site, services, _ = deployed
    with ExitStack() as ending:
        behind = [ending.enter_context(hanging_up()), services[1].base_url]
        nginx = ending.enter_context(running_nginx(tmp_path, behind, shipped=SERVICES))
        client = ending.enter_context(httpx.Client(base_url=nginx.base_url, timeout=PATIENCE))
        asked = LIVE | {"live": False, "from": "2025-01-01T00:00:00", "to": "2025-01-01T01:00:00"}
        if path == "/v3/metrics":
            answer = client.post(path, json=asked, headers=site.headers)
        else:
            answer = post(site, client)
        assert answer.status_code == status
        wait_until(lambda: behind[0].removeprefix("http://") in nginx.access_log())


def test_when_one_service_is_gone_the_other_answers_all(
    deployed: tuple[SmallSite, list[RunningService], RunningNginx],
) -> None:
    site, services, nginx = deployed
    services[0].kill()
    with httpx.Client(base_url=nginx.base_url, timeout=PATIENCE) as client:
        for _ in range(4):
            assert client.get("/v3/sites", headers=site.headers).status_code == 200
            assert post(site, client).is_success
