"""History of a service that keeps minutes of long ago as quarters of an hour alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from streamlit.testing.v1 import AppTest

from service.open_store import open_store, store_url
from tests.pages.administration import said
from tests.running_service import ROOT, RunningService, start_service
from tests.small_site import SmallSite, create_small_site, store_counts

TODAY: Final = datetime.now(UTC).replace(hour=10, minute=0, second=0, microsecond=0)
FOLDED: Final = TODAY - timedelta(days=8)
KEPT: Final = TODAY - timedelta(days=2)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SmallSite:
    return create_small_site(tmp_path_factory.mktemp("folded"))


@pytest.fixture(scope="module")
def service(site: SmallSite) -> Iterator[RunningService]:
    minutes = [day + timedelta(minutes=minute) for day in (FOLDED, KEPT) for minute in range(120)]
    store_counts(site.data_dir, [(minute, "entrance", 2, 1) for minute in minutes])
    with closing(open_store(store_url(site.data_dir))) as store:
        assert store.retention.fold(5)
    started = start_service(site.data_dir)
    yield started
    started.kill()


@pytest.fixture(autouse=True)
def _configured(site: SmallSite, service: RunningService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", site.read_key)


def history(start: datetime, **parameters: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    ends = {"from": start, "to": start + timedelta(hours=2)}
    asked = {name: f"{moment:%Y-%m-%dT%H:%M}" for name, moment in ends.items()}
    for name, value in (asked | parameters | {"site": "corner-shop", "metric": "entrances"}).items():
        test.query_params[name] = value
    test.query_params["timezone"] = "Etc/UTC"
    test.switch_page("pages/history.py").run()
    assert not test.exception
    return test


def test_hours_of_long_ago_are_shown_and_it_is_said_of_what_they_are_made() -> None:
    text = said(history(FOLDED, granularity="hour"))
    assert "the service keeps counts as quarters of an hour alone: where a value takes single minutes" in text


def test_of_minutes_that_are_gone_it_is_said_and_what_to_do() -> None:
    text = said(history(FOLDED, granularity="minute"))
    assert "as quarters of an hour alone: it has no minutes of that time. See it by hour." in text


def test_where_all_is_kept_by_the_minute_nothing_is_said_of_it() -> None:
    assert "quarters of an hour alone" not in said(history(KEPT, granularity="hour"))
