from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.sensor_kills import survive


@pytest.mark.soak
def test_no_report_that_was_answered_is_lost_or_doubled_by_kills(tmp_path: Path) -> None:
    found = survive(tmp_path, kills=20, counters=4, chance=random.Random(7))
    assert (found.lost, found.doubled) == (0, 0)
    assert found.answered > 20
    assert found.again > 0, "each kill leaves a counter without its answer"
