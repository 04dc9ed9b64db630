from __future__ import annotations

import re

import pytest

from live import FeedKey
from runtime import get_hub
from tests.eventually import eventually
from tests.pages.analysis import Counted, text_of
from tests.running_service import free_port


def test_the_service_its_key_and_its_lag_are_shown(counted: Counted) -> None:
    test = counted.page("connection")
    said = text_of(test)
    assert counted.service.base_url in said
    assert "configured: HEADROOM_BASE_URL" in said
    assert "The service answers." in said
    assert "corner" in said
    assert [metric.label for metric in test.metric] == ["Round trip", "Lag"]


def test_what_was_found_has_its_time(counted: Counted) -> None:
    test = counted.page("connection")
    (answer,) = [success.value.replace("\\", "") for success in test.success]
    assert re.fullmatch(r"The service answers\. Asked at \d\d:\d\d:\d\d \(.+\)\.", answer)


def test_the_key_is_never_shown_whole(counted: Counted) -> None:
    said = text_of(counted.page("connection"))
    assert counted.site.read_key not in said
    assert f"{counted.site.read_key[:5]}…{counted.site.read_key[-2:]}" in said


def test_a_refused_key_is_named_with_its_request_id(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", "revoked-key-of-some-length")
    test = counted.page("connection")
    said = text_of(test)
    assert "The check cannot be shown." in said
    assert "does not accept the API key" in said
    errors = test.dataframe[0].value
    assert "INVALID_API_KEY" in set(errors["code"])
    assert errors["request_id"].str.len().min() > 0


def test_a_service_that_is_not_there_is_named(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", f"http://127.0.0.1:{free_port()}")
    test = counted.page("connection")
    assert "cannot be reached" in text_of(test)
    assert "CONNECTION_FAILED" in set(test.dataframe[0].value["code"])


async def test_open_streams_are_listed_with_their_state(counted: Counted) -> None:
    hub = get_hub()
    key = FeedKey("corner-shop")
    with hub.subscribe(key, timezone="Europe/Zurich"):
        await eventually(lambda: hub.snapshot(key).latest is not None)
        streams = counted.page("connection").dataframe[0].value
    assert streams["feed"].tolist() == ["corner-shop"]
    assert streams["viewers"].tolist() == [1]


def test_checking_again_asks_again(counted: Counted) -> None:
    test = counted.page("connection")
    request_ids = [caption.value for caption in test.caption if caption.value.startswith("Request id")]
    test.button[0].click().run()
    assert not test.exception
    assert request_ids != [
        caption.value for caption in test.caption if caption.value.startswith("Request id")
    ]
