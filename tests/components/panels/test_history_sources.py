from __future__ import annotations

import shlex

import pytest

from components.panels.history_sources import as_curl, as_json
from contract import MetricKey, MetricsFilter, MetricsQuery

QUERY = MetricsQuery(metrics=(MetricKey.ENTRANCES,), site_id="shop", filter=MetricsFilter(zone_ids=("hall",)))


def test_the_request_as_text_has_everything_but_the_key() -> None:
    curl = as_curl(QUERY, "https://user:secret@service.example/base/")
    assert curl.startswith("curl -sS https://service.example/base/v3/metrics \\\n")
    assert '-H "x-api-key: $HEADROOM_API_KEY"' in curl
    assert "secret" not in curl
    assert '"zoneIds": [\n      "hall"' in as_json(QUERY.body())


@pytest.mark.parametrize("name", ["it's", "$(reboot)", "`x`"])
def test_no_text_leaves_its_quotes_in_the_shell(name: str) -> None:
    curl = as_curl(QUERY.model_copy(update={"site_id": name}), "https://service.example")
    words = shlex.split(curl.replace("\\\n", " "))
    assert f'"siteId": "{name}"' in words[-1]
