"""What travels: tolerant on the way in, exact on the way out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import TypeAdapter, ValidationError

import contract
from contract import HTTP_STATUS, Envelope, ErrorCode, MetricPoint, MetricsQuery, Site, SiteSummary


def test_a_site_with_nothing_but_id_and_name_is_read() -> None:
    site = Site.model_validate({"id": "1", "name": "A", "somethingNew": {"deep": [1]}})
    assert (site.category, site.timezone, site.zones, site.created_at) == (None, None, (), None)


@pytest.mark.parametrize(
    "written", ["2025-07-31T12:00:00", "2025-07-31T12:00:00Z", "2025-07-31T14:00:00+02:00"]
)
def test_created_at_is_read_with_and_without_an_offset(written: str) -> None:
    site = SiteSummary.model_validate({"id": "1", "name": "A", "createdAt": written})
    assert site.created_at == datetime(2025, 7, 31, 12, tzinfo=UTC)


def test_a_timestamp_is_printed_with_its_offset_as_two_zeros() -> None:
    point = MetricPoint(timestamp=datetime(2025, 7, 31, 12, tzinfo=UTC), metrics={"entrances": 3})
    assert TypeAdapter(MetricPoint).dump_json(point, by_alias=True, exclude_none=True).decode() == (
        '{"timestamp":"2025-07-31T12:00:00+00:00","metrics":{"entrances":3}}'
    )


def test_a_null_metric_is_a_missing_one() -> None:
    point = TypeAdapter(MetricPoint).validate_python(
        {"timestamp": "2025-07-31T12:00:00+00:00", "metrics": {"timeSpent": None, "exits": 1}}
    )
    assert point.metrics == {"exits": 1}


@pytest.mark.parametrize("number", [float("nan"), float("inf"), "many", True])
def test_a_metric_that_is_no_number_is_refused(number: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(MetricPoint).validate_python(
            {"timestamp": "2025-07-31T12:00:00+00:00", "metrics": {"exits": number}}
        )


def test_warnings_of_any_shape_are_read() -> None:
    envelope = Envelope[None].model_validate(
        {"data": None, "meta": {"warnings": ["text", {"code": 1}, 7, None], "errors": []}}
    )
    assert len(envelope.meta.warnings) == 4


def test_a_query_sends_only_what_was_said() -> None:
    query = MetricsQuery.model_validate({"metrics": ["exits"], "siteId": "1", "from": "now", "to": "now"})
    assert query.body() == {"metrics": ["exits"], "siteId": "1", "from": "now", "to": "now"}


def test_every_error_code_has_a_status() -> None:
    assert set(HTTP_STATUS) == set(ErrorCode)


def test_the_public_door_opens_on_everything_it_names() -> None:
    assert sorted(contract.__all__) == sorted(set(contract.__all__))
    assert all(hasattr(contract, name) for name in contract.__all__)
