"""deploy/nginx/headroom.conf with a short idle limit before a relay with swift beats: minutes in seconds."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from live import FeedKey
from tests.faults.misbehaving_server import event, misbehaving_server, point, stream_of
from tests.live.conftest import StartRelay, token_for
from tests.running_nginx import running_nginx
from tests.two_dashboards import PATIENCE


async def test_beats_carry_a_quiet_stream_over_the_idle_limit(
    start_relay: StartRelay, tmp_path: Path
) -> None:
    """The shipped limit is 60 s against a beat every 15 s; here 8 s against a beat each second."""
    async with misbehaving_server(stream_of(event(point(3)))) as service:
        relay = start_relay(service.base_url, heartbeat=1.0)
        shorter = {"proxy_read_timeout 60s;": "proxy_read_timeout 8s;"}
        with running_nginx(tmp_path, [relay.base_url], replacing=shorter) as nginx:
            address = f"{nginx.base_url}/live/stream?token={token_for(FeedKey('site-1'))}"
            async with httpx.AsyncClient(timeout=PATIENCE) as client, client.stream("GET", address) as answer:
                beats = 0
                async for line in answer.aiter_lines():
                    beats += line == "event: beat"
                    if beats == 12:
                        break
                assert beats == 12


async def test_without_beats_the_idle_limit_would_end_it(start_relay: StartRelay, tmp_path: Path) -> None:
    async with misbehaving_server(stream_of(event(point(3)))) as service:
        relay = start_relay(service.base_url, heartbeat=600.0)
        shorter = {"proxy_read_timeout 60s;": "proxy_read_timeout 5s;"}
        with running_nginx(tmp_path, [relay.base_url], replacing=shorter) as nginx:
            address = f"{nginx.base_url}/live/stream?token={token_for(FeedKey('site-1'))}"
            async with httpx.AsyncClient(timeout=PATIENCE) as client, client.stream("GET", address) as answer:
                assert answer.status_code == 200
                with pytest.raises(httpx.RemoteProtocolError):
                    async for _ in answer.aiter_lines():
                        pass
