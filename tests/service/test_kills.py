from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from benchmarks.acknowledged import Acknowledged, Compared
from benchmarks.kills import WAYS, survive
from benchmarks.simulated_counters import MINUTE, People, SimulatedCounter, Way


@pytest.mark.soak
def test_nothing_that_was_acknowledged_is_lost_or_doubled_by_kills_whichever_way_it_came(
    tmp_path: Path,
) -> None:
    found = survive(tmp_path, kills=20, counters=1, chance=random.Random(7))
    assert (found.compared.lost, found.compared.doubled, found.compared.first) == (0, 0, "")
    assert found.check, "what is derived follows from the counts"
    assert len(found.acknowledged) == len(WAYS)
    assert min(found.acknowledged.values()) > 1, "no counter came to its next report"
    assert found.again > 0, "each kill leaves a counter without its answer"


def test_the_oracle_sees_what_is_lost_doubled_and_without_an_answer() -> None:
    begin = datetime(2026, 3, 28, 9, tzinfo=UTC)
    counter = SimulatedCounter(Way.AXIS_3D, 1, "site", "zone", "door", chance=random.Random(1))
    oracle = Acknowledged()
    for minute in range(4):
        sent = counter.next_report(begin + minute * MINUTE, 1)
        oracle.add(counter, sent._replace(people=People(2, 1)))
    # The first is right, the second one short, the third is not there, and the fourth came twice.
    told = [(begin, 2, 1), (begin + MINUTE, 2, 0), (begin + 3 * MINUTE, 4, 2)]

    def answer(_: httpx.Request) -> httpx.Response:
        points = [
            {"timestamp": start.isoformat(), "metrics": {"entrances": came, "exits": went}}
            for start, came, went in told
        ]
        return httpx.Response(200, json={"data": points})

    with httpx.Client(base_url="http://service", transport=httpx.MockTransport(answer)) as client:
        found = oracle.compared(client)
    first = "site zone 2026-03-28T09:01:00Z: acknowledged (2, 1), answered (2, 0)"
    assert found == Compared(told=8, lost=4, doubled=2, first=first)
