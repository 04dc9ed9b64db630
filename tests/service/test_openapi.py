from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contract import METRICS, MetricKey
from service.store.protocol import KeyScope
from tests.service.conftest import Served, key_of
from tests.small_site import ORGANIZATION
from tests.soaking import in_the_soak

# What a schema cannot say is tested elsewhere: a range is required unless live and ends after it begins,
# counts are taken for passages that exist, and a site does not contradict itself. So a body that fits the
# schema may still be refused with 400.
CONFIGURATION = """
[[operations]]
include-path-regex = "^/v3"
headers = {{ x-api-key = "{read_key}" }}

[[operations]]
include-path-regex = "^/live"
headers = {{ x-api-key = "{read_key}", Accept = "application/json" }}

[[operations]]
include-path-regex = "^/ingest"
headers = {{ x-api-key = "{ingest_key}" }}

[[operations]]
include-path-regex = "^/admin"
headers = {{ x-api-key = "{admin_key}" }}

[[operations]]
include-method = "PUT"
include-path-regex = "^/admin/(sites|organization)"
[operations.checks]
positive_data_acceptance.enabled = false

[[operations]]
include-method = "POST"
[operations.checks]
positive_data_acceptance.enabled = false
"""


def document(served: Served) -> dict[str, Any]:
    answer = served.client.get("/openapi.json")
    assert answer.status_code == 200
    result: dict[str, Any] = answer.json()
    return result


@pytest.mark.parametrize("examples", [5, *in_the_soak(40)])
def test_the_service_does_what_its_document_says(served: Served, tmp_path: Path, examples: int) -> None:
    """Besides what each phase tries by itself, so many drawn ones of each operation, always the same."""
    site = served.site
    configuration = tmp_path / "schemathesis.toml"
    admin_key = key_of(served, ORGANIZATION.id, KeyScope.ADMIN)
    configuration.write_text(
        CONFIGURATION.format(read_key=site.read_key, ingest_key=site.ingest_key, admin_key=admin_key)
    )
    command = [str(Path(sys.executable).parent / "schemathesis"), "--config-file", str(configuration), "run"]
    options = ["--max-examples", str(examples), "--no-color", "--generation-database", "none"]
    # The one link between operations, from a site to its metrics, is left out: cases of that phase which are
    # to lack the key are sent with it, and then count as wrongly accepted.
    options += ["--phases", "examples,coverage,fuzzing", "--seed", "20250330"]
    done = subprocess.run(
        [*command, f"{served.service.base_url}/openapi.json", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Tested: 29" in done.stdout
    assert "Traceback" not in served.service.log()


def test_the_document_names_the_key_and_every_failure(served: Served) -> None:
    api = document(served)
    [scheme] = api["components"]["securitySchemes"].values()
    assert (scheme["type"], scheme["in"], scheme["name"]) == ("apiKey", "header", "x-api-key")
    query = api["paths"]["/v3/metrics"]["post"]
    assert query["responses"].keys() >= {"200", "400", "401", "403", "404", "413", "500", "503"}
    assert query["responses"]["200"]["content"].keys() == {"application/json", "text/event-stream"}
    secured = [
        path for path, operations in api["paths"].items() for one in operations.values() if "security" in one
    ]
    assert secured == [
        "/v3/sites",
        "/v3/sites/{siteId}",
        "/v3/metrics",
        "/live/sites",
        "/ingest/counts",
        "/ingest/levels",
        "/ingest/{maker}",
        "/admin/organization",
        "/admin/organization",
        "/admin/sites",
        "/admin/sites/{siteId}",
        "/admin/sites/{siteId}",
        "/admin/keys",
        "/admin/keys",
        "/admin/keys/{keyId}",
        "/admin/keys/{keyId}/rotation",
        "/admin/audit",
        "/admin/sensors",
        "/admin/sensors/{number}/placement",
        "/admin/sensors/dismissal",
        "/admin/mappings/try",
        "/admin/mappings",
        "/admin/mappings/{name}",
        "/admin/mappings/{name}",
        "/admin/sites/{siteId}/corrections",
        "/admin/sites/{siteId}/corrections",
        "/admin/sites/{siteId}/corrections/{number}",
    ]


def test_the_page_lets_a_browser_ask_no_other_host(served: Served) -> None:
    page = served.client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "http://" not in page.text
    assert "https://" not in page.text
    policy = dict(rule.split(" ", 1) for rule in page.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("swagger-ui-bundle.js", "text/javascript"),
        ("swagger-ui.css", "text/css"),
        ("page.js", "text/javascript"),
        ("page.css", "text/css"),
    ],
)
def test_what_the_page_loads_is_served(served: Served, name: str, kind: str) -> None:
    assert f"docs/{name}" in served.client.get("/docs").text
    answer = served.client.get(f"/docs/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind)
    assert answer.content


@pytest.mark.parametrize(
    "schema", ["MetricsBody", "FilterBody", "CountElement", "LevelElement", "Granularity", "Site"]
)
def test_the_documents_references_lead_somewhere(served: Served, schema: str) -> None:
    assert schema in document(served)["components"]["schemas"]


def test_the_document_states_the_longest_lists(served: Served) -> None:
    schemas = document(served)["components"]["schemas"]
    assert schemas["MetricsBody"]["properties"]["metrics"]["maxItems"] == 100
    for name in ("zoneIds", "passageIds"):
        array, _ = schemas["FilterBody"]["properties"][name]["anyOf"]
        assert array["maxItems"] == 10_000


def test_the_document_states_each_default_aggregation_and_what_a_mean_is(served: Served) -> None:
    text = " ".join(document(served)["paths"]["/v3/metrics"]["post"]["description"].split())
    said = text.partition("Aggregation left out is ")[2].partition(". ")[0]
    stated = {
        key: aggregation
        for aggregation, _, keys in (part.partition(" for ") for part in said.split(", "))
        for key in keys.split(" and ")
    }
    assert stated == {key.value: spec.default_aggregation.value for key, spec in METRICS.items()}
    assert f"timeSpent is in seconds: {METRICS[MetricKey.TIME_SPENT].quotient}," in text
