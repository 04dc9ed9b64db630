"""The plan before a run, and its tables after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from benchmarks.engines.measured import BYTES, LOADED, Found
from benchmarks.engines.sizes import YEAR, Calendar, Step, rows_after
from benchmarks.store import ZONES
from contract.minutes import MINUTES_A_DAY

_LOADING: Final = {
    "file": (125_000, 0.01),
    "PostgreSQL": (90_000, 0.05),
    "archive": (60_000, 0.05),
    "plain": (300_000, 0.003),
}
"""Rows a second, and seconds that a site takes besides, about; the archive's with what is brought there."""
_BYTES_A_ROW: Final = 250
"""The most that any engine has taken, with what it writes beside."""
_ASKING_MINUTES: Final = 0.8
_MINUTES_A_THOUSAND_SITES: Final = 0.3
GIGABYTE: Final = 1e9
ON_PAPER: Final = ((100, YEAR), (1_000, YEAR), (5_000, 30))


class Planned(NamedTuple):
    step: Step
    rows: int
    minutes: float
    """That it takes besides those before it."""
    why_not: str | None
    """It is left out."""


def planned(
    steps: Sequence[Step], calendar: Calendar, engines: Sequence[str], free_bytes: int, most_minutes: float
) -> list[Planned]:
    found: list[Planned] = []
    rows_before, sites_before, spent, kept = 0, 0, 0.0, list[Step]()
    for step in steps:
        rows = rows_after([*kept, step], calendar)
        asking = _ASKING_MINUTES + _MINUTES_A_THOUSAND_SITES * step.sites / 1000
        sites = max(step.sites - sites_before, 0)
        loading = (
            (rows - rows_before) / rows_a_second + seconds_a_site * sites
            for rows_a_second, seconds_a_site in map(_LOADING.__getitem__, engines)
        )
        minutes = sum(loading) / 60 + len(engines) * asking
        why_not = None
        if rows * _BYTES_A_ROW > free_bytes:
            why_not = f"needs {rows * _BYTES_A_ROW / GIGABYTE:.0f} GB of disk"
        elif spent + minutes > most_minutes:
            why_not = f"would take {minutes:.0f} min more, of {most_minutes:.0f}"
        else:
            kept.append(step)
            rows_before, sites_before, spent = rows, step.sites, spent + minutes
        found.append(Planned(step, rows, minutes, why_not))
    return found


def table(found: Mapping[str, Sequence[Found]], steps: Sequence[Step]) -> Iterator[str]:
    """Markdown; times in ms, and in brackets the ratio to the first engine's."""
    for place, step in enumerate(steps):
        columns = {name: rows[place] for name, rows in found.items() if place < len(rows)}
        if not columns:
            continue
        first = next(iter(columns.values()))
        yield f"\n**{step.sites:,} sites x {ZONES} zones, {first.rows / 1e6:.1f} million minute rows**\n"
        yield "| | " + " | ".join(columns) + " |"
        yield "|---" * (1 + len(columns)) + "|"
        names = dict.fromkeys(name for one in columns.values() for name in one.figures)
        for name in names:
            told = (_told(one.figures.get(name), first.figures.get(name)) for one in columns.values())
            yield f"| {name} | " + " | ".join(told) + " |"


def _told(value: float | None, first: float | None) -> str:
    if value is None:
        return ""
    digits = 0 if value >= 1000 else 1 if value >= 10 else 2
    ratio = f" ({value / first:.2f})" if first else ""
    return f"{value:,.{digits}f}{ratio}"


def bends(found: Mapping[str, Sequence[Found]]) -> Iterator[str]:
    """What each figure is at each step, as a multiple of that of the first step."""
    for name, rows in found.items():
        if len(rows) < 2:
            continue
        sizes = [f"{one.step.sites:,} sites, {one.rows / 1e6:.1f} M rows" for one in rows]
        yield f"\n**{name}: how many times the first**\n"
        yield "| | " + " | ".join(sizes) + " |"
        yield "|---" * (1 + len(sizes)) + "|"
        for figure, first in rows[0].figures.items():
            if first:
                told = (one.figures.get(figure) for one in rows)
                times = ("" if value is None else f"{value / first:.2f}" for value in told)
                yield f"| {figure} | " + " | ".join(times) + " |"


def on_paper(found: Mapping[str, Sequence[Found]]) -> Iterator[str]:
    """What was not measured, by the rate at which the year was loaded, and the last bytes a row."""
    yield (
        "\n**Not measured, on paper: by the rate at which the first site was loaded and the bytes a row"
        " of the largest size, 24 hours a day**\n"
    )
    yield "| | million rows | " + " | ".join(found) + " |"
    yield "|---" * (2 + len(found)) + "|"
    for sites, days in ON_PAPER:
        rows = sites * ZONES * days * MINUTES_A_DAY
        told = (
            f"{rows / rows_of_engine[0].figures[LOADED] / 3600:.1f} h to load,"
            f" {rows * rows_of_engine[-1].figures[BYTES] / GIGABYTE:.0f} GB"
            for rows_of_engine in found.values()
        )
        yield f"| {sites:,} sites x {days} days | {rows / 1e6:,.0f} | " + " | ".join(told) + " |"
