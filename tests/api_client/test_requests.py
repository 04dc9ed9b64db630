from __future__ import annotations

import httpx
import pytest

from api_client import BrokenAnswer, Unauthorized
from api_client.requests import (
    MAXIMUM_REDIRECTS,
    ApiRequest,
    key_headers,
    metrics_request,
    now_query,
    redirected,
    service_root,
    site_request,
)
from contract import Granularity, MetricKey, MetricsQuery

QUERY = MetricsQuery(metrics=(MetricKey.EXITS,), site_id="a", from_="1 hour ago", to="now", live=True)


@pytest.mark.parametrize(
    "base_url",
    [
        "https://api.example.com/prefix",
        "https://api.example.com/prefix/",
        "https://api.example.com/prefix/v3",
        "https://api.example.com/prefix/v3/",
        " https://api.example.com/prefix\n",
    ],
)
def test_any_way_to_write_the_base_url_leads_to_the_same_service(base_url: str) -> None:
    assert service_root(base_url) == "https://api.example.com/prefix"


def test_a_host_that_is_called_v3_stays() -> None:
    assert service_root("https://example.com/api-v3") == "https://example.com/api-v3"


def test_a_site_id_is_one_segment_of_the_path() -> None:
    assert site_request("http://a", "x/../y?z#ü").url == "http://a/v3/sites/x%2F..%2Fy%3Fz%23%C3%BC"


def test_what_a_query_leaves_out_stays_out() -> None:
    query = MetricsQuery(metrics=(MetricKey.EXITS,), site_id="a")
    assert metrics_request("http://a", query).body == {"metrics": ["exits"], "siteId": "a"}


def test_the_latest_value_is_asked_without_range_granularity_or_stream() -> None:
    query = now_query(QUERY.model_copy(update={"granularity": Granularity.HOUR, "timezone": "Etc/UTC"}))
    assert query.body() == {
        "metrics": ["exits"],
        "siteId": "a",
        "from": "now",
        "to": "now",
        "timezone": "Etc/UTC",
    }


def test_a_key_is_sent_without_the_space_that_was_copied_with_it() -> None:
    assert key_headers(" abc\n") == {"x-api-key": "abc"}


@pytest.mark.parametrize("key", ["a\nb", "schlüssel", "a\x00b", "“quoted”"])
def test_text_that_no_header_can_carry_is_refused_before_it_is_sent(key: str) -> None:
    with pytest.raises(Unauthorized):
        key_headers(key)


def redirect(source: str, location: str) -> tuple[ApiRequest, httpx.Response]:
    request = ApiRequest("test", "POST", source, {"limit": 1}, {"a": 1})
    transport = httpx.MockTransport(lambda _: httpx.Response(301, headers={"location": location}))
    with httpx.Client(transport=transport) as client:
        return request, client.post(source)


@pytest.mark.parametrize(
    ("source", "location", "target"),
    [
        ("http://a.example/v3/sites", "/x/v3/sites", "http://a.example/x/v3/sites"),
        ("http://a.example/v3/sites", "https://a.example/v3/sites", "https://a.example/v3/sites"),
        ("http://a.example:8502/v3/sites", "sites/", "http://a.example:8502/v3/sites/"),
        ("http://a.example/v3/sites", "//A.example/v3/", "http://a.example/v3/"),
    ],
)
def test_a_redirect_on_the_same_host_keeps_method_and_body(source: str, location: str, target: str) -> None:
    request, response = redirect(source, location)
    followed = redirected(request, response, 0)
    assert followed == ApiRequest("test", "POST", target, {}, {"a": 1})


@pytest.mark.parametrize(
    ("source", "location"),
    [
        ("https://a.example/v3", "https://b.example/v3"),
        ("https://a.example/v3", "http://a.example/v3"),
        ("https://a.example/v3", "https://a.example:8443/v3"),
        ("http://a.example:80/v3", "http://a.example:81/v3"),
        ("http://a.example:8080/v3", "https://a.example/v3"),
        ("https://a.example/v3", "https://a.example.evil.example/v3"),
        ("https://a.example/v3", "https://a.example@evil.example/v3"),
        ("https://a.example/v3", "//evil.example/v3"),
    ],
)
def test_a_redirect_to_another_host_port_or_plain_text_is_an_error(source: str, location: str) -> None:
    request, response = redirect(source, location)
    with pytest.raises(BrokenAnswer):
        redirected(request, response, 0)


def test_redirects_are_bounded() -> None:
    request, response = redirect("https://a.example/v3", "/v3")
    with pytest.raises(BrokenAnswer):
        redirected(request, response, MAXIMUM_REDIRECTS)
