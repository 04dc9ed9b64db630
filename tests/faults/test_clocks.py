"""Clocks that are wrong, step or pass midnight while a feed lives: what it tells is true by its service's.

The minutes of this service have one entrance each, so that those of today tell when today began.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contract import parse_instant
from live import FeedKey, FeedLimits, FeedState, Hub, Subscription
from live.browser_messages import encode_feed
from live.clock import Moment, SystemClock
from tests.eventually import eventually
from tests.faults.conftest import SWIFT
from tests.faults.misbehaving_server import Call, MisbehavingServer, envelope, event, misbehaving_server

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
OFTEN = replace(SWIFT, refill=0.2, refill_day=1.0)
HALL = FeedKey("site-1", ("hall",))
"""Of which nobody asks for the top zone."""


@dataclass
class Service:
    """A service that counts every minute, by a clock of its own."""

    ahead: timedelta = timedelta()
    """By which its clock is ahead of this machine's."""
    wrong_dates: list[timedelta] = field(default_factory=list)
    """By which the dates of its next answers are wrong."""

    @property
    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    @property
    def date(self) -> str:
        wrong = self.wrong_dates.pop(0) if self.wrong_dates else timedelta()
        return f"date: {format_datetime(self.now + wrong, usegmt=True)}\r\n"

    def points(self, start: datetime) -> list[dict[str, Any]]:
        """Of the minutes from the one of `start` to the one that runs."""
        first, last = (moment.replace(second=0, microsecond=0) for moment in (start, self.now))
        minutes = (first + MINUTE * after for after in range((last - first) // MINUTE + 1))
        values = {"visitorsInside": 7, "entrances": 1, "exits": 0}
        return [{"timestamp": minute.isoformat(), "metrics": values} for minute in minutes]

    def asked(self, call: Call) -> list[dict[str, Any]]:
        return self.points(parse_instant(call.body["from"], now=self.now, timezone=ZoneInfo("Etc/UTC")))

    async def stream(self, call: Call) -> None:
        await call.open_stream(headers=self.date)
        await call.send(b"".join(map(event, self.asked(call))))
        while True:
            await asyncio.sleep(0.05)
            await call.send(event(self.points(self.now)[-1]))

    async def answer(self, call: Call) -> None:
        await call.answer(body=envelope(self.asked(call)), headers=self.date)


class SteppedClock(SystemClock):
    step = timedelta()

    def now(self) -> Moment:
        moment = super().now()
        return Moment(moment.monotonic, moment.wall + self.step)


@dataclass
class Wall:
    """What somebody reads who looks at a feed of the service."""

    service: Service
    server: MisbehavingServer
    hub: Hub
    clock: SteppedClock
    zone: ZoneInfo
    feed: Subscription
    states: set[str] = field(default_factory=set)

    def read(self) -> dict[str, Any]:
        told = encode_feed(self.feed.snapshot, self.hub.now(), self.zone)
        self.states.add(told["state"])
        return told

    @property
    def is_present(self) -> bool:
        """Whether the newest minute is told, and the time of the service with it."""
        now, measured_at = self.service.now, self.read()["measured_at"] or 0
        return now.timestamp() - measured_at < 120 and abs(self.hub.now().wall - now) < 2 * MINUTE

    @property
    def is_true(self) -> bool:
        """Whether that is told, and as live, and all of today with it."""
        told = self.read()
        since = told["today_since"] or told["measured_at"]
        is_whole = self.is_present and told["entrances_today"] == (told["measured_at"] - since) / 60 + 1
        return is_whole and told["state"] == FeedState.LIVE

    async def hear(self, number: int) -> None:
        """So many more answers of the service."""
        until = len(self.server.calls) + number
        await eventually(lambda: bool(self.read()) and len(self.server.calls) > until)


@asynccontextmanager
async def wall(
    service: Service, zone: str = "Europe/Zurich", limits: FeedLimits = OFTEN
) -> AsyncIterator[Wall]:
    clock = SteppedClock()
    async with misbehaving_server(service.stream, service.answer) as server:
        server.other = service.answer
        hub = Hub(server.base_url, "key", limits=limits, clock=clock)
        try:
            feed = hub.subscribe(HALL, timezone=zone)
            yield Wall(service, server, hub, clock, ZoneInfo(zone), feed)
        finally:
            hub.close()


@asynccontextmanager
async def true_wall(service: Service, zone: str = "Europe/Zurich") -> AsyncIterator[Wall]:
    """One on which all is true; states are of then on."""
    async with wall(service, zone) as shown:
        await eventually(lambda: shown.is_true)
        shown.states.clear()
        yield shown


TODAYS = {
    "another zone": ("Pacific/Auckland", "2026-11-22T11:00:00+00:00", "2026-11-22T11:00:00+00:00"),
    "clocks go back": ("Europe/Zurich", "2026-10-25T01:00:00+00:00", "2026-10-24T22:00:00+00:00"),
    "clocks go forward": ("Europe/Zurich", "2027-03-28T01:00:00+00:00", "2027-03-27T23:00:00+00:00"),
    "midnight comes twice": ("America/Havana", "2026-11-01T05:00:00+00:00", "2026-11-01T04:00:00+00:00"),
    "midnight is left out": ("America/Havana", "2027-03-14T05:00:00+00:00", "2027-03-14T05:00:00+00:00"),
}


@pytest.mark.parametrize(("zone", "turn", "today"), TODAYS.values(), ids=TODAYS.keys())
async def test_today_begins_at_midnight_of_the_site(zone: str, turn: str, today: str) -> None:
    turns, begins = datetime.fromisoformat(turn), datetime.fromisoformat(today).timestamp()
    service = Service(ahead=turns - 1.5 * MINUTE - datetime.now(UTC))
    async with true_wall(service, zone) as shown:
        assert shown.read()["measured_at"] < turns.timestamp()
        service.ahead += 1.7 * MINUTE
        await eventually(lambda: shown.read()["measured_at"] >= turns.timestamp())
        await eventually(lambda: shown.is_true and shown.read()["today_since"] == begins)
        assert shown.states == {FeedState.LIVE}


@pytest.mark.parametrize("hours", [-1, 1])
async def test_a_step_of_the_dashboards_clock_changes_nothing_but_is_told(hours: int) -> None:
    async with true_wall(Service()) as shown:
        shown.clock.step = hours * HOUR
        await shown.hear(8)
        assert shown.is_true
        assert shown.states == {FeedState.LIVE}
        assert "60 min" in shown.read()["reason"]


@pytest.mark.parametrize("hours", [-5, 5])
async def test_one_wrong_date_among_many_changes_nothing(hours: int) -> None:
    async with true_wall(Service()) as shown:
        shown.service.wrong_dates.append(hours * HOUR)
        await shown.hear(8)
        assert shown.is_true
        assert shown.states == {FeedState.LIVE}
        assert shown.read()["reason"] == ""


@pytest.mark.parametrize("hours", [-5, 5])
async def test_a_first_date_that_is_wrong_leaves_no_wrong_sum_behind(hours: int) -> None:
    """By a clock that is behind, the last hours of a replay are in the future, and left out."""
    limits = replace(SWIFT, cut=2.0, first_check=5.0, refill=600.0, refill_day=600.0)
    async with wall(Service(wrong_dates=[hours * HOUR]), limits=limits) as shown:
        await eventually(lambda: shown.is_present)
        assert shown.is_true or shown.read()["entrances_today"] is None
        await eventually(lambda: shown.is_true and shown.read()["reason"] == "")


@pytest.mark.parametrize("hours", [-5, 5])
async def test_a_service_whose_clock_is_set_is_believed_after_some_answers(hours: int) -> None:
    async with true_wall(Service()) as shown:
        shown.service.ahead = hours * HOUR
        await eventually(lambda: shown.is_true and "5 h" in shown.read()["reason"])
