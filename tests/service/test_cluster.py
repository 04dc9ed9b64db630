"""All that several machines would have, on this one, each part of it killed under load."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.cluster.parts import running_cluster
from benchmarks.cluster.rounds import survive


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_nothing_that_was_acknowledged_is_lost_or_doubled_whichever_part_is_killed(tmp_path: Path) -> None:
    with running_cluster(tmp_path, sites=12, tell=print) as cluster:
        found, compared = survive(cluster, rounds=1, seed=11, tell=print)
        assert found.keys() == {"nothing", *(part.name for part in cluster.parts)}
    assert (compared.lost, compared.doubled, compared.differing) == (0, 0, ())
    assert compared.acknowledged > 0
