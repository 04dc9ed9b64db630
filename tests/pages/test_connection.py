from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from live import FeedKey
from live.snapshot import CrossingsKey, FeedState
from runtime import close_resources, get_client, get_hub
from tests.eventually import eventually
from tests.pages.analysis import PATIENCE, Counted, configure, counted_site, text_of
from tests.running_service import free_port

SUPPORT = ("folded-support_agent",)
"""What is drawn when it is opened."""


def for_support(counted: Counted) -> AppTest:
    return counted.as_it_opens("connection", SUPPORT)


def test_the_service_its_key_and_its_lag_are_shown(counted: Counted) -> None:
    test = for_support(counted)
    said = text_of(test)
    assert counted.service.base_url in said
    assert "configured: HEADROOM_BASE_URL" in said
    assert "The service answers." in said
    assert "corner" in said
    assert [metric.label for metric in test.metric] == ["Time to answer", "Age of the newest count"]


def test_what_was_found_has_its_time_beside_what_is_read_aloud(counted: Counted) -> None:
    test = counted.page("connection")
    assert [success.value for success in test.success] == ["The service answers."]
    asked = [caption.value.replace("\\", "") for caption in test.caption]
    assert any(re.fullmatch(r"Asked at \d\d:\d\d, UTC time\.", caption) for caption in asked)


def test_the_key_is_never_shown_whole(counted: Counted) -> None:
    said = text_of(for_support(counted))
    assert counted.site.read_key not in said
    assert f"{counted.site.read_key[:5]}…{counted.site.read_key[-2:]}" in said


def test_a_refused_key_is_named_with_its_request_id(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", "revoked-key-of-some-length")
    test = for_support(counted)
    said = text_of(test)
    assert "The check cannot be shown." in said
    assert "does not accept the API key" in said
    errors = test.dataframe[-1].value
    refused = errors[errors["code"] == "INVALID_API_KEY"]
    assert refused["request_id"].str.len().min() > 0


def test_a_service_that_is_not_there_is_named(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", f"http://127.0.0.1:{free_port()}")
    test = for_support(counted)
    assert "cannot be reached" in text_of(test)
    assert "CONNECTION_FAILED" in set(test.dataframe[-1].value["code"])


async def test_open_streams_are_listed_by_name_with_what_an_engineer_needs_folded(counted: Counted) -> None:
    hub = get_hub()
    keys = [FeedKey("corner-shop"), FeedKey("corner-shop", ("hall",))]
    with hub.subscribe(keys[0], timezone="Europe/Zurich"), hub.subscribe(keys[1], timezone="Europe/Zurich"):
        await eventually(lambda: all(hub.snapshot(key).state is FeedState.LIVE for key in keys))
        test = await asyncio.to_thread(for_support, counted)
        plain = await asyncio.to_thread(counted.as_it_opens, "connection")
    streams = next(table.value for table in test.dataframe if "feed" in table.value)
    assert streams["place"].tolist() == ["Corner shop", "Corner shop, Hall"]
    assert streams["feed"].tolist() == ["corner-shop", "corner-shop/hall"]
    assert streams["viewers"].tolist() == [1, 1]
    assert "2 places are on open pages and walls. All are live." in text_of(plain)
    assert [table for table in plain.dataframe if "feed" in table.value] == []


def test_checking_again_asks_again(counted: Counted) -> None:
    test = for_support(counted)
    (before,) = request_ids(test)
    test.button[0].click().run()
    assert not test.exception
    assert request_ids(test) != [before]


def request_ids(test: AppTest) -> list[str]:
    return [one.value for one in test.markdown if re.fullmatch(r"`[0-9a-f-]{36}`", one.value)]


def test_sites_that_do_not_work_are_named(counted: Counted) -> None:
    """The corner shop counts, and one of its devices is offline."""
    test = counted.page("connection")
    deadline = time.monotonic() + PATIENCE
    # Which of the two depends on how long ago the shop was made.
    said = (
        r"0 of 1 site (works as it should, 1 does not|shows nothing wrong, 1 does not work) \(device not on"
    )
    while not re.search(said, text_of(test)):
        assert time.monotonic() < deadline, text_of(test)
        test.run()
    (link,) = test.get("page_link")
    assert (link.proto.label, link.proto.query_string) == ("**Corner shop**", "site=corner-shop")
    assert link.proto.page == "site"  # where its devices are listed
    wrong = r"Device not online\. 1 device is not online\. Newest count: .*\d\d:\d\d, UTC time\."
    assert re.search(wrong, re.sub(r"[*\\]", "", text_of(test)))


def test_failed_check_is_not_contradicted_by_the_list_of_errors(counted: Counted) -> None:
    """A client that has ended fails without a request, so that its log stays empty."""
    close_resources()
    get_client().end()
    try:
        said = text_of(counted.page("connection"))
    finally:
        close_resources()
    assert "The check cannot be shown." in said
    assert "Besides the check above, no request has failed since the dashboard started." in said


def test_errors_of_an_earlier_key_stay_listed(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the embedded service was replaced: its new key has a client of its own."""
    with monkeypatch.context() as earlier:
        earlier.setenv("HEADROOM_API_KEY", "another-key-of-some-length")
        counted.page("connection")
    assert "INVALID_API_KEY" in set(for_support(counted).dataframe[-1].value["code"])


@pytest.fixture
def ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    """A service of the test's own, which may end: the other one is of all pages."""
    for counted in counted_site(tmp_path):
        configure(counted, monkeypatch)
        yield counted


async def test_who_reads_passages_is_told_and_what_keeps_them_unread(ending: Counted) -> None:
    hub, key = get_hub(), CrossingsKey("corner-shop")
    with hub.subscribe(key, timezone="Europe/Zurich"):
        await eventually(lambda: len(hub.snapshot(key).passages) == 3)
        well = await asyncio.to_thread(ending.page, "connection")
        ending.service.kill()
        await eventually(lambda: bool(hub.snapshot(key).reason))
        ill = await asyncio.to_thread(ending.page, "connection")
    assert "Somebody looks at the drawing of 1 site: 3 of 3 passages are read, in turn." in text_of(well)
    assert [table for table in well.dataframe if "listed" in table.value] == []
    troubled = next(table.value for table in ill.dataframe if "listed" in table.value)
    assert troubled["reason"].tolist() == ["The service cannot be reached."]


async def test_a_place_that_nobody_looks_at_any_more_is_on_no_open_page(ending: Counted) -> None:
    """It is followed for a minute more, so that whoever comes back finds it."""
    hub, feed, crossings = get_hub(), FeedKey("corner-shop"), CrossingsKey("corner-shop")
    with hub.subscribe(feed, timezone="Europe/Zurich"), hub.subscribe(crossings, timezone="Europe/Zurich"):
        await eventually(lambda: hub.snapshot(feed).state is FeedState.LIVE)

    def viewers() -> list[int]:
        health = hub.health()
        return [*(one.subscribers for one in health.feeds), *(one.subscribers for one in health.readers)]

    await eventually(lambda: viewers() == [0, 0])
    said = text_of(await asyncio.to_thread(ending.page, "connection"))
    assert "Nobody looks at a live page or a wall right now." in said
    assert "Somebody looks at" not in said
