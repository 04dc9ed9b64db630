"""What a source of the demo plays, count by count."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from service.store.protocol import PassageCount
from service.workers.demo import CountSource


def played_counts(source: CountSource, first: int, end: int) -> Sequence[PassageCount]:
    """Whole minutes of [first, end), in order of time."""
    counts = [
        PassageCount(passage, *numbers)
        for passage, minutes, forward, backward, _ in source.series(first, end)
        for numbers in zip(minutes.tolist(), forward.tolist(), backward.tolist(), strict=True)
    ]
    return sorted(counts, key=attrgetter("minute"))
