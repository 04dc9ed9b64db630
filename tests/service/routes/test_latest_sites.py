from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from contract.latest_sites import LATEST_SITES_PATH
from service.open_store import open_store, store_url
from service.routes.latest_sites import chosen_form
from service.store.protocol import KeyScope, SiteRecord, Store
from tests.eventually import PATIENCE, wait_until
from tests.running_service import start_service
from tests.service.conftest import Served
from tests.service.routes.test_live import open_streams
from tests.small_site import (
    ORGANIZATION,
    OTHER_ORGANIZATION,
    SITE,
    count,
    create_small_site,
    store_counts,
)

EVENTS: Final = "text/event-stream"
LINES: Final = "application/x-ndjson"


class Told:
    """The objects of an open stream."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self._lines = answer.iter_lines()

    def line(self) -> str:
        return next(line for line in self._lines if line)

    def rest(self) -> list[str]:
        """All lines until the end."""
        return [line for line in self._lines if line]

    def next(self) -> dict[str, Any]:
        """The next object that is no heartbeat."""
        while True:
            line = self.line().removeprefix("data: ")
            told: dict[str, Any] = {} if line.startswith(":") else json.loads(line)
            if told and told["kind"] != "heartbeat":
                return told

    def all(self) -> dict[str, dict[str, Any]]:
        """What comes before `complete`, by site."""
        sites: dict[str, dict[str, Any]] = {}
        while (told := self.next())["kind"] == "site":
            sites[told["siteId"]] = told
        assert told == {"kind": "complete", "sites": len(sites)}
        return sites


@contextmanager
def told(served: Served, accept: str = EVENTS, key: str = "") -> Iterator[Told]:
    headers = {"x-api-key": key or served.site.read_key, "Accept": accept}
    with served.client.stream("GET", LATEST_SITES_PATH, headers=headers) as answer:
        yield Told(answer)


def wait_until_told(served: Served, site_id: str) -> None:
    """What another process saved, streams have once the service has looked."""
    deadline = time.monotonic() + PATIENCE
    while True:
        with told(served) as stream:
            if site_id in stream.all():
                return
        assert time.monotonic() < deadline, "it never came true"


@contextmanager
def store_of(served: Served) -> Iterator[Store]:
    with closing(open_store(store_url(served.site.data_dir))) as store:
        yield store


def save(served: Served, site_id: str, **changes: Any) -> None:
    """Save a site of one zone and door, as another process does."""
    zone = SITE.zones[0].model_copy(update={"id": f"all-{site_id}"})
    door = SITE.passages[0].model_copy(update={"id": f"door-{site_id}", "to_zone_id": zone.id})
    site = SITE.model_copy(update={"id": site_id, "zones": (zone,), "passages": (door,)} | changes)
    with store_of(served) as store:
        store.catalogue.save(ORGANIZATION, [SiteRecord(site, zone.id)])


@pytest.mark.parametrize("accept", [EVENTS, LINES])
def test_all_sites_come_first_and_then_each_change(served: Served, accept: str) -> None:
    served.ingest([count(datetime.now(UTC), 1)])
    with told(served, accept) as stream:
        assert stream.answer.headers["content-type"].startswith(accept)
        first = stream.all()["corner-shop"]
        served.ingest([count(datetime.now(UTC), 4)])
        second = stream.next()
    assert first["name"] == "Corner shop"
    assert first["timezone"] == "Europe/Zurich"
    assert (first["topZoneId"], first["capacity"], first["devicesOffline"]) == ("shop", 100, 1)
    inside = second["newest"]["metrics"]["visitorsInside"]
    assert inside == first["newest"]["metrics"]["visitorsInside"] + 4


@pytest.mark.parametrize("accept", [EVENTS, LINES, "application/json"])
def test_a_value_is_that_of_the_specification_s_own_answer(served: Served, accept: str) -> None:
    served.ingest([count(datetime.now(UTC) - timedelta(minutes=3), 2)])
    metrics = ["visitorsInside", "entrances", "exits"]
    asked = served.query(siteId="corner-shop", metrics=metrics, **{"from": "now", "to": "now"})
    [point] = asked.json()["data"]
    if accept == "application/json":
        headers = {"x-api-key": served.site.read_key, "Accept": accept}
        sites = served.client.get(LATEST_SITES_PATH, headers=headers).json()["data"]
        [site] = [one for one in sites if one["siteId"] == "corner-shop"]
    else:
        with told(served, accept) as stream:
            site = stream.all()["corner-shop"]
    assert point.pop("matchingFilters") == {"zoneIds": [site["topZoneId"]]}
    assert site["newest"] == point


def test_sites_of_others_and_archived_ones_are_not_told(served: Served) -> None:
    with told(served) as stream:
        assert not {"closed-shop", "elsewhere"} & stream.all().keys()
    with told(served, key=served.site.rival_key) as stream:
        assert stream.all().keys() == {"elsewhere"}


def test_a_key_for_some_sites_is_told_of_no_others(served: Served) -> None:
    save(served, "second")
    save(served, "third")
    with store_of(served) as store:
        _, secret = store.keys.create(
            ORGANIZATION.id, "some", KeyScope.READ, site_ids=frozenset({"second", "closed-shop"})
        )
    headers = {"x-api-key": secret, "Accept": "application/json"}
    asked = served.client.get(LATEST_SITES_PATH, headers=headers).json()["data"]
    assert [site["siteId"] for site in asked] == ["second"]
    wait_until_told(served, "second")
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    with told(served, key=secret) as stream:
        assert stream.all().keys() == {"second"}
        store_counts(served.site.data_dir, [(now, "door-third", 9, 0)])
        store_counts(served.site.data_dir, [(now, "door-second", 5, 0)])
        change = stream.next()
    assert (change["siteId"], change["newest"]["metrics"]["entrances"]) == ("second", 5)


def test_a_site_that_is_added_renamed_and_archived_is_told_so(served: Served) -> None:
    with told(served) as stream:
        assert "opened" not in stream.all()
        save(served, "opened", name="Opened today")
        added = stream.next()
        save(served, "opened", name="Opened yesterday")
        renamed = stream.next()
        save(served, "opened", name="Opened yesterday", archived=True)
        gone = stream.next()
    assert (added["siteId"], added["name"], added["newest"]) == ("opened", "Opened today", None)
    assert (renamed["siteId"], renamed["name"]) == ("opened", "Opened yesterday")
    assert gone == {"kind": "gone", "siteId": "opened"}


def test_silence_is_filled_with_heartbeats_of_the_form_that_was_chosen(served: Served) -> None:
    with store_of(served) as store:
        store.catalogue.save(OTHER_ORGANIZATION, [])
        _, secret = store.keys.create(OTHER_ORGANIZATION.id, "quiet", KeyScope.READ)
    with told(served, EVENTS, secret) as stream:
        stream.all()
        assert {stream.line() for _ in range(2)} == {": heartbeat"}
    with told(served, LINES, secret) as stream:
        stream.all()
        assert {stream.line() for _ in range(2)} == {'{"kind":"heartbeat"}'}


def test_a_revoked_key_ends_the_stream(served: Served) -> None:
    with store_of(served) as store:
        record, secret = store.keys.create(ORGANIZATION.id, "revoked", KeyScope.READ)
        with told(served, key=secret) as stream:
            stream.all()
            store.keys.revoke(record.id)
            assert set(stream.rest()) <= {": heartbeat"}


def test_it_counts_as_one_stream_and_one_answer_as_none(served: Served) -> None:
    wait_until(lambda: open_streams(served) == 0)
    with told(served) as stream:
        stream.all()
        assert open_streams(served) == 1
        headers = served.site.headers | {"Accept": "application/json"}
        assert served.client.get(LATEST_SITES_PATH, headers=headers).status_code == 200
        assert open_streams(served) == 1
    wait_until(lambda: open_streams(served) == 0)


def test_who_asks_for_the_headers_alone_leaves_no_stream_open(served: Served) -> None:
    wait_until(lambda: open_streams(served) == 0)
    with httpx.Client(base_url=served.client.base_url, headers=served.site.headers, timeout=10) as asking:
        answer = asking.head(LATEST_SITES_PATH)
        assert answer.headers["content-type"].startswith(EVENTS)
        assert open_streams(served) == 0
        assert asking.get("/v3/sites").status_code == 200


def test_a_key_has_no_more_streams_than_it_may(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    service = start_service(site.data_dir, environment={"HEADROOM_SERVICE_KEY_STREAMS": "1"})
    try:
        with (
            httpx.Client(base_url=service.base_url, headers=site.headers, timeout=60.0) as client,
            client.stream("GET", LATEST_SITES_PATH),
        ):
            refused = client.get(LATEST_SITES_PATH)
            once = client.get(LATEST_SITES_PATH, headers={"Accept": "application/json"})
    finally:
        service.stop()
    assert refused.status_code == 429
    assert refused.json()["meta"]["errors"][0]["code"] == "TOO_MANY_STREAMS"
    assert refused.headers["retry-after"] == "10"
    assert once.status_code == 200


def test_a_slow_reader_gets_the_newest_of_each_site_and_nothing_queues(served: Served) -> None:
    """While its reader takes nothing, the service writes into the sockets' buffers until they are full."""
    save(served, "busy", name="Busy" * 20_000)
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    host, port = served.service.base_url.removeprefix("http://").split(":")
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect((host, int(port)))
        asked = f"GET {LATEST_SITES_PATH} HTTP/1.1\r\nHost: here\r\nx-api-key: {served.site.read_key}\r\n\r\n"
        slow.sendall(asked.encode())
        # A name of 80 kB with each change: more than any buffer holds.
        for people in range(1, 61):
            store_counts(served.site.data_dir, [(now, "door-busy", people, 0)])
            time.sleep(0.2)
        slow.settimeout(10.0)
        body = b""
        while b'"entrances":60' not in body:
            body += slow.recv(1 << 20)
    assert body.count(b'"siteId":"busy"') < 40


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("", EVENTS),
        ("*/*", EVENTS),
        ("text/html,*/*;q=0.8", EVENTS),
        ("text/event-stream", EVENTS),
        ("application/x-ndjson", LINES),
        ("application/x-ndjson, text/event-stream;q=0.5", LINES),
        ("application/x-ndjson;q=0.5, text/event-stream", EVENTS),
        ("application/x-ndjson;q=0", EVENTS),
        ("application/json;q=0.4, */*;q=0.8", EVENTS),
        ("application/json;q=nonsense", None),
        ("application/json, text/plain, */*", None),
        ("application/json", None),
    ],
)
def test_the_form_is_the_one_that_the_reader_prefers(accept: str, media_type: str | None) -> None:
    form = chosen_form(accept)
    assert (form.media_type if form else None) == media_type
