"""Each part of a cluster killed again and again under load: what is lost, doubled, refused, and not live."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import httpx

from benchmarks.cluster.load import Counted, Seen, asked, loaded
from benchmarks.cluster.parts import PATIENCE, Cluster, Part

_AWAY: Final = (1.0, 4.0)
"""Seconds for which a part is gone."""
_QUIET: Final = 4.0
"""Seconds between a part's return and the next kill."""
_LOOKED: Final = 5.0
_SETTLED: Final = 120.0
"""Seconds within which late counts of archived days are there."""


@dataclass(frozen=True, slots=True)
class Round:
    away: float
    """Seconds until it served again."""
    without_value: float
    """The longest that a wall was not told of a new value, of one that is counted twice a second."""
    failed_posts: int
    posts: int
    failed_queries: int
    queries: int


class Compared(NamedTuple):
    """What `/v3` answers, against what was acknowledged; people who came in."""

    acknowledged: int
    lost: int
    doubled: int
    differing: tuple[str, ...]
    """Site, minute, people acknowledged and stored."""


def calm(seen: Seen, seconds: float) -> Round:
    """What it is like when nothing is killed."""
    with seen.lock:
        seen.longest_gap, seen.value_at = 0.0, time.monotonic()
        before = seen.posts, seen.failed_posts, seen.queries, seen.failed_queries
    time.sleep(seconds)
    return _since(seen, before, away=0.0)


def kill(part: Part, seen: Seen, chance: random.Random) -> Round:
    """Once, and wait until the wall has a new value after it has come back."""
    with seen.lock:
        seen.longest_gap, seen.value_at = 0.0, time.monotonic()
        before = seen.posts, seen.failed_posts, seen.queries, seen.failed_queries
    began = time.monotonic()
    part.kill()
    time.sleep(chance.uniform(*_AWAY))
    part.start()
    back = time.monotonic()
    deadline = back + PATIENCE
    while seen.value_at < back and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(_QUIET)
    return _since(seen, before, away=back - began)


def _since(seen: Seen, before: tuple[int, int, int, int], *, away: float) -> Round:
    with seen.lock:
        # What has not come yet counts, too.
        gap = max(seen.longest_gap, time.monotonic() - seen.value_at)
        posts, failed_posts, queries, failed_queries = before
        return Round(
            away,
            gap,
            seen.failed_posts - failed_posts,
            seen.posts - posts,
            seen.failed_queries - failed_queries,
            seen.queries - queries,
        )


def survive(
    cluster: Cluster, *, rounds: int, seed: int, tell: Callable[[str], None]
) -> tuple[Mapping[str, Sequence[Round]], Compared]:
    """`rounds` of each part, one after the other; `tell` hears of each."""
    chance, found = random.Random(seed), dict[str, list[Round]]()
    with loaded(cluster, seed) as seen:
        found["nothing"] = [calm(seen, 15.0)]
        for part in cluster.parts:
            for number in range(rounds):
                one = kill(part, seen, chance)
                found.setdefault(part.name, []).append(one)
                tell(f"{part.name}, {number + 1}: {one.without_value:.1f} s without a new value")
    return found, compare(cluster, seen.acknowledged)


def compare(cluster: Cluster, acknowledged: Counted) -> Compared:
    """By site and minute, once all late counts have been counted."""
    _wait_for_late_counts(cluster)
    lost, doubled, differing = 0, 0, list[str]()
    for site_id in cluster.chain.site_ids:
        expected = {minute: people for (site, minute), people in acknowledged.items() if site == site_id}
        for minute, people in expected.items():
            expected[minute] = people + (1 if minute < datetime.now(UTC) - timedelta(days=50) else 0)
        stored = _stored(cluster, site_id, expected)
        for minute, people in expected.items():
            found = stored.get(minute, 0)
            lost += max(people - found, 0)
            doubled += max(found - people, 0)
            differing += [f"{site_id} {minute:%Y-%m-%d %H:%M}: {people}, {found}"] if found != people else []
    return Compared(acknowledged.total(), lost, doubled, tuple(differing))


def _wait_for_late_counts(cluster: Cluster) -> None:
    deadline = time.monotonic() + _SETTLED
    # They look whether there are any every five seconds.
    time.sleep(3 * _LOOKED)
    while time.monotonic() < deadline:
        told = [httpx.get(f"{one.base_url}/healthz", timeout=PATIENCE).json() for one in cluster.services]
        if not any(one["data"]["feeds"]["archive"]["lateMinutesWaiting"] for one in told):
            return
        time.sleep(1.0)


def _stored(cluster: Cluster, site_id: str, minutes: Mapping[datetime, int]) -> dict[datetime, int]:
    """Who came in by minute, over the days of these minutes."""
    found = dict[datetime, int]()
    if not minutes:
        return found
    # The running minute is not published yet.
    latest = max(minutes) + timedelta(minutes=1, seconds=1)
    time.sleep(max(0.0, (latest - datetime.now(UTC)).total_seconds()))
    for begin, end in _days(minutes):
        answer = httpx.post(
            f"{cluster.services_url}/v3/metrics",
            json=asked(site_id, begin, end, "minute"),
            headers={"x-api-key": cluster.chain.read_key},
            timeout=PATIENCE,
        )
        answer.raise_for_status()
        for point in answer.json()["data"]:
            found[datetime.fromisoformat(point["timestamp"])] = point["metrics"]["entrances"]
    return found


def _days(minutes: Mapping[datetime, int]) -> Iterator[tuple[datetime, datetime]]:
    for day in sorted({minute.replace(hour=0, minute=0) for minute in minutes}):
        yield day, day + timedelta(days=1)


def table(found: Mapping[str, Sequence[Round]], compared: Compared) -> str:
    """In Markdown."""
    lines = [
        "| killed | rounds | away, s | no new value, s: median | most | posts | failed | queries | failed |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, rounds in found.items():
        gaps = [one.without_value for one in rounds]
        lines.append(
            f"| {name} | {len(rounds)} | {statistics.median(one.away for one in rounds):.1f}"
            f" | {statistics.median(gaps):.1f} | {max(gaps):.1f}"
            f" | {sum(one.posts for one in rounds)} | {sum(one.failed_posts for one in rounds)}"
            f" | {sum(one.queries for one in rounds)} | {sum(one.failed_queries for one in rounds)} |"
        )
    lines += [
        "",
        f"People acknowledged: {compared.acknowledged}; lost: {compared.lost}; doubled: {compared.doubled}.",
        *compared.differing,
    ]
    return "\n".join(lines)
