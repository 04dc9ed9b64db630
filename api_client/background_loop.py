"""An event loop in a thread of its own, on which other threads run coroutines and wait for them.

A blocked read of a socket can neither be ended from outside nor held to a deadline that spans several reads;
a task of asyncio can. So also callers without an event loop do their asking on one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from threading import Event, Thread
from typing import Any, Final, TypeVar

_JOIN: Final = 1.0
"""Seconds."""

Content = TypeVar("Content")


class LoopEndedError(RuntimeError):
    """The loop has ended, before or while the coroutine ran."""


class BackgroundLoop:
    """Runs until `end`; `at_end` is awaited in it last."""

    def __init__(self, name: str, at_end: Callable[[], Awaitable[None]]) -> None:
        self._at_end = at_end
        self._waiting: set[Future[Any]] = set()
        self._begun_tasks: set[asyncio.Task[Any]] = set()
        self._is_ending = False
        self._is_over = False
        self._ready = Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        self._ready.wait()

    def run(self, work: Coroutine[Any, Any, Content]) -> Content:
        """What `work` returns or raises. Not to be called within the loop. Raises LoopEndedError."""
        begun = self._begun(work)
        try:
            outcome = asyncio.run_coroutine_threadsafe(begun, self._loop)
        except RuntimeError as error:
            _drop(begun, work)
            raise LoopEndedError("The loop has ended.") from error
        self._waiting.add(outcome)
        if self._is_over:
            outcome.cancel()
        try:
            return outcome.result()
        except CancelledError as error:
            _drop(begun, work)
            raise LoopEndedError("The loop has ended.") from error
        finally:
            self._waiting.discard(outcome)

    def end(self) -> None:
        """Cancel what runs, without waiting. From any thread or signal handler, more than once."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._stop.set)

    def close(self) -> None:
        """`end`, and wait for it."""
        self.end()
        self._thread.join(_JOIN)

    async def _begun(self, work: Coroutine[Any, Any, Content]) -> Content:
        if self._is_ending:
            _drop(work)
            raise LoopEndedError("The loop has ended.")
        task = asyncio.current_task()
        assert task
        self._begun_tasks.add(task)
        try:
            return await work
        finally:
            self._begun_tasks.discard(task)

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        finally:
            self._is_over = True
            # What was handed over too late to be begun.
            for outcome in list(self._waiting):
                outcome.cancel()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._ready.set()
        await self._stop.wait()
        self._is_ending = True
        # Not all tasks: those that these have begun are theirs to end. A child of an anyio task group that is
        # cancelled from outside before its first step leaves a coroutine that was never awaited.
        working = list(self._begun_tasks)
        for task in working:
            task.cancel()
        await asyncio.gather(*working, return_exceptions=True)
        await self._at_end()


def _drop(*work: Coroutine[Any, Any, Any]) -> None:
    """End what has ended or was never begun: Python warns of a coroutine that was not."""
    for one in work:
        one.close()
