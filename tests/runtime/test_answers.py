from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contract import MetricKey, MetricsFilter, MetricsQuery
from runtime import ApiClientError
from runtime.answers import read_answers
from tests.running_service import RunningService, start_service
from tests.small_site import SmallSite, create_small_site


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallSite]:
    small = create_small_site(tmp_path / "service")
    service: RunningService = start_service(small.data_dir)
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", small.read_key)
    yield small
    service.kill()


def query(site: SmallSite, zone_id: str) -> MetricsQuery:
    return MetricsQuery(
        metrics=(MetricKey.ENTRANCES,),
        site_id=site.site_id,
        from_="1 hour ago",
        to="now",
        filter=MetricsFilter(zone_ids=(zone_id,)),
    )


def test_what_fails_for_one_zone_leaves_the_others_be(site: SmallSite) -> None:
    answers = read_answers({zone: query(site, zone) for zone in ("hall", "gone", "cafe")})
    assert set(answers.known) == {"hall", "cafe"}
    assert isinstance(answers.failures["gone"], ApiClientError)
    assert answers.failures["gone"].request_id


def test_no_question_has_no_answer() -> None:
    assert read_answers({}) == ({}, {})
