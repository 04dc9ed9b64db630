"""What a service says of itself to whoever watches it."""

from __future__ import annotations

from tests.service.conftest import Served


def test_a_service_that_answers_is_ready_and_has_metrics_without_a_key(served: Served) -> None:
    ready = served.client.get("/readyz")
    assert ready.status_code == 200
    assert ready.json()["data"] == {"troubles": {}}
    answer = served.client.get("/metrics", headers={"accept": "text/plain"})
    assert answer.headers["content-type"].startswith("text/plain")
    assert "headroom_service_store_usable 1.0" in answer.text
    assert "headroom_service_streams 0.0" in answer.text
