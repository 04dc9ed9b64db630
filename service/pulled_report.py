"""What was pulled on its way into the store: as what was pushed, but for what only a pull brings.

An answer has the interval that still runs: its people are told once it is over, as the first number that is
told of an interval is the one that counts. And it may reach far back: what is older than counts may be is
left out, where a push is of when it arrives, as nobody sends last month's files by a clock that is wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from datetime import datetime
from hashlib import sha256
from typing import Final, NamedTuple

from contract import listed
from service.application_state import ApplicationState
from service.exception_handlers import ServiceError
from service.ingest.count_batch import read_count_batch
from service.ingest.count_report import CountReport
from service.ingest.count_rows_csv import read_count_csv
from service.kept_mapping import adapter_of
from service.pull_settings import COUNTS_CSV, COUNTS_JSON, FolderSource, Source
from service.sensors.adapters import ADAPTERS
from service.sensors.adapters.generic import generic_adapter
from service.sensors.counting import Outcome
from service.sensors.crossings import LATEST
from service.sensors.exports import EXPORTS
from service.sensors.told_count import Kind, Report, ReportError, ToldCount
from service.store.errors import FoldedCountsError, IdempotencyConflictError, UnknownPassageError
from service.store.protocol import PassageCount, WriteMode
from service.taken_report import take_report

_OLDEST: Final = f"counts of more than {LATEST.days} days ago: `counts import` takes them"


class UnkeptError(RuntimeError):
    """As much waits of a line that nobody has placed as may, or the mapping that reads it cannot be used:
    what is not kept is pulled again.
    """


class Pulled(NamedTuple):
    counts: int
    left_out: tuple[str, ...]
    """What stands in it and is not counted, in words."""
    told: Collection[ToldCount]
    """All that is over; empty for our own formats."""


async def take_pulled(
    state: ApplicationState,
    organization_id: str,
    source: Source,
    body: bytes,
    known: Collection[ToldCount] = (),
) -> Pulled:
    """On disk when this returns. `known`: what was told before and is on disk is not stored again.

    Raises ReportError, where nothing of it can be taken; and UnkeptError, WaitingListFullError, StoreError,
    PoolFullError, where it is to be tried again.
    """
    try:
        if source.format in (COUNTS_JSON, COUNTS_CSV):
            return await _take_counts(state, organization_id, source, body)
        return await _take_report(state, organization_id, source, body, known)
    except ServiceError as error:
        raise ReportError(_said(error)) from error
    except (UnknownPassageError, FoldedCountsError) as error:
        raise ReportError(str(error)) from error


async def _take_report(
    state: ApplicationState,
    organization_id: str,
    source: Source,
    body: bytes,
    known: Collection[ToldCount],
) -> Pulled:
    maker, read = await _kept_reading(state, organization_id, source) or reading_of(source)
    arrived = state.clock()
    over: list[ToldCount] = []

    def told(body: bytes) -> Report:
        report = read(body)
        report = bounded(report, arrived, is_growing=not isinstance(source, FolderSource))
        over.extend(report.counts)
        news = tuple(one for one in report.counts if one not in known)
        # One is told again, so that the counter is heard.
        return report._replace(counts=news or report.counts[-1:])

    is_mapped = bool(source.mapping or source.kept_mapping)
    taken = await take_report(
        state, organization_id, maker, told, body=body, arrived=arrived, is_mapped=is_mapped
    )
    if unkept := taken.outcomes.get(Outcome.UNKEPT):
        raise UnkeptError(f"{unkept} counts of a line that nobody has placed are not kept: place the counter")
    return Pulled(sum(taken.outcomes.values()), taken.left_out, frozenset(over))


async def _take_counts(state: ApplicationState, organization_id: str, source: Source, body: bytes) -> Pulled:
    """They are set, not added: what is pulled again, and grew meanwhile, is what it is."""
    limit, now = state.settings.ingest_count_limit, state.clock()
    read = read_count_csv if source.format == COUNTS_CSV else read_count_batch

    def report() -> CountReport:
        counts = summed(read(body, now, limit))
        digest = sha256(body).hexdigest()
        # A file that was counted and could not be moved must not undo what a later one said.
        known = (f"{organization_id} pulled {source.name} {digest}", digest)
        is_file = isinstance(source, FolderSource)
        return CountReport(
            counts,
            organization_id=organization_id,
            idempotency=known if is_file else None,
            mode=WriteMode.SET,
        )

    made = await state.parsed(organization_id, len(body), report)
    if made.counts:
        try:
            await state.counts.store(made)
        except IdempotencyConflictError as error:  # a digest has one content
            raise ReportError(str(error)) from error
    return Pulled(len(made.counts), (), ())


async def _kept_reading(
    state: ApplicationState, organization_id: str, source: Source
) -> tuple[str, Callable[[bytes], Report]] | None:
    """Of the mapping as it is kept by now; None where the source names none. Raises StoreError; UnkeptError
    where none can be used: what waits to be read is not to be put aside for that.
    """
    if not source.kept_mapping:
        return None
    mappings = state.store.mappings
    try:
        adapter = await asyncio.to_thread(adapter_of, mappings, organization_id, source.kept_mapping)
    except ReportError as error:
        raise UnkeptError(f"{error}; what is pulled is read once it can be") from error
    return adapter.maker, adapter.read


def reading_of(source: Source) -> tuple[str, Callable[[bytes], Report]]:
    """The maker, and what reads a body, which is pure and raises ReportError. Neither of our own formats nor
    of a mapping that is kept.
    """
    if source.mapping:
        adapter = generic_adapter(source.mapping)
        return adapter.maker, adapter.read
    if (export := EXPORTS.get(source.format)) is None:
        return source.format, ADAPTERS[source.format].read
    serial, zone = source.serial or "", source.zone
    return export.maker, lambda body: export.read(body, serial, zone)


def bounded(report: Report, now: datetime, *, is_growing: bool) -> Report:
    """Without what is too old and, of an answer that grows, the intervals that are not over. Times without
    an offset are not judged: only the site knows of when they are.
    """
    counts, left_out = [], list(report.left_out)
    for one in report.counts:
        if one.end.tzinfo and one.end < now - LATEST:
            left_out.append(_OLDEST)
        elif not (is_growing and one.kind is Kind.INTERVAL and one.end.tzinfo and one.end > now):
            counts.append(one)
    return Report(tuple(counts), report.statuses, tuple(dict.fromkeys(left_out)))


def summed(counts: Collection[PassageCount]) -> list[PassageCount]:
    """Those of the same passage and minute are one."""
    sums: dict[tuple[str, int], tuple[int, int]] = {}
    for passage_id, minute, forward, backward in counts:
        before = sums.get((passage_id, minute), (0, 0))
        sums[passage_id, minute] = before[0] + forward, before[1] + backward
    return [PassageCount(*where, *people) for where, people in sums.items()]


def _said(error: ServiceError) -> str:
    """With the first of what is wrong by field."""
    details = [f"{field} {fault}" for one in error.entries for field, fault in (one.details or {}).items()]
    more = f": {listed(details[:5])}" if details else ""
    return str(error).removeprefix("Nothing was stored: ").rstrip(".") + more
