"""A v3 service that says of its sites what a test tells it to, over real HTTP, and checks nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from zoneinfo import ZoneInfo

from contract import parse_instant

USUAL = {"visitorsInside": 7, "entrances": 3, "exits": 2}
KEY = "hr_0123456789ab_scripted"


@dataclass
class ScriptedService:
    sites: list[dict[str, Any]] = field(default_factory=list)
    """As `GET /v3/sites/{siteId}` gives them."""
    metrics: dict[str, float] = field(default_factory=lambda: dict(USUAL))
    """Of every minute of every zone."""
    past: range = range(30, 0, -1)
    """The minutes, counted back from now, of which a range has points."""
    is_past_of_range: bool = False
    """Whether these are counted back from the end of what is asked for, where that is over."""
    newest: int | None = 1
    """The minute, counted back from now, that a question about now is answered with; None: with nothing."""
    failure: dict[str, Any] | None = None
    """An entry of `meta.errors`, with which every question about metrics is answered, status 500."""
    past_failure: tuple[int, dict[str, str]] | None = None
    """Status and headers with which questions about the past are answered."""
    held_from: datetime | None = None
    """Questions about the past before then are refused: it lies in an archive that is away."""
    refused: frozenset[str] = frozenset()
    """Granularities and aggregations in which questions about the past are not accepted."""
    sites_held: Event | None = None
    """What ends the waiting of questions for the list of sites."""
    held: dict[str, Event] = field(default_factory=dict)
    """By site id: what ends the waiting of questions about its past; these are then answered well."""
    now_failures: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)
    """By site id: status and headers with which questions about now are answered."""
    passage_failures: dict[str, int] = field(default_factory=dict)
    """By passage id: status with which questions about it are answered."""
    asked_passages: list[str] = field(default_factory=list)
    """Of the questions that name one."""
    now_waits: dict[str, float] = field(default_factory=dict)
    """By site id: seconds after which questions about now are answered."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    """The questions about the past."""
    asked_now: list[str] = field(default_factory=list)
    """The sites of questions about now."""
    warnings: list[Any] = field(default_factory=list)
    request_id: str = "r-scripted"
    top_zone_ids: list[str] = field(default_factory=list)
    ahead: timedelta = timedelta()
    """By how much its clock is ahead of this machine's."""
    base_url: str = ""
    ended: Event = field(default_factory=Event)

    def now(self) -> datetime:
        """By its clock, UTC."""
        return datetime.now(UTC) + self.ahead

    def let_sites_be_read(self) -> None:
        """Questions for the list of sites, and those that wait for it, are answered from now on."""
        if self.sites_held:
            self.sites_held.set()

    def point(self, minutes_ago: int = 1) -> dict[str, Any]:
        minute = self.now().replace(second=0, microsecond=0) - timedelta(minutes=minutes_ago)
        return {"timestamp": minute.isoformat(), "metrics": self.metrics}

    def past_points(self, query: dict[str, Any]) -> list[dict[str, Any]]:
        """What a question about the past is answered with."""
        over = self._minutes_over(query) if self.is_past_of_range else 0
        return [self.point(ago + over) for ago in self.past]

    def _minutes_over(self, query: dict[str, Any]) -> int:
        """For how many minutes the range has been over."""
        zone, now = ZoneInfo(query.get("timezone") or "Etc/UTC"), self.now()
        return max(0, (now - parse_instant(query["to"], now=now, timezone=zone)) // timedelta(minutes=1))


@contextmanager
def scripted_service(scripted: ScriptedService) -> Iterator[ScriptedService]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"scripted": scripted}))
    server.daemon_threads = True
    scripted.base_url = f"http://127.0.0.1:{server.server_address[1]}"
    # So often it looks whether it is to end.
    thread = Thread(target=server.serve_forever, args=(0.05,), name="scripted-service", daemon=True)
    thread.start()
    try:
        yield scripted
    finally:
        scripted.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    scripted: ScriptedService

    def do_GET(self) -> None:
        """Sites, all on one page."""
        path = self.path.partition("?")[0]
        if path == "/v3/sites":
            if self.scripted.sites_held:
                self.scripted.sites_held.wait(60)
            self._answer(self.scripted.sites)
        else:
            named = {f"/v3/sites/{site['id']}": site for site in self.scripted.sites}
            self._answer(named.get(path), 200 if path in named else 404)

    def do_POST(self) -> None:
        """Metrics: the newest minute, and a stream that says it every second."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        passages = (body.get("filter") or {}).get("passageIds") or []
        self.scripted.asked_passages += passages
        failures = [
            self.scripted.passage_failures[id_] for id_ in passages if id_ in self.scripted.passage_failures
        ]
        if self.scripted.failure:
            self._answer(None, 500)
        elif failures:
            self._answer(None, failures[0])
        elif body.get("live"):
            self._stream()
        elif body.get("from") == "now":
            self._now(body["siteId"])
        else:
            self._past(body)

    def _now(self, site_id: str) -> None:
        self.scripted.asked_now.append(site_id)
        self.scripted.ended.wait(self.scripted.now_waits.get(site_id, 0.0))
        failure = self.scripted.now_failures.get(site_id)
        with suppress(OSError):  # the reader has left
            points = [] if self.scripted.newest is None else [self.scripted.point(self.scripted.newest)]
            self._answer(*((None, *failure) if failure else (points,)))

    def _past(self, query: dict[str, Any]) -> None:
        self.scripted.asked.append(query)
        held = self.scripted.held.get(query["siteId"])
        if held:
            held.wait(60)
        if {query.get("granularity"), query.get("aggregation")} & self.scripted.refused:
            self._answer(None, 422)
        elif self.scripted.past_failure and not held:
            self._answer(None, *self.scripted.past_failure)
        elif self.scripted.held_from and self._begins(query) < self.scripted.held_from:
            told = {"from": self.scripted.held_from.isoformat()}
            entry = {"code": "ARCHIVE_AWAY", "message": "Older days are away.", "details": told}
            self._answer(None, 503, {"retry-after": "30"}, entry)
        else:
            self._answer(self.scripted.past_points(query))

    def _begins(self, query: dict[str, Any]) -> datetime:
        zone = ZoneInfo(query.get("timezone") or "Etc/UTC")
        return parse_instant(query["from"], now=self.scripted.now(), timezone=zone)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        try:
            while not self.scripted.ended.wait(1):
                self.wfile.write(b"data: " + json.dumps(self.scripted.point(0)).encode() + b"\n\n")
        except OSError:
            pass  # the reader has left

    def _answer(
        self,
        data: Any,
        status: int = 200,
        headers: dict[str, str] | None = None,
        refusal: dict[str, Any] | None = None,
    ) -> None:
        count = len(data) if isinstance(data, list) else 1
        error = self.scripted.failure or refusal or {"code": "SITE_NOT_FOUND", "message": "No such site."}
        page = {"limit": 1000, "offset": 0, "total": count, "hasPrevious": False, "hasNext": False}
        meta = {
            "requestId": self.scripted.request_id,
            "serverTag": "scripted",
            "warnings": self.scripted.warnings,
            "errors": [] if status == 200 else [error],
            "pagination": page,
            "inferredParams": {"filter": {"zoneIds": self.scripted.top_zone_ids}},
        }
        text = json.dumps({"data": data, "meta": meta}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Of the header `Date`."""
        return super().date_time_string(self.scripted.now().timestamp() if timestamp is None else timestamp)

    def log_message(self, *_arguments: object) -> None:
        """Says nothing."""
