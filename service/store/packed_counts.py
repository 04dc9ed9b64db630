"""Counts of a passage as a row for each day of them, packed: imports that are staged, and late counts."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from contract.minutes import MINUTES_A_DAY
from service.store.protocol import Numbers, WriteMode

_COLUMNS: Final = 3


def packed_rows(
    site_id: str, passage: int, mode: WriteMode, columns: Sequence[Numbers]
) -> Iterator[dict[str, Any]]:
    """A row for each UTC day; columns: minutes, ascending, forward, backward."""
    minutes, forward, backward = columns
    days = minutes // MINUTES_A_DAY
    edges = np.flatnonzero(np.diff(days)) + 1
    table = np.stack([minutes % MINUTES_A_DAY, forward, backward])
    for part, day in zip(
        np.split(table, edges, axis=1), days[[0, *edges]] if len(days) else (), strict=False
    ):
        yield {
            "site_id": site_id,
            "day": int(day),
            "minutes": part.shape[1],
            "passage": passage,
            "mode": mode.value,
            "counts": zlib.compress(part.astype("<i8").tobytes(), 1),
        }


def unpacked(counts: bytes, day: int) -> list[Numbers]:
    """Minutes, forward and backward of a row of that day."""
    minutes, forward, backward = np.frombuffer(zlib.decompress(counts), dtype="<i8").reshape(_COLUMNS, -1)
    return [minutes + day * MINUTES_A_DAY, forward, backward]
