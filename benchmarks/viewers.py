"""Viewers of a live page, many in one process: what a browser does on the wire, without drawing.

`relay` opens event streams as gauge.js does. `fragment` opens Streamlit sessions over their websocket and
asks for each fragment again at the interval the server names, as Streamlit's own front end does.
Prints one line of JSON: viewers that connected, updates they received, seconds of the measured window.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

CONNECTIONS_AT_ONCE = 50


class Counters:
    """What all viewers of this process saw; `counting` is on during the measured window only."""

    def __init__(self) -> None:
        self.counting = False
        self.connected = 0
        self.updates = 0

    def update(self) -> None:
        if self.counting:
            self.updates += 1


async def watch_relay(url: str, counters: Counters, gate: asyncio.Semaphore) -> None:
    """One event stream; each `change` event is an update."""
    parts = urlsplit(url)
    async with gate:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        writer.write(
            f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            "Accept: text/event-stream\r\n\r\n".encode()
        )
        status = await reader.readline()
        if b" 200 " not in status:
            raise SystemExit(f"the relay answered {status.decode().strip()}")
    counters.connected += 1
    while line := await reader.readline():
        if line.startswith(b"event: change"):
            counters.update()


async def watch_fragment(url: str, counters: Counters, gate: asyncio.Semaphore) -> None:
    """One Streamlit session; each finished fragment run is an update."""
    known: Counter[str] = Counter()
    async with asyncio.TaskGroup() as repeats:
        async with gate:
            socket = await connect(url, subprotocols=["streamlit"], max_size=None)  # type: ignore[list-item]
            first = BackMsg()
            first.rerun_script.query_string = ""
            await socket.send(first.SerializeToString())
        counters.connected += 1
        async for raw in socket:
            message = ForwardMsg()
            message.ParseFromString(raw if isinstance(raw, bytes) else raw.encode())
            kind = message.WhichOneof("type")
            if kind == "auto_rerun" and not known[message.auto_rerun.fragment_id]:
                known[message.auto_rerun.fragment_id] += 1
                repeats.create_task(repeat(socket, message.auto_rerun))
            elif kind == "script_finished":
                counters.update()


async def repeat(socket, request) -> None:  # type: ignore[no-untyped-def]  # protobuf and a union
    while True:
        await asyncio.sleep(request.interval)
        again = BackMsg()
        again.rerun_script.fragment_id = request.fragment_id
        again.rerun_script.is_auto_rerun = True
        await socket.send(again.SerializeToString())


async def run(kind: str, url: str, viewers: int, seconds: float) -> dict[str, float]:
    counters = Counters()
    gate = asyncio.Semaphore(CONNECTIONS_AT_ONCE)
    watch = watch_relay if kind == "relay" else watch_fragment
    tasks = [asyncio.create_task(watch(url, counters, gate)) for _ in range(viewers)]
    while counters.connected < viewers:
        failed = [task for task in tasks if task.done()]
        if failed:
            failed[0].result()
        await asyncio.sleep(0.1)
    await asyncio.sleep(3)
    print(json.dumps({"ready": counters.connected}), flush=True)
    counters.counting = True
    began = time.monotonic()
    await asyncio.sleep(seconds)
    counters.counting = False
    took = time.monotonic() - began
    for task in tasks:
        task.cancel()
    return {"viewers": counters.connected, "updates": counters.updates, "seconds": took}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["relay", "fragment"])
    parser.add_argument("url")
    parser.add_argument("--viewers", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=20)
    chosen = parser.parse_args()
    print(json.dumps(asyncio.run(run(chosen.kind, chosen.url, chosen.viewers, chosen.seconds))), flush=True)


if __name__ == "__main__":
    main()
