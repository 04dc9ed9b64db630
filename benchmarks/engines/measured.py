"""One engine from step to step."""

from __future__ import annotations

import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.engines.engine import Engine, asked_of
from benchmarks.engines.live import latest_of_all, live_figures
from benchmarks.engines.sizes import ASKED, Calendar, Growth, Step
from benchmarks.engines.writers import WRITERS, posts_a_second
from contract.minutes import minute_number

RUNS: Final = 15
POSTS: Final = 100
Tell = Callable[[str], None]

LOADED: Final = "rows loaded a second, a month of a site at once"
ADDED: Final = "rows loaded a second, days of a site at once"
BYTES: Final = "bytes a row"


class Found(NamedTuple):
    step: Step
    rows: int
    """Minute rows of zones that were there, from the load; posts come on top."""
    figures: dict[str, float]


def measured(engine: Engine, steps: Sequence[Step], calendar: Calendar, tell: Tell) -> Iterator[Found]:
    growth, known = Growth(calendar), 0
    for step in steps:
        tell(f"{engine.name}: {step.sites:,} sites, {step.days} days")
        begun = time.perf_counter()
        if step.sites > known:
            engine.add_sites(known, step.sites)
            known = step.sites
        figures = {"sites named, s": time.perf_counter() - begun}
        figures |= _load(engine, growth, step, tell)
        figures |= engine.settle()
        figures[BYTES] = engine.bytes_used() / growth.rows
        for name, value in _asked(engine, step, calendar):
            figures[name] = value
        tell(", ".join(f"{name} {value:,.1f}" for name, value in figures.items()))
        yield Found(step, growth.rows, figures)


def _load(engine: Engine, growth: Growth, step: Step, tell: Tell) -> dict[str, float]:
    """Rows a second, apart for the site that is asked, whose pieces are larger."""
    told = time.perf_counter()
    rows: Counter[str] = Counter()
    seconds: defaultdict[str, float] = defaultdict(float)
    for piece in growth.up_to(step):
        name, begun = LOADED if piece.site == ASKED else ADDED, time.perf_counter()
        engine.load(piece)
        now = time.perf_counter()
        rows[name] += piece.rows
        seconds[name] += now - begun
        if now > told + 20:
            told = now
            tell(f"  {growth.rows / 1e6:.1f} million rows, {rows[name] / seconds[name]:,.0f} a second")
    return {name: count / seconds[name] for name, count in rows.items()}


def _asked(engine: Engine, step: Step, calendar: Calendar) -> Iterator[tuple[str, float]]:
    times = _posts(engine, step.sites)
    yield "a post of 8 counts, p50", statistics.median(times)
    yield "a post of 8 counts, p99", float(np.percentile(times, 99))
    yield f"posts a second, {WRITERS} writers", posts_a_second(engine.poster, step.sites)
    for asked in asked_of(calendar):
        start, end = calendar.span(asked.first, asked.days)
        yield asked.name, p50(engine.asks(asked, start, end))
    # What others have stored meanwhile is read before, as a service's watch does.
    yield "newest of all sites, the store's call", p50(engine.latest(step.sites))
    serving = engine.served()
    if serving is None:
        return
    begun = time.perf_counter()
    with serving as served:
        yield "a service starts, s", time.perf_counter() - begun
        yield "newest of all sites, one request", statistics.median(latest_of_all(served, RUNS, step.sites))
        yield from live_figures(served, step.sites).items()


def _posts(engine: Engine, sites: int) -> list[float]:
    """Milliseconds each."""
    post, times = engine.post, []
    for number in range(POSTS + 1):
        begun = time.perf_counter()
        post(number % sites, minute_number(datetime.now(UTC)))
        times.append(1000 * (time.perf_counter() - begun))
    return times[1:]


def p50(ask: Callable[[], Any]) -> float:
    """Milliseconds, after one to warm up."""
    ask()
    times = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        ask()
        times.append(1000 * (time.perf_counter() - begun))
    return statistics.median(times)
