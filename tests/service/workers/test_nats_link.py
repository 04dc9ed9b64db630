"""The link to NATS servers, against a real one and against what is none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Final

import pytest

from service.nats_settings import NatsSettings
from service.workers import nats_link
from service.workers.nats_link import NatsLink
from tests.eventually import PATIENCE, eventually
from tests.running_mosquitto import made_certificates
from tests.running_nats import RunningNats, running_nats
from tests.running_service import free_port

INFO: Final = b'INFO {"server_id":"x","version":"2.9.10","max_payload":1048576}\r\n'
PASSWORD: Final = "a password that is told to nobody"


class Heard:
    """Everything that a link tells."""

    def __init__(self) -> None:
        self.connections = self.hints = 0
        self.reasons: list[str] = []
        self.refusals: list[str] = []

    def connected(self) -> None:
        self.connections += 1

    def disconnected(self, reason: str) -> None:
        self.reasons.append(reason)

    def refused(self, reason: str) -> None:
        self.refusals.append(reason)

    def heard(self) -> None:
        self.hints += 1


@asynccontextmanager
async def linked(url: str, **options: object) -> AsyncIterator[tuple[NatsLink, Heard]]:
    heard = Heard()
    link = NatsLink(NatsSettings.model_validate({"url": url} | options), heard)
    task = asyncio.create_task(link.last())
    yield link, heard
    task.cancel()
    await asyncio.wait({task}, timeout=PATIENCE)
    assert task.done()


@contextmanager
def answering(*said: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """A server that says this to whoever connects, piece by piece as it is answered; and what it was told."""
    told: list[bytes] = []

    class Answer(BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                for piece in said:
                    self.request.sendall(piece)
                    told.append(self.request.recv(65536))
                while more := self.request.recv(65536):
                    told.append(more)

    class Server(ThreadingTCPServer):
        allow_reuse_address = daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", free_port()), Answer) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"nats://127.0.0.1:{server.server_address[1]}", told
        server.shutdown()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningNats]:
    with running_nats(tmp_path) as running:
        yield running


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_RECONNECT_PAUSE", "_PING_SECONDS", "_LOOK_SECONDS"):
        monkeypatch.setattr(nats_link, name, 0.1)
    for name in ("_CONNECT_SECONDS", "_SILENCE"):
        monkeypatch.setattr(nats_link, name, 0.5)


def connected(*heard: Heard, times: int = 1) -> Callable[[], bool]:
    return lambda: all(each.connections >= times for each in heard)


async def test_what_one_tells_the_other_hears_and_not_itself(broker: RunningNats) -> None:
    async with linked(broker.url) as (one, of_one), linked(broker.url) as (_, of_other):
        await eventually(connected(of_one, of_other), pause=0.02)
        assert await one.publish()
        await eventually(lambda: of_other.hints == 1, pause=0.02)
        assert of_one.hints == 0


async def test_installations_with_subjects_of_their_own_do_not_hear_each_other(broker: RunningNats) -> None:
    async with (
        linked(broker.url, subject="east.changes") as (east, of_east),
        linked(broker.url, subject="west.changes") as (_, of_west),
        linked(broker.url, subject="east.changes") as (_, of_third),
    ):
        await eventually(connected(of_east, of_west, of_third), pause=0.02)
        assert await east.publish()
        await eventually(lambda: of_third.hints == 1, pause=0.02)
        assert of_west.hints == 0


async def test_a_broker_that_is_away_at_the_start_and_goes_and_comes_is_found_each_time(
    broker: RunningNats,
) -> None:
    broker.kill()
    async with linked(broker.url) as (link, heard):
        await eventually(lambda: bool(heard.reasons), pause=0.02)
        assert heard.reasons[0] == "it cannot be reached: Connection refused"
        assert not await link.publish()
        for times in (1, 2):
            broker.start()
            await eventually(connected(heard, times=times), pause=0.02)
            assert await link.publish()
            broker.kill()
            await eventually(lambda: heard.reasons[-1].startswith("it cannot be reached"), pause=0.02)
    assert "the connection was lost" in heard.reasons


async def test_a_frozen_broker_is_found_out_and_used_again_once_it_goes_on(broker: RunningNats) -> None:
    async with linked(broker.url) as (link, heard):
        await eventually(connected(heard), pause=0.02)
        broker.freeze()
        await eventually(lambda: "it cannot be reached: no answer" in heard.reasons, pause=0.02)
        assert not await link.publish()
        broker.thaw()
        await eventually(connected(heard, times=2), pause=0.02)
        assert await link.publish()


@pytest.mark.parametrize(
    "said",
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n",),
        (b"\x00\xff" * 100_000,),
        (b"INFO \xff\xfe\r\n",),
        (b"INFO []\r\n",),
        (b"INFO" + b"x" * 200_000 + b"\r\n",),
        (b'INFO {"max_payload":"many","connect_urls":7}\r\n', b"PONG\r\n"),
        (b"",),
        (INFO, b"-ERR 'Maximum Connections Exceeded'\r\n"),
        (INFO, b"PONG\r\nMSG \r\n\r\n"),
        (INFO, b"PONG\r\nINFO [1\r\n"),
        (INFO, b"PONG\r\n-ERR 'Secure Connection - TLS Required'\r\n"),
        (INFO, b"PONG\r\nMSG headroom.changes 1 99999999999\r\nx"),
    ],
    ids=lambda said: repr(said[-1][:16]),
)
async def test_whatever_answers_in_place_of_a_broker_is_said_and_the_next_one_is_used(
    said: tuple[bytes, ...], tmp_path: Path
) -> None:
    with answering(*said) as (url, _):
        async with linked(url) as (_, heard):
            await eventually(lambda: bool(heard.reasons), pause=0.02)
            assert all(len(reason) < 300 for reason in heard.reasons)
    with running_nats(tmp_path) as broker, answering(*said) as (url, _):
        async with (
            linked(f"{url},{broker.url}") as (link, _),
            linked(broker.url) as (_, other),
        ):
            await eventually(connected(other), pause=0.02)
            while not other.hints:
                await link.publish()
                await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    "right", [{"user": "headroom", "password": PASSWORD}, {"token": PASSWORD}], ids=["user", "token"]
)
async def test_a_password_or_a_token_lets_in_and_a_wrong_one_is_said_without_being_told(
    right: dict[str, str], tmp_path: Path
) -> None:
    options = ["--user", "headroom", "--pass", PASSWORD] if "user" in right else ["--auth", PASSWORD]
    with running_nats(tmp_path, *options) as broker:
        async with linked(broker.url, **right) as (link, heard):
            await eventually(connected(heard), pause=0.02)
            assert await link.publish()
        wrong = {name: f"{value}, but another" for name, value in right.items()}
        async with linked(broker.url, **wrong) as (_, heard):
            await eventually(lambda: bool(heard.reasons), pause=0.02)
            assert heard.reasons[0] == "'Authorization Violation'"


async def test_over_tls_the_server_and_the_client_know_each_other(tmp_path: Path) -> None:
    made_certificates(tmp_path)
    files = {"tlscert": "server.crt", "tlskey": "server.key", "tlscacert": "authority.crt"}
    options = [part for name, file in files.items() for part in (f"--{name}", str(tmp_path / file))]
    known = {"certificate_file": tmp_path / "client.crt", "key_file": tmp_path / "client.key"}
    with running_nats(tmp_path, "--tlsverify", *options) as broker:
        url, authority = broker.url.replace("nats:", "tls:"), {"ca_file": tmp_path / "authority.crt"}
        async with linked(url, **authority, **known) as (link, heard):
            await eventually(connected(heard), pause=0.02)
            assert await link.publish()
        async with linked(url, **known) as (_, heard):
            await eventually(lambda: bool(heard.reasons), pause=0.02)
            assert "unable to get local issuer certificate" in heard.reasons[0]
        async with linked(url, **authority) as (_, heard):
            await eventually(lambda: bool(heard.reasons), pause=0.02)


async def test_a_password_is_not_told_to_a_server_that_offers_no_tls_where_that_is_asked_for() -> None:
    with answering(INFO, b"PONG\r\n") as (url, told):
        for given in ({"user": "headroom", "password": PASSWORD}, {"token": PASSWORD}, {}):
            async with linked(url.replace("nats:", "tls:"), **given) as (_, heard):
                await eventually(lambda: bool(heard.reasons), pause=0.02)
                assert "it offers no TLS, which is asked for" in heard.reasons
        assert PASSWORD not in b"".join(told).decode()


async def test_what_the_broker_does_not_allow_is_said(tmp_path: Path) -> None:
    file = tmp_path / "nats.conf"
    file.write_text(
        'authorization { users = [{user: a, password: b, permissions: {publish: "x", subscribe: "x"}}] }\n'
    )
    with running_nats(tmp_path, "--config", str(file)) as broker:
        async with linked(broker.url, user="a", password="b") as (_, heard):
            await eventually(lambda: bool(heard.refusals), pause=0.02)
            assert "permissions violation for subscription" in heard.refusals[0]
