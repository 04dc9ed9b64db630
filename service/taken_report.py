"""A counter's report on its way into the store, whichever way it came: read, then stored with what writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import NamedTuple

from service.application_state import ApplicationState
from service.sensors.counting import Outcome
from service.sensors.taking import take
from service.sensors.told_count import Report
from service.store.protocol import Store


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
    is_mapped: bool = False,
) -> TakenReport:
    """On disk when this returns. `is_mapped`: `read` is an adapter's of which that holds.

    Raises ReportError, WaitingListFullError, StoreError, PoolFullError: then nothing was stored.
    """
    if is_mapped:
        report = await state.mapping.run(organization_id, read, body)
    else:
        report = await state.parsed(organization_id, len(body), partial(read, body))

    def work(store: Store) -> Mapping[Outcome, int]:
        with store.sensors.writing() as rows:
            return take(rows, organization_id, maker, report, arrived)

    return TakenReport(await state.counts.run(work), report.left_out)
