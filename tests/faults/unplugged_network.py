"""A network between a browser and a server that can be unplugged: sockets stay open and nothing arrives."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread


class Network:
    """Forwards bytes to `host:port`. What passes through while it is off is lost, and so are connections that
    lived through it: as behind a router that has forgotten them. `hidden` is a path of the server that nobody
    finds behind it.
    """

    def __init__(self, host: str, port: int, *, hidden: str = "") -> None:
        self._target = (host, port)
        self._hidden = f"GET {hidden} ".encode() if hidden else b""
        self._loop = asyncio.new_event_loop()
        self._outages = 0
        self._is_off = False
        self._works: set[asyncio.Task[None]] = set()
        self.port = 0

    def unplug(self) -> None:
        self._is_off = True
        self._outages += 1

    def plug_in(self) -> None:
        self._is_off = False

    def run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    async def start(self) -> asyncio.Server:
        server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def end(self, server: asyncio.Server) -> None:
        server.close()
        for work in self._works:
            work.cancel()
        await asyncio.gather(*self._works, return_exceptions=True)
        self._loop.call_soon(self._loop.stop)

    @contextmanager
    def running(self) -> Iterator[str]:
        """Its address."""
        thread = Thread(target=self.run, name="network")
        thread.start()
        server = asyncio.run_coroutine_threadsafe(self.start(), self._loop).result(30)
        try:
            yield f"http://127.0.0.1:{self.port}"
        finally:
            asyncio.run_coroutine_threadsafe(self.end(server), self._loop).result(30)
            thread.join(30)
            self._loop.close()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        work = asyncio.current_task()
        assert work is not None
        self._works.add(work)
        began = self._outages
        try:
            with suppress(ConnectionError, asyncio.CancelledError):
                there_reader, there_writer = await asyncio.open_connection(*self._target)
                try:
                    await asyncio.gather(
                        self._forward(reader, there_writer, began),
                        self._forward(there_reader, writer, began),
                    )
                finally:
                    there_writer.transport.abort()
        finally:
            writer.transport.abort()
            self._works.discard(work)

    async def _forward(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, began: int) -> None:
        while data := await source.read(65_536):
            if self._is_off or self._outages != began:
                continue
            if self._hidden and data.startswith(self._hidden):
                data = data.replace(self._hidden, self._hidden[:-2] + b"- ", 1)
            target.write(data)
            await target.drain()
        if not self._is_off and self._outages == began:
            target.close()
