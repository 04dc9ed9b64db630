"""What a reader of a stream has merged by timestamp is what batch answers, however late counts come."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.store.protocol import KeyScope
from tests.eventually import wait_until
from tests.running_service import start_service
from tests.service.conftest import Served, key_of
from tests.small_site import ORGANIZATION, count, create_small_site, store_counts

DEADLINE = 60.0
A_SECOND = 20
PASSAGES = ("entrance", "archway", "terrace")
MINUTE = timedelta(minutes=1)
DEPTH = timedelta(hours=20)
EVERYTHING = ["visitorsInside", "entrances", "exits", "timeSpent"]
CROSSINGS = ["entrances", "exits"]
QUESTIONS: list[dict[str, Any]] = [
    {"metrics": EVERYTHING, "granularity": "minute"},
    {"metrics": EVERYTHING, "granularity": "minute", "filter": {"zoneIds": ["hall"]}},
    {"metrics": EVERYTHING, "granularity": "minute", "filter": {"zoneIds": ["hall", "cafe"]}},
    {"metrics": CROSSINGS, "granularity": "minute", "filter": {"passageIds": ["entrance", "archway"]}},
    {"metrics": EVERYTHING, "granularity": "hour"},
    {"metrics": EVERYTHING, "granularity": "hour", "filter": {"zoneIds": ["hall", "cafe"]}},
    {"metrics": ["visitorsInside"], "granularity": "hour", "aggregation": "maximum"},
    {"metrics": CROSSINGS, "granularity": "hour", "filter": {"zoneIds": ["cafe"], "passageIds": ["archway"]}},
    {"metrics": EVERYTHING, "granularity": "day", "timezone": "Europe/Zurich"},
]


class Reader:
    """Someone who asks batch once, then reads the stream and merges by timestamp."""

    def __init__(self, served: Served, query: dict[str, Any], *, history: bool) -> None:
        self._served = served
        self._query = {"siteId": served.site.site_id, **query}
        self._since = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - DEPTH
        self._history = history
        self.events: list[tuple[str, Any]] = []
        self.known = {} if history else self.batch()
        self.connected = threading.Event()
        self.thread = threading.Thread(target=self._read, daemon=True)

    def batch(self) -> dict[str, Any]:
        answer = self._served.query(**self._query, **self._range()).json()["data"]
        return {point["timestamp"]: point["metrics"] for point in answer}

    def newest(self) -> dict[str, Any]:
        [point] = self._served.query(**self._query, **{"from": "now", "to": "now"}).json()["data"]
        return {point["timestamp"]: point["metrics"]}

    def merged(self) -> dict[str, Any]:
        return self.known | dict(list(self.events))

    def is_right(self) -> bool:
        """Batch has the minutes that are over; the newest value has the running one, too."""
        expected = self.batch() | self.newest()
        merged = self.merged()
        return {start: merged.get(start) for start in expected} == expected

    def ends_with_newest(self) -> bool:
        """It is sent last, also where late counts left it as it was."""
        return self.is_right() and dict(self.events[-1:]) == self.newest()

    def _range(self) -> dict[str, str]:
        start = self._since
        if self._query.get("timezone"):
            start = start.replace(hour=0) - timedelta(days=1)
        return {"from": start.strftime("%Y-%m-%dT%H:%M:%S"), "to": "now"}

    def _read(self) -> None:
        headers = self._served.site.headers | {"Accept": "text/event-stream"}
        body = self._query | {"live": True} | (self._range() if self._history else {})
        try:
            with httpx.stream(
                "POST",
                f"{self._served.service.base_url}/v3/metrics",
                json=body,
                headers=headers,
                timeout=60.0,
            ) as answer:
                for line in answer.iter_lines():
                    if line.startswith("data: "):
                        point = json.loads(line.removeprefix("data: "))
                        self.events.append((point["timestamp"], point["metrics"]))
                        self.connected.set()
        except httpx.TransportError:
            return  # the service ended


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    site = create_small_site(tmp_path)
    store_counts(tmp_path, recorded(random.Random(20250330)))
    with ExitStack() as stack:
        service = start_service(tmp_path, environment={"HEADROOM_SERVICE_HEARTBEAT": "PT0.5S"})
        stack.callback(service.stop)
        client = stack.enter_context(httpx.Client(base_url=service.base_url, timeout=60.0))
        yield Served(site, service, client)


def recorded(chance: random.Random) -> list[tuple[datetime, str, int, int]]:
    """A day with gaps: not every passage has every minute."""
    end = datetime.now(UTC).replace(second=0, microsecond=0)
    return [
        (end - age * MINUTE, passage, chance.randrange(4), chance.randrange(3))
        for age in range(2, int(DEPTH / MINUTE))
        for passage in PASSAGES
        if chance.random() < 0.6
    ]


def readers_of(served: Served, *queries: dict[str, Any], history: bool) -> list[Reader]:
    readers = [Reader(served, query, history=history) for query in queries]
    for reader in readers:
        reader.thread.start()
    for reader in readers:
        assert reader.connected.wait(DEADLINE)
    return readers


def post(served: Served, counts: list[dict[str, Any]]) -> None:
    assert served.ingest(counts).status_code == 200


def crossing(chance: random.Random, moment: datetime) -> dict[str, Any]:
    return count(moment, chance.randrange(3), chance.randrange(3), chance.choice(PASSAGES))


def feed_past_the_turn_of_a_minute(served: Served, chance: random.Random) -> None:
    """Counts for the present; now and then some of the minute before and of any time of the day."""
    before = timedelta(seconds=8)
    turn = (datetime.now(UTC) + before).replace(second=0, microsecond=0) + MINUTE
    time.sleep(max((turn - before - datetime.now(UTC)).total_seconds(), 0))
    while (now := datetime.now(UTC)) < turn + timedelta(seconds=4):
        batch = [crossing(chance, now)]
        if chance.random() < 0.2:
            batch.append(crossing(chance, now - MINUTE))
        if chance.random() < 0.05:
            batch.append(crossing(chance, now - chance.random() * (DEPTH - timedelta(hours=1))))
        post(served, batch)
        time.sleep(1 / A_SECOND)
    post(served, [crossing(chance, turn - timedelta(seconds=1)) for _ in range(5)])


def test_what_streams_told_is_what_batch_answers_after_late_and_paced_counts(served: Served) -> None:
    chance = random.Random(4711)
    readers = readers_of(served, *QUESTIONS, history=False)
    readers += readers_of(served, *QUESTIONS, history=True)
    feed_past_the_turn_of_a_minute(served, chance)
    for reader in readers:
        wait_until(reader.ends_with_newest)


def test_so_is_what_they_told_after_levels_and_what_was_set_by_hand_and_taken_back(served: Served) -> None:
    chance = random.Random(815)
    admin = {"x-api-key": key_of(served, ORGANIZATION.id, KeyScope.ADMIN)}
    readers = readers_of(served, *QUESTIONS, history=False)
    corrections = f"/admin/sites/{served.site.site_id}/corrections"
    made: list[int] = []
    for number in range(60):
        ago = 0 if number % 3 else chance.random()
        moment = datetime.now(UTC) - ago * (DEPTH - timedelta(hours=1))
        zone = {"zoneId": chance.choice(("shop", "hall", "cafe")), "visitorsInside": chance.randrange(40)}
        at = {"timestamp": moment.isoformat()}
        if number % 4 == 0:
            answer = served.client.post(corrections, headers=admin, json=zone | at | {"reason": "counted"})
            made.append(answer.json()["data"]["number"])
        elif number % 4 == 1 and made:
            taken = made.pop(chance.randrange(len(made)))
            answer = served.client.delete(f"{corrections}/{taken}", headers=admin)
        elif number % 4 == 2:
            level = [zone | at | {"siteId": served.site.site_id}]
            answer = served.client.post("/ingest/levels", headers=served.site.ingest_headers, json=level)
        else:
            answer = served.ingest([crossing(chance, moment)])
        assert answer.status_code == 200, answer.text
        time.sleep(1 / A_SECOND)
    for reader in readers:
        wait_until(reader.ends_with_newest)


def test_counts_that_come_late_are_sent_in_order_and_the_newest_last(served: Served) -> None:
    [reader] = readers_of(served, {"metrics": CROSSINGS, "granularity": "minute"}, history=False)
    post(served, [count(datetime.now(UTC), 1)])
    wait_until(reader.is_right)
    before = len(reader.events)
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    late = [now - MINUTE * age for age in (300, 7, 3)]
    post(served, [count(moment, 5) for moment in reversed(late)])
    wait_until(lambda: reader.is_right() and len(reader.events) >= before + len(late) + 1)
    sent = [start for start, _ in reader.events[before:]]
    assert sent == [*(moment.isoformat() for moment in late), reader.events[before - 1][0]]


def test_a_count_sends_no_bucket_again_that_it_did_not_change(served: Served) -> None:
    cafe = {"filter": {"zoneIds": ["cafe"]}, "granularity": "minute"}
    levels, flows = readers_of(
        served, {"metrics": ["visitorsInside"], **cafe}, {"metrics": CROSSINGS, **cafe}, history=False
    )
    post(served, [count(datetime.now(UTC), 0, passage="terrace")])
    wait_until(levels.is_right)
    wait_until(flows.is_right)
    before = len(levels.events), len(flows.events)
    # Another room's door, late; then a door that changes one minute of the flows.
    post(served, [count(datetime.now(UTC) - 30 * MINUTE, 3, passage="entrance")])
    late = datetime.now(UTC).replace(second=0, microsecond=0) - 40 * MINUTE
    post(served, [count(late, 1, 1, passage="terrace")])
    wait_until(lambda: flows.is_right() and len(flows.events) >= before[1] + 2)
    present = flows.events[before[1] - 1][0]
    assert [start for start, _ in flows.events[before[1] :]] == [late.isoformat(), present]
    # One in and one out at once leave the level as it was, unless that minute had no count of the cafe yet.
    assert {start for start, _ in levels.events[before[0] :]} <= {late.isoformat(), present}


def test_what_another_process_stored_late_is_sent(served: Served) -> None:
    [reader] = readers_of(served, {"metrics": EVERYTHING, "granularity": "minute"}, history=False)
    late = datetime.now(UTC).replace(second=0, microsecond=0) - 90 * MINUTE
    store_counts(served.site.data_dir, [(late, "entrance", 70, 0), (late + MINUTE, "entrance", 80, 0)])
    wait_until(lambda: reader.merged().get(late.isoformat(), {}).get("entrances", 0) >= 70)
    wait_until(reader.is_right)


def test_a_minute_of_the_future_is_neither_sent_nor_newest(served: Served) -> None:
    future = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(days=10)
    [reader] = readers_of(served, {"metrics": CROSSINGS, "granularity": "hour"}, history=True)
    store_counts(served.site.data_dir, [(future, "entrance", 70, 0)])
    post(served, [count(datetime.now(UTC), 9)])
    wait_until(reader.is_right)
    assert max(reader.merged()) <= datetime.now(UTC).isoformat()
    assert set(reader.newest()) == {max(reader.merged())}


def test_a_site_recorded_long_ago_tells_its_newest_and_what_becomes_it(served: Served) -> None:
    asked = {"metrics": CROSSINGS, "granularity": "minute", "siteId": "elsewhere"}
    old = datetime(2025, 2, 3, 10, tzinfo=UTC)
    store_counts(served.site.data_dir, [(old, "other-door", 3, 0)])
    headers = {"x-api-key": served.site.rival_key, "Accept": "text/event-stream"}
    with served.client.stream("POST", "/v3/metrics", json=asked | {"live": True}, headers=headers) as answer:
        lines = (line for line in answer.iter_lines() if line.startswith("data: "))
        assert old.isoformat() in next(lines)
        store_counts(served.site.data_dir, [(old + MINUTE, "other-door", 4, 0)])
        assert (old + MINUTE).isoformat() in next(lines)
        post(served, [])
