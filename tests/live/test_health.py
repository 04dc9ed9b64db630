"""What a hub tells of itself and its feeds to whoever runs the dashboard."""

from __future__ import annotations

from datetime import timedelta

import pytest

from live import FeedKey, FeedState, Hub
from tests.eventually import eventually
from tests.faults.misbehaving_server import Call, date_header, envelope, event, misbehaving_server, point
from tests.live.conftest import SWIFT


@pytest.mark.parametrize("hours", [-14, 14])
async def test_the_age_of_a_value_is_told_by_the_clock_of_the_service(hours: int) -> None:
    date, value = date_header(ahead=timedelta(hours=hours)), point(7, minutes_ago=20 - 60 * hours)

    async def stream(call: Call) -> None:
        await call.open_stream(headers=date)
        await call.send(event(value))
        await call.hold()

    async def answer_newest(call: Call) -> None:
        await call.answer(body=envelope([value]), headers=date)

    async with misbehaving_server(stream, answer_newest) as service:
        hub = Hub(service.base_url, "key", limits=SWIFT)
        try:
            feed = hub.subscribe(FeedKey("site-1"))
            await eventually(lambda: feed.snapshot.state is FeedState.LIVE)
            [age] = hub.health().value_ages
        finally:
            hub.close()
    assert timedelta(minutes=15) < timedelta(seconds=age) < timedelta(hours=1)
