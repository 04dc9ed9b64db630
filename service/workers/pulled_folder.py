"""A source that is a folder: its files are taken one by one, the oldest first, each when it is whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from datetime import timedelta
from typing import Final, TypeVar

import structlog

from contract import quoted
from service.application_state import ApplicationState
from service.pull_feed import PullFeed
from service.pull_settings import FolderSource
from service.pulled_report import UnkeptError, take_pulled
from service.sensors.told_count import ReportError
from service.store.errors import StoreError, WaitingListFullError
from service.thread_pools import PoolFullError
from service.workers.drop_folder import TAKING, DropFolder, Dropped, End, FileTooLargeError, StillWrittenError

_PATIENCE: Final = 3
"""Looks at a file of which nothing can be read until it is refused: somebody may write it slowly."""

Result = TypeVar("Result")


class PulledFolder:
    def __init__(
        self,
        state: ApplicationState,
        organization: str,
        source: FolderSource,
        feed: PullFeed,
        executor: Executor,
    ) -> None:
        self._state = state
        self._organization = organization
        self._source = source
        self._feed = feed
        self._executor = executor
        self._folder = DropFolder(source.folder)
        self._log = structlog.get_logger("service.workers.pulled_folder").bind(source=source.name)
        self._said: dict[str, str] = {}
        """Name of a file, or empty for the folder -> what is amiss with it."""
        self._ended: dict[tuple[int, int, int], tuple[End, str]] = {}
        """What was decided of a file that could not be moved yet."""
        self._unread: dict[tuple[int, int, int], int] = {}
        """In how many looks nothing could be read of a file."""

    async def pull(self) -> timedelta:
        """Take all files that are whole; how long to wait then. What is amiss is in the feed, and in the log
        once.
        """
        await self._pull()
        return self._source.interval

    async def _pull(self) -> None:
        now = self._state.clock()
        try:
            files = await self._in_thread(self._folder.look)
        except OSError as error:
            trouble = f"the folder cannot be read and written: {error.strerror}"
            self._feed.not_read(now, trouble)
            self._say({"": trouble})
            return
        self._feed.read(now)
        unclaimed = self._folder.unclaimed.items()
        troubles = {name: f"cannot be moved to {TAKING}/: {why}" for name, why in unclaimed}
        for file in files:
            try:
                trouble = await self._take(file)
            except (StoreError, PoolFullError):
                # Of running totals the order counts: the rest waits behind it.
                troubles[""] = "reports cannot be stored; the log says why"
                break
            if trouble:
                troubles[file.name] = trouble
        marks = {file.mark for file in files}
        self._ended = {mark: end for mark, end in self._ended.items() if mark in marks}
        self._unread = {mark: looks for mark, looks in self._unread.items() if mark in marks}
        self._say(troubles)
        first = next((f"{quoted(name)} {why}" if name else why for name, why in troubles.items()), "")
        more = f"; and {len(troubles) - 1} more" if len(troubles) > 1 else ""
        self._feed.trouble = first + more

    async def _take(self, file: Dropped) -> str:
        """What is amiss with it, for which it stays; empty: nothing. Raises StoreError, PoolFullError."""
        try:
            end = self._ended.get(file.mark) or await self._decided(file)
            if end:
                self._ended[file.mark] = end
                await self._in_thread(self._folder.end, file, *end)
        except StillWrittenError:
            pass  # it is looked at again
        except FileNotFoundError:
            what = "after" if file.mark in self._ended else "before"
            self._log.warning(f"file vanished {what} it was read", file=quoted(file.name))
        except OSError as error:
            fault = error.strerror or type(error).__name__
            if decided := self._ended.get(file.mark):
                return f"is {decided[0].value}, and cannot be moved to where such files go: {fault}"
            return f"cannot be read: {fault}"
        except (WaitingListFullError, UnkeptError) as error:
            return str(error)
        return ""

    async def _decided(self, file: Dropped) -> tuple[End, str] | None:
        """Where it goes and why, once its counts are on disk; None: it is looked at again."""
        largest = self._state.settings.ingest_body_limit
        try:
            content = await self._in_thread(self._folder.read, file, largest)
            taken = await take_pulled(self._state, self._organization, self._source, content)
        except FileTooLargeError:
            return self._refused(
                file, f"it has more than {largest:,} bytes: split it, or use `counts import`"
            )
        except ReportError as error:
            self._unread[file.mark] = looks = self._unread.get(file.mark, 0) + 1
            if looks < _PATIENCE:
                return None
            return self._refused(file, str(error))
        except (StoreError, PoolFullError, WaitingListFullError, UnkeptError, OSError, StillWrittenError):
            raise
        except Exception:  # noqa: BLE001 - one file must not keep out all others
            self._log.exception("file not understood", file=quoted(file.name))
            return self._refused(file, "it could not be taken; the log of the service says where")
        self._feed.taken += 1
        for left_out in taken.left_out:
            self._log.info("left out of a file", file=quoted(file.name), what=left_out)
        return End.DONE, ""

    def _refused(self, file: Dropped, why: str) -> tuple[End, str]:
        self._feed.refused += 1
        self._log.warning("file refused", file=quoted(file.name), reason=why)
        return End.REFUSED, f"Nothing of this file was counted: {why}."

    def _say(self, troubles: dict[str, str]) -> None:
        """What is new of it."""
        for name, why in troubles.items():
            if self._said.get(name) != why:
                self._log.warning("source in trouble", **({"file": quoted(name)} if name else {}), reason=why)
        if self._said and not troubles:
            self._log.info("source works again")
        self._said = troubles

    async def _in_thread(self, work: Callable[..., Result], *arguments: object) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work, *arguments)
