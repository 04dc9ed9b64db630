"""A counter's report on its way into the store, whichever way it came: read, then stored with what writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from service.application_state import ApplicationState
from service.sensors.taking import Outcome, take
from service.sensors.told_count import Report
from service.store.protocol import Store

_SMALL: Final = 16 * 1024
"""Bytes of a body that is parsed at once: done before a thread would have begun."""


class TakenReport(NamedTuple):
    outcomes: Mapping[Outcome, int]
    """How many of its counts became what."""
    left_out: tuple[str, ...]
    """What stands in it and is not counted, in words."""


async def take_report(
    state: ApplicationState,
    organization_id: str,
    maker: str,
    read: Callable[[bytes], Report],
    *,
    body: bytes,
    arrived: datetime,
) -> TakenReport:
    """On disk when this returns.

    Raises ReportError, WaitingListFullError, StoreError, PoolFullError: then nothing was stored.
    """
    if len(body) <= _SMALL:
        report = read(body)
    else:
        report = await state.parsing.run(organization_id, read, body)

    def work(store: Store) -> Mapping[Outcome, int]:
        with store.sensors.writing() as rows:
            return take(rows, organization_id, maker, report, arrived)

    return TakenReport(await state.counts.run(work), report.left_out)
