"""Several processes that post at once, each for sites of its own."""

from __future__ import annotations

import multiprocessing
import time
from datetime import UTC, datetime
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from typing import Final

from benchmarks.engines.engine import Poster
from contract.minutes import minute_number

WRITERS: Final = 4
_SECONDS: Final = 5.0
_PATIENCE: Final = 600.0


def posts_a_second(poster: Poster, sites: int, writers: int = WRITERS) -> float:
    """Of all of them together, from when the last has opened what it writes to."""
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(writers)
    posted: Queue[float] = context.Queue()
    processes = [
        context.Process(target=_post, args=(poster, range(number, sites, writers), ready, posted))
        for number in range(writers)
    ]
    for process in processes:
        process.start()
    try:
        rates = [posted.get(timeout=_PATIENCE) for _ in processes]
    finally:
        for process in processes:
            process.join(_SECONDS)
            process.kill()
    return sum(rates)


def _post(poster: Poster, sites: range, ready: Barrier, posted: Queue[float]) -> None:
    with poster.opened() as post:
        ready.wait(_PATIENCE)
        count, begun = 0, time.perf_counter()
        while (passed := time.perf_counter() - begun) < _SECONDS:
            # Where there are fewer sites than writers, some have the same.
            post(sites[count % len(sites)] if sites else 0, minute_number(datetime.now(UTC)))
            count += 1
    posted.put(count / passed)
