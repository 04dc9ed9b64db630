"""Debian's ClickHouse, which is of 2018, for what only a cluster shows: two shards, and before them one HTTP
server that says in words of then what is asked in words of today.

It keeps all that out of the product: no codecs, no ZooKeeper (so that there are no replicas, and statements
for the whole cluster are sent to each shard here), other names of settings.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import parse_qs, urlparse

import httpx

from tests.running_service import free_port
from tests.served_chdb import body_of

CLUSTER: Final = "shards"
_SETTINGS: Final = {"distributed_foreground_insert": "insert_distributed_sync"}
"""Those that the product sets, as they were called."""
_UNKNOWN_THEN: Final = ("optimize_skip_unused_shards",)
"""Likewise, which this server does in their place: a query of one site asks one shard."""
_SITE: Final = re.compile(r"site = ('(?:[^'\\]|\\.)*')")
_TABLE: Final = re.compile(r"FROM (`\w+`)\.(\w+)")
_WRITTEN: Final = re.compile(rb"Wrote 1 blocks and [1-9]\d* rows on shard (\d)")
_INSERT: Final = re.compile(r"^(INSERT INTO `?\w+`?\.`?\w+)(`?)")
"""It sends each shard a block, also one without rows, and fails where that shard is away; today it does not.
All rows of an insert are of one site: the shard of which it says that it had them gets them by itself.
"""
_STARTING: Final = 30.0

_CONFIG: Final = """<yandex>
<logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><users_config>{folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>100000000</mark_cache_size><remote_servers><{cluster}>{shards}</{cluster}></remote_servers>
</yandex>"""
_SHARD: Final = "<shard><replica><host>127.0.0.1</host><port>{tcp}</port></replica></shard>"
_USERS: Final = """<yandex>
<profiles><default><max_threads>2</max_threads><connect_timeout_with_failover_ms>200</connect_timeout_with_failover_ms>
</default></profiles><quotas><default></default></quotas><users><default><password></password>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>"""


@dataclass
class Shard:
    folder: Path
    http: int
    tcp: int
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Returns once it answers."""
        program = shutil.which("clickhouse-server", path="/usr/bin:/usr/sbin:/usr/local/bin")
        assert program, "`scripts/clickhouse` installs it"
        null = subprocess.DEVNULL
        self._process = subprocess.Popen(
            [program, f"--config-file={self.folder / 'config.xml'}"], stdin=null, stdout=null, stderr=null
        )
        deadline = time.monotonic() + _STARTING
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{self.http}/").raise_for_status()
            except httpx.HTTPError:
                assert self._process.poll() is None, (self.folder / "errors").read_text()
                assert time.monotonic() < deadline
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def ask(self, text: str) -> str:
        """In words of then; the answer as text."""
        answer = httpx.post(f"http://127.0.0.1:{self.http}/", content=text, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.text


@dataclass(frozen=True)
class TwoShards:
    port: int
    """Of the HTTP server before them, which asks the first."""
    shards: tuple[Shard, Shard]

    def url(self, database: str) -> str:
        return f"clickhouse://127.0.0.1:{self.port}/{database}?cluster={CLUSTER}&answer_seconds=10"


@contextmanager
def two_shards(folder: Path) -> Iterator[TwoShards]:
    """All of it ends with the block."""
    tcp = [free_port(), free_port()]
    shards = Shard(folder / "0", free_port(), tcp[0]), Shard(folder / "1", free_port(), tcp[1])
    known = "".join(_SHARD.format(tcp=port) for port in tcp)
    with ExitStack() as ended:
        for shard in shards:
            shard.folder.mkdir()
            told = {"folder": shard.folder, "http": shard.http, "tcp": shard.tcp}
            config = _CONFIG.format(**told, cluster=CLUSTER, shards=known)
            (shard.folder / "config.xml").write_text(config)
            (shard.folder / "users.xml").write_text(_USERS)
            ended.callback(shard.kill)
            shard.start()
        handler = type("Handler", (_Handler,), {"ports": [shard.http for shard in shards], "within": tcp})
        server = _Server(("127.0.0.1", 0), handler)
        ended.callback(server.server_close)
        ended.callback(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield TwoShards(server.server_port, shards)


class _Server(ThreadingHTTPServer):
    def handle_error(self, *of: Any) -> None:
        """Whoever asked may be gone, which is no fault of this server."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(*of)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    ports: ClassVar[list[int]]
    """Of each shard's HTTP interface."""
    within: ClassVar[list[int]]
    """By which the shards ask each other."""

    def do_GET(self) -> None:
        self._answer(200, b"Ok.\n")

    def do_POST(self) -> None:
        asked = {name: values[-1] for name, values in parse_qs(urlparse(self.path).query).items()}
        body = body_of(self)
        head, separator, rows = body.partition(b" FORMAT Native\n")
        text = asked.get("query") or (head + (b" FORMAT Native" if separator else b"")).decode()
        data = body if "query" in asked else rows
        settings = {_SETTINGS[name]: value for name, value in asked.items() if name in _SETTINGS}
        entry = self._entry()
        text, ports = _as_then(text), self.ports if " ON CLUSTER " in text else [entry]
        if (site := _SITE.search(text)) and (table := _TABLE.search(text)):
            number = f"SELECT cityHash64({site[1]}) % {len(self.ports)}"
            _, chosen = _asked(entry, number, b"", {})
            if not chosen.strip().isdigit():
                self._answer(500, chosen)
                return
            there = f"FROM remote('127.0.0.1:{self.within[int(chosen)]}', {table[1]}, {table[2]}_local)"
            text = text.replace(table[0], there)
        for port in ports:
            status, answer = _asked(port, text, data, settings)
            if status != 200 and (written := _WRITTEN.search(answer)):
                local = _INSERT.sub(r"\1_local\2", text)
                status, answer = _asked(self.ports[int(written[1])], local, data, {})
            if status != 200:
                break
        self._answer(status, answer)

    def _entry(self) -> int:
        """A shard that is there: each knows the others."""
        there = (port for port in self.ports if _asked(port, "SELECT 1", b"", {})[0] == 200)
        return next(there, self.ports[0])

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        return


def _asked(port: int, text: str, data: bytes, settings: Mapping[str, str]) -> tuple[int, bytes]:
    try:
        address = f"http://127.0.0.1:{port}/"
        answer = httpx.post(address, params={"query": text, **settings}, content=data, timeout=60)
    except httpx.TransportError as error:
        return 500, str(error).encode()
    return answer.status_code, answer.content


def _as_then(text: str) -> str:
    text = re.sub(r" CODEC\((?:[^()]|\([^()]*\))*\)", "", text)
    text = re.sub(r" ON CLUSTER `\w+`", "", text)
    text = re.sub(r"ReplicatedReplacingMergeTree\('[^']*', '[^']*', ", "ReplacingMergeTree(", text)
    if "system.settings" in text:
        more = " UNION ALL ".join(
            f"SELECT '{name}', '0', toUInt8(0)" for name in (*_SETTINGS, *_UNKNOWN_THEN)
        )
        form = " FORMAT Native" if "FORMAT Native" in text else ""
        return f"SELECT name, value, toUInt8(0) AS readonly FROM system.settings UNION ALL {more}{form}"
    return text
