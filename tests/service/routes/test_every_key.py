"""Every endpoint with every wrong key. The endpoints are the application's own: a new one needs a row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import httpx
import pytest

from service.application import create_application
from service.clock import present
from service.open_store import open_store, store_url
from service.settings import ServiceSettings
from service.store.protocol import KeyScope, Store
from tests.service.conftest import Served, key_of
from tests.small_site import ORGANIZATION, OTHER_ORGANIZATION, count
from tests.small_site import SITE as CORNER_SHOP

OPEN_TO_ALL: Final = {"/healthz", "/readyz", "/metrics", "/openapi.json"}
"""And what is below /docs."""
LATELY: Final = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=2)


def report(serial: str) -> dict[str, Any]:
    """Of a counter of Axis, which nobody has placed."""
    items = [{"direction": "in", "count": 1}, {"direction": "out", "count": 1}]
    end = LATELY + timedelta(minutes=15)
    measured = {
        "kind": "people-counts", "utcFrom": LATELY.isoformat(), "utcTo": end.isoformat(), "items": items,
    }  # fmt: skip
    return {
        "apiName": "Axis Retail Data",
        "sensor": {"serial": serial},
        "data": {"measurements": [measured]},
    }


@dataclass(frozen=True)
class Case:
    """A request that the right key is answered."""

    scope: KeyScope
    others: str | None
    """The code for a key of another organization; None: it is answered of its own."""
    body: Any = None
    names: Mapping[str, str] = field(default_factory=dict)
    """For the path."""


SITE: Final = {"siteId": "corner-shop"}
RENAMED: Final = CORNER_SHOP.model_dump(mode="json", by_alias=True) | {"name": "Renamed"}
NEWEST: Final = SITE | {"metrics": ["entrances"], "from": "now", "to": "now"}
LEVEL: Final = SITE | {"timestamp": LATELY.isoformat(), "zoneId": "hall", "visitorsInside": 3}
BY_HAND: Final = {"zoneId": "hall", "visitorsInside": 12, "reason": "we counted"}
WRITTEN: Final = {"kind": "cumulative", "serial": "row.sn", "end": "row.at", "forward": "row.in"}
READ, INGEST, ADMIN = KeyScope.READ, KeyScope.INGEST, KeyScope.ADMIN
WAITING: Final = "{waiting}"
"""In a body: the number of a counter that nobody has placed."""
CASES: Final[dict[tuple[str, str], Case]] = {
    ("GET", "/v3/sites"): Case(READ, None),
    ("GET", "/v3/sites/{siteId}"): Case(READ, "FORBIDDEN_ACCESS", names=SITE),
    ("GET", "/live/sites"): Case(READ, None),
    ("POST", "/v3/metrics"): Case(READ, "FORBIDDEN_ACCESS", NEWEST),
    ("POST", "/ingest/counts"): Case(INGEST, "UNKNOWN_PASSAGE", [count(LATELY)]),
    ("POST", "/ingest/{maker}"): Case(INGEST, None, report("A-1"), {"maker": "axis-3d"}),
    ("GET", "/admin/organization"): Case(ADMIN, None),
    ("PUT", "/admin/organization"): Case(ADMIN, None, {"name": "Renamed"}),
    ("GET", "/admin/sites"): Case(ADMIN, None),
    ("GET", "/admin/sites/{siteId}"): Case(ADMIN, "FORBIDDEN_ACCESS", names=SITE),
    ("PUT", "/admin/sites/{siteId}"): Case(ADMIN, "FORBIDDEN_ACCESS", RENAMED, SITE),
    ("GET", "/admin/keys"): Case(ADMIN, None),
    ("POST", "/admin/keys"): Case(ADMIN, None, {"name": "made", "scope": "read"}),
    ("DELETE", "/admin/keys/{keyId}"): Case(ADMIN, "NOT_FOUND", names={"keyId": "{revoked}"}),
    ("POST", "/admin/keys/{keyId}/rotation"): Case(
        ADMIN, "NOT_FOUND", {"overlapSeconds": 0}, {"keyId": "{rotated}"}
    ),
    ("POST", "/ingest/levels"): Case(INGEST, "UNKNOWN_ZONE", [LEVEL]),
    ("POST", "/admin/sites/{siteId}/corrections"): Case(ADMIN, "FORBIDDEN_ACCESS", BY_HAND, SITE),
    ("GET", "/admin/sites/{siteId}/corrections"): Case(ADMIN, "FORBIDDEN_ACCESS", names=SITE),
    ("DELETE", "/admin/sites/{siteId}/corrections/{number}"): Case(
        ADMIN, "FORBIDDEN_ACCESS", names=SITE | {"number": "{correction}"}
    ),
    ("GET", "/admin/audit"): Case(ADMIN, None),
    ("GET", "/admin/sensors"): Case(ADMIN, None),
    ("POST", "/admin/sensors/dismissal"): Case(ADMIN, "NOT_FOUND", {"numbers": [WAITING]}),
    ("POST", "/admin/mappings/try"): Case(ADMIN, None, {"mapping": WRITTEN, "body": "{}"}),
    ("GET", "/admin/mappings"): Case(ADMIN, None),
    ("PUT", "/admin/mappings/{name}"): Case(ADMIN, None, WRITTEN, {"name": "gym-doors"}),
    ("DELETE", "/admin/mappings/{name}"): Case(ADMIN, "NOT_FOUND", names={"name": "kept"}),
    ("PUT", "/admin/sensors/{number}/placement"): Case(
        ADMIN, "NOT_FOUND", {"passageId": "entrance"}, {"number": "{number}"}
    ),
}


@dataclass(frozen=True)
class Keys:
    """Secrets by scope."""

    right: Mapping[KeyScope, str]
    revoked: Mapping[KeyScope, str]
    expired: Mapping[KeyScope, str]
    rival: Mapping[KeyScope, str]
    named: Mapping[str, str]
    """What stands in paths and bodies."""
    store: Store

    def newest_change(self) -> list[int]:
        return [entry.number for entry in self.store.audit.entries(ORGANIZATION.id, limit=1)]


@pytest.fixture(scope="module")
def keys(served: Served) -> Iterator[Keys]:
    url = store_url(served.site.data_dir)
    yesterday = present() - timedelta(days=1)
    with closing(open_store(url, clock=lambda: yesterday)) as earlier:
        expired = {
            scope: earlier.keys.create(
                ORGANIZATION.id, "old", scope, expires_at=yesterday + timedelta(hours=1)
            )[1]
            for scope in KeyScope
        }
    with closing(open_store(url)) as store:
        made = {scope: store.keys.create(ORGANIZATION.id, "lost", scope) for scope in KeyScope}
        for record, _ in made.values():
            store.keys.revoke(record.id)
        right = {scope: key_of(served, ORGANIZATION.id, scope) for scope in KeyScope}
        headers = {"x-api-key": right[INGEST]}
        served.client.post("/ingest/axis-3d", headers=headers, json=report("of a test"))
        served.client.post("/ingest/axis-3d", headers=headers, json=report("waits"))
        numbers = {one.name.serial: str(one.number) for one in store.sensors.lines(ORGANIZATION.id)}
        by_hand = served.client.post(
            "/admin/sites/corner-shop/corrections", headers={"x-api-key": right[ADMIN]}, json=BY_HAND
        )
        admin = {"x-api-key": right[ADMIN]}
        served.client.put("/admin/mappings/kept", headers=admin, json=WRITTEN).raise_for_status()
        named = {
            "revoked": store.keys.create(ORGANIZATION.id, "to be revoked", READ)[0].id,
            "rotated": store.keys.create(ORGANIZATION.id, "to be rotated", READ)[0].id,
            "number": numbers["of a test"],
            "waiting": numbers["waits"],
            "correction": str(by_hand.json()["data"]["number"]),
        }
        rival = {scope: key_of(served, OTHER_ORGANIZATION.id, scope) for scope in KeyScope}
        yield Keys(
            right, {scope: secret for scope, (_, secret) in made.items()}, expired, rival, named, store
        )


def routes_of(routes: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """(method, path) of all, those of routers within, too."""
    for route in routes:
        if inner := getattr(route, "original_router", None):
            yield from routes_of(inner.routes)
        else:
            yield from ((method, route.path) for method in route.methods - {"HEAD"})


def asked(
    served: Served, keys: Keys, endpoint: tuple[str, str], key: str | bytes | None
) -> tuple[httpx.Response, str]:
    """The answer, and the code of its error, empty where there is none."""
    method, path = endpoint
    case = CASES[endpoint]
    for name, value in case.names.items():
        path = path.replace(f"{{{name}}}", value.format_map(keys.named))
    headers = [(b"accept", b"application/json")]  # what would be a stream by default is one answer
    headers += [] if key is None else [(b"x-api-key", key if isinstance(key, bytes) else key.encode())]
    body = json.loads(json.dumps(case.body).replace(f'"{WAITING}"', keys.named["waiting"]))
    answer = served.client.request(method, path, headers=headers, json=body)
    return answer, "".join(error["code"] for error in answer.json()["meta"]["errors"])


def test_every_endpoint_is_in_the_table(served: Served) -> None:
    with closing(open_store(store_url(served.site.data_dir))) as store:
        application = create_application(store, ServiceSettings())
    found = {
        (method, path)
        for method, path in routes_of(application.routes)
        if path not in OPEN_TO_ALL and not path.startswith("/docs")
    }
    assert found == CASES.keys()


@pytest.mark.parametrize("endpoint", CASES, ids=" ".join)
def test_an_endpoint_answers_the_right_key_and_no_other(
    served: Served, keys: Keys, endpoint: tuple[str, str]
) -> None:
    case = CASES[endpoint]
    before = keys.newest_change()
    right = keys.right[case.scope]
    of_other_text = (None, "", "nonsense", f"{right[:-1]}~", right + "A", right.swapcase(), b"\xff\xfe")
    for wrong in (*of_other_text, keys.revoked[case.scope], keys.expired[case.scope]):
        answer, code = asked(served, keys, endpoint, wrong)
        assert (answer.status_code, code, answer.json()["data"]) == (401, "INVALID_API_KEY", None), wrong
    for scope in KeyScope:
        if scope is not case.scope:
            answer, code = asked(served, keys, endpoint, keys.right[scope])
            assert (answer.status_code, code, answer.json()["data"]) == (403, "FORBIDDEN_ACCESS", None), scope
    answer, code = asked(served, keys, endpoint, keys.rival[case.scope])
    if case.others is None:
        assert answer.status_code == 200
        assert ORGANIZATION.id not in answer.text
    else:
        assert (code, answer.json()["data"]) == (case.others, None)
    assert keys.newest_change() == before
    answer, _ = asked(served, keys, endpoint, right)
    assert answer.status_code == 200, answer.text
