"""The real Mosquitto on a free port, with the limits that are shipped, and clients as counters have them."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from paho.mqtt.client import Client, MQTTMessageInfo
from paho.mqtt.enums import CallbackAPIVersion

from tests.running_service import ROOT, free_port

CONFIGURATION: Final = ROOT / "deploy" / "mosquitto" / "headroom.conf"
OF_THE_TESTS: Final = ("listener", "certfile", "keyfile", "allow_anonymous", "password_file")
"""What a test sets as it needs; the rest is as it is shipped."""
DEADLINE: Final = 60.0
WHERE: Final = f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin"
AROUND: Final = """
user {user}
persistence true
persistence_location {folder}/
log_dest file {folder}/mosquitto.log
log_type all
listener {port} 127.0.0.1
"""


@dataclass
class RunningMosquitto:
    folder: Path
    port: int
    lines: Sequence[str]
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        """On the same port, with what it kept."""
        mosquitto = shutil.which("mosquitto", path=WHERE)
        assert mosquitto, "mosquitto is not installed: scripts/mosquitto does it"
        shipped = [
            line for line in CONFIGURATION.read_text().splitlines() if not line.startswith(OF_THE_TESTS)
        ]
        own = AROUND.format(user=getpass.getuser(), folder=self.folder, port=self.port).splitlines()
        file = self.folder / "mosquitto.conf"
        file.write_text("\n".join([*shipped, *own, *self.lines]) + "\n")
        with (self.folder / "start.log").open("ab") as log:
            self.process = subprocess.Popen([mosquitto, "-c", str(file)], stdout=log, stderr=log)
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            assert self.process.poll() is None, (self.folder / "start.log").read_text() + self.log()
            with socket.socket() as connection:
                if connection.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise RuntimeError("mosquitto did not listen in time")

    def stop(self) -> None:
        """End it as an operator would: it writes what it keeps."""
        if self.process:
            self.process.terminate()
            self.process.wait(DEADLINE)

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process:
            self.process.kill()
            self.process.wait(DEADLINE)

    def log(self) -> str:
        file = self.folder / "mosquitto.log"
        return file.read_text() if file.exists() else ""

    @contextmanager
    def counter(self, *, name: str = "", will: tuple[str, bytes] | None = None) -> Iterator[Counter]:
        """A client that reports."""
        client = Client(CallbackAPIVersion.VERSION2, name)
        if will:
            client.will_set(*will, qos=1, retain=True)
        client.connect("127.0.0.1", self.port)
        client.loop_start()
        try:
            yield Counter(client)
        finally:
            client.disconnect()
            client.loop_stop()


@dataclass(frozen=True)
class Counter:
    client: Client

    def report(self, topic: str, payload: bytes | str, quality: int = 1) -> None:
        """Returns when the broker has it."""
        self.send(topic, payload, quality).wait_for_publish(DEADLINE)

    def send(self, topic: str, payload: bytes | str, quality: int = 1) -> MQTTMessageInfo:
        return self.client.publish(topic, payload, qos=quality)

    def vanish(self) -> None:
        """Without a word, as without power: the broker sends its last will."""
        connection = self.client.socket()
        assert isinstance(connection, socket.socket)
        self.client.loop_stop()
        connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def running_mosquitto(folder: Path, *lines: str) -> Iterator[RunningMosquitto]:
    """Anybody may connect, unless `lines` of the configuration say otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    broker = RunningMosquitto(folder, free_port(), lines or ("allow_anonymous true",))
    broker.start()
    try:
        yield broker
    finally:
        broker.stop()


_NEW = "req -new -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1"
"""A key of RSA takes longer to find than most tests take."""


def made_certificates(folder: Path) -> None:
    """An authority, and what it signed: of a server at 127.0.0.1 and of a client, each `.crt` with `.key`."""
    folder.mkdir(parents=True, exist_ok=True)
    _openssl(folder, f"{_NEW} -x509 -days 2 -subj /CN=authority -keyout authority.key -out authority.crt")
    for name in ("server", "client"):
        _openssl(folder, f"{_NEW} -subj /CN={name} -keyout {name}.key -out {name}.csr")
        (folder / f"{name}.ext").write_text("subjectAltName = IP:127.0.0.1\n")
        _openssl(
            folder,
            f"x509 -req -days 2 -in {name}.csr -CA authority.crt -CAkey authority.key -CAcreateserial"
            f" -extfile {name}.ext -out {name}.crt",
        )


def _openssl(folder: Path, command: str) -> None:
    subprocess.run(["openssl", *command.split()], cwd=folder, check=True, capture_output=True)
