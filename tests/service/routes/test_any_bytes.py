"""Any bytes over real HTTP, at every address that takes a body: it says what is wrong, and never fails."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.open_store import open_store, store_url
from service.sensors.adapters import ADAPTERS
from service.store.audit_protocol import SERVICE_ITSELF
from service.store.protocol import KeyScope
from tests.damaged import ANY_BYTES, damaged
from tests.service.conftest import Served, key_of
from tests.service.sensors.adapters.payload_files import payload
from tests.small_site import ORGANIZATION, SITE, count

LATELY: Final = datetime.now(UTC).replace(microsecond=0)
BY_HAND: Final = {"zoneId": "hall", "visitorsInside": 1, "reason": "we counted"}
QUESTION: Final = {"siteId": SITE.id, "metrics": ["entrances"], "from": "1 day ago", "to": "now"}
MAPPING: Final = {
    "kind": "interval",
    "timeFormat": "seconds",
    "rows": "doors[]",
    "serial": "body.box",
    "line": "not_null(row.door, 'N')",
    "start": "row.from",
    "intervalSeconds": 60,
    "forward": "sum(row.came[].people)",
    "backward": "row.went || `0`",
}
MAPPED: Final = {
    "box": "GYM-1",
    "doors": [{"door": "N", "from": int(LATELY.timestamp()), "came": [{"people": 2}], "went": 1}],
}
BODIES: Final = {
    ("POST", "/v3/metrics"): json.dumps(QUESTION).encode(),
    ("POST", "/ingest/counts"): json.dumps([count(LATELY)]).encode(),
    ("POST", "/ingest/levels"): b'[{"siteId": "corner-shop", "zoneId": "hall", "visitorsInside": 1}]',
    ("PUT", "/admin/organization"): b'{"name": "Renamed"}',
    ("PUT", "/admin/sites/corner-shop"): SITE.model_dump_json(by_alias=True).encode(),
    (
        "POST",
        "/admin/sites/corner-shop/corrections",
    ): json.dumps(BY_HAND).encode(),
    ("POST", "/admin/keys"): b'{"name": "made", "scope": "read"}',
    ("POST", "/admin/sensors/dismissal"): b'{"numbers": [1, 2], "isIgnored": true}',
    ("PUT", "/admin/sensors/1/placement"): b'{"passageId": "entrance"}',
    **{("POST", f"/ingest/{maker}"): payload(maker) for maker in ADAPTERS},
    ("POST", "/ingest/gym-doors"): json.dumps(MAPPED).encode(),
    ("PUT", "/admin/mappings/doors"): json.dumps(MAPPING).encode(),
    ("POST", "/admin/mappings/try"): json.dumps({"mapping": MAPPING, "body": json.dumps(MAPPED)}).encode(),
}
PIECES: Final = (
    b"\x00",
    b"\xff\xfe",
    b"1e400",
    b"9" * 400,
    b"NaN",
    b"null",
    b'"\\ud800"',
    b"<!DOCTYPE a>",
    b"]]",
)
CODINGS: Final = ("identity", "gzip")


@pytest.fixture(scope="module")
def keys(served: Served) -> dict[str, str]:
    """By the first part of an address; a mapping is kept for one of them."""
    with closing(open_store(store_url(served.site.data_dir))) as store:
        store.mappings.keep(ORGANIZATION.id, "gym-doors", MAPPING, lambda _: None, SERVICE_ITSELF)
    scopes = {"v3": KeyScope.READ, "ingest": KeyScope.INGEST, "admin": KeyScope.ADMIN}
    return {part: key_of(served, ORGANIZATION.id, scope) for part, scope in scopes.items()}


@pytest.mark.parametrize(("method", "path"), BODIES)
def test_an_address_answers_any_bytes(served: Served, keys: dict[str, str], method: str, path: str) -> None:
    headers = {"x-api-key": keys[path.split("/")[1]], "content-type": "application/json"}

    @settings(max_examples=30)
    @given(ANY_BYTES | damaged(BODIES[method, path], pieces=PIECES), st.sampled_from(CODINGS))
    def answers(body: bytes, coding: str) -> None:
        answer = served.client.request(
            method, path, content=body, headers=headers | {"content-encoding": coding}
        )
        assert answer.status_code < 500, answer.text
        assert bool(answer.json()["meta"]["errors"]) is answer.is_error

    answers()
    assert "Traceback" not in served.service.log()
