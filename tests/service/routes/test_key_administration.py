"""Keys as an administrator makes, lists, revokes and rotates them over HTTP."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.open_store import open_store, store_url
from service.store.protocol import KeyScope, Organization
from tests.service.conftest import Served, key_of
from tests.small_site import ORGANIZATION

TOMORROW = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)


class Administrator:
    """Asks with a key of scope admin."""

    def __init__(self, client: httpx.Client, key: str) -> None:
        self.client = client
        self.headers = {"x-api-key": key}

    def ask(self, method: str, path: str = "", **options: Any) -> httpx.Response:
        return self.client.request(method, f"/admin/keys{path}", headers=self.headers, **options)

    def made(self, **body: Any) -> dict[str, Any]:
        answer = self.ask("POST", json={"name": "Till", "scope": "read"} | body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()["data"]
        return found

    def listed(self, key_id: str) -> dict[str, Any]:
        [found] = [key for key in self.ask("GET").json()["data"] if key["id"] == key_id]
        assert isinstance(found, dict)
        return found

    def opens(self, secret: str, path: str = "/v3/sites") -> bool:
        answer = self.client.get(path, headers={"x-api-key": secret})
        assert answer.status_code in (200, 401)
        return answer.status_code == 200


@pytest.fixture(scope="module")
def administrator(served: Served) -> Administrator:
    return Administrator(served.client, key_of(served, ORGANIZATION.id, KeyScope.ADMIN))


@pytest.fixture
def alone(served: Served) -> tuple[Administrator, str]:
    """Of an organization with no other key of scope admin, and that key's id."""
    name = f"org-{datetime.now(UTC).timestamp()}"
    with closing(open_store(store_url(served.site.data_dir))) as store:
        store.catalogue.save(Organization(name, name), [])
        record, secret = store.keys.create(name, "only", KeyScope.ADMIN)
    return Administrator(served.client, secret), record.id


def acting_for(administrator: Administrator, person: bytes) -> list[tuple[bytes, bytes]]:
    given = [(name.encode(), value.encode()) for name, value in administrator.headers.items()]
    return [*given, (b"x-acting-for", person)]


def error_of(answer: httpx.Response) -> tuple[int, str, dict[str, str]]:
    [error] = answer.json()["meta"]["errors"]
    return answer.status_code, error["code"], error.get("details") or {}


def test_a_key_is_made_listed_used_and_revoked(administrator: Administrator) -> None:
    answer = administrator.ask("POST", json={"name": "Kasse Zürich 🚪", "scope": "read"})
    assert answer.headers["cache-control"] == "no-store"
    made = answer.json()["data"]
    secret = made.pop("secret")
    assert (made["name"], made["scope"], made["expiresAt"], made["siteIds"]) == (
        "Kasse Zürich 🚪", "read", None, None,
    )  # fmt: skip
    assert administrator.listed(made["id"]) == made
    assert secret not in administrator.ask("GET").text
    assert administrator.opens(secret)
    used = administrator.listed(made["id"])
    assert used["lastUsedFrom"] == "127.0.0.1"
    assert datetime.fromisoformat(used["lastUsedAt"]) >= datetime.fromisoformat(made["createdAt"])
    revoked = administrator.ask("DELETE", f"/{made['id']}").json()["data"]
    assert revoked["revokedAt"]
    assert not administrator.opens(secret)
    again = administrator.ask("DELETE", f"/{made['id']}").json()["data"]
    assert again == revoked
    assert administrator.listed(made["id"]) == revoked


def test_a_key_with_an_end_and_sites(administrator: Administrator) -> None:
    made = administrator.made(expiresAt=TOMORROW.isoformat(), siteIds=["corner-shop", "closed-shop"])
    assert datetime.fromisoformat(made["expiresAt"]) == TOMORROW
    assert made["siteIds"] == ["closed-shop", "corner-shop"]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"name", "scope"}),
        (
            {"name": 7, "scope": "write", "expiresAt": "2027-01-31", "siteIds": "corner-shop", "colour": 1},
            {"name", "scope", "expiresAt", "siteIds", "colour"},
        ),
        (
            {"name": " ", "scope": "admin", "expiresAt": "2020-01-01T00:00:00Z", "siteIds": ["elsewhere"]},
            {"name", "expiresAt", "siteIds"},
        ),
        ({"name": "x" * 201, "scope": "read", "siteIds": []}, {"name", "siteIds"}),
        ({"name": "\u200b\u202e ", "scope": "read"}, {"name"}),
        ({"name": "a\nb", "scope": "read", "siteIds": ["x\x00", "a/b"]}, {"name", "siteIds"}),
        ({"name": "a", "scope": "read", "siteIds": ["corner-shop"] * 1001}, {"siteIds"}),
        ({"name": "a", "scope": "read", "expiresAt": "9999-12-31T23:59:59-23:59"}, {"expiresAt"}),
        ({"name": "a", "scope": "read", "expiresAt": "0001-01-01T00:00:00+23:59"}, {"expiresAt"}),
        ({"name": "a", "scope": "read", "expiresAt": 1900000000}, {"expiresAt"}),
        ({"name": "a", "scope": "read", "expiresAt": "2027-01-31T00:00:00"}, {"expiresAt"}),
    ],
)
def test_all_that_is_wrong_is_named_at_once(
    administrator: Administrator, body: dict[str, Any], fields: set[str]
) -> None:
    before = administrator.ask("GET").json()["data"]
    status, code, details = error_of(administrator.ask("POST", json=body))
    assert (status, code, set(details)) == (400, "INVALID_BODY", fields)
    assert all(details.values())
    assert [key["id"] for key in administrator.ask("GET").json()["data"]] == [key["id"] for key in before]


def test_a_site_of_another_organization_is_unknown_as_one_that_is_not_there(
    administrator: Administrator,
) -> None:
    said = [
        error_of(administrator.ask("POST", json={"name": "a", "scope": "read", "siteIds": [site_id]}))[2]
        for site_id in ("elsewhere", "nowhere")
    ]
    assert said[0]["siteIds"].replace("elsewhere", "nowhere") == said[1]["siteIds"]


@settings(max_examples=150)
@given(
    body=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["name", "scope", "expiresAt", "siteIds", "other"]), inner, max_size=5
            )
        ),
        max_leaves=12,
    )
)
def test_any_body_makes_a_key_or_says_what_is_wrong(administrator: Administrator, body: Any) -> None:
    if isinstance(body, dict):
        body.setdefault("scope", "read")
    answer = administrator.ask("POST", content=json.dumps(body))
    if answer.status_code == 200:
        assert administrator.opens(answer.json()["data"]["secret"])
    else:
        # What JSON does not have, as NaN, is malformed.
        assert error_of(answer)[:2] in {(400, "INVALID_BODY"), (400, "MALFORMED_JSON")}


def test_rotation_lets_both_open_for_the_overlap(administrator: Administrator) -> None:
    old = administrator.made(name="Rotated", siteIds=["corner-shop"], expiresAt=TOMORROW.isoformat())
    path = f"/{old['id']}/rotation"
    new = administrator.ask("POST", path, json={"overlapSeconds": 3600}).json()["data"]
    assert (new["name"], new["scope"], new["siteIds"]) == ("Rotated", "read", ["corner-shop"])
    lasts = [
        datetime.fromisoformat(key["expiresAt"]) - datetime.fromisoformat(key["createdAt"])
        for key in (old, new)
    ]
    assert lasts[0] == lasts[1]
    assert administrator.opens(old["secret"])
    assert administrator.opens(new["secret"])
    left = administrator.listed(old["id"])
    assert left["replacedBy"] == new["id"]
    until = datetime.fromisoformat(left["expiresAt"]) - datetime.fromisoformat(new["createdAt"])
    assert abs(until - timedelta(hours=1)) <= timedelta(seconds=1)
    again = administrator.ask("POST", path, json={"overlapSeconds": 3600})
    assert error_of(again)[:2] == (409, "KEY_NOT_ROTATABLE")
    assert new["id"] in again.json()["meta"]["errors"][0]["message"]


def test_rotation_without_overlap_refuses_the_old_key_at_the_next_request(
    administrator: Administrator,
) -> None:
    old = administrator.made()
    answer = administrator.ask("POST", f"/{old['id']}/rotation", json={"overlapSeconds": 0})
    assert not administrator.opens(old["secret"])
    assert administrator.opens(answer.json()["data"]["secret"])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"overlapSeconds": -1},
        {"overlapSeconds": 2_592_001},
        {"overlapSeconds": "1"},
        {"overlapSeconds": 1.5},
    ],
)
def test_an_overlap_that_is_none_changes_nothing(administrator: Administrator, body: Any) -> None:
    old = administrator.made()
    answer = administrator.ask("POST", f"/{old['id']}/rotation", json=body)
    assert error_of(answer)[0] == 400
    assert error_of(answer)[2].keys() == {"overlapSeconds"}
    assert administrator.listed(old["id"])["replacedBy"] is None


def test_a_revoked_key_is_not_rotated(administrator: Administrator) -> None:
    old = administrator.made()
    administrator.ask("DELETE", f"/{old['id']}")
    answer = administrator.ask("POST", f"/{old['id']}/rotation", json={"overlapSeconds": 0})
    assert error_of(answer)[:2] == (409, "KEY_NOT_ROTATABLE")


@pytest.mark.parametrize("key_id", ["0123456789ab", "x" * 5000, "%00", "%F0%9F%9A%AA", "'; DROP TABLE keys"])
def test_a_key_that_is_not_there_is_named(administrator: Administrator, key_id: str) -> None:
    assert error_of(administrator.ask("DELETE", f"/{key_id}"))[:2] == (404, "NOT_FOUND")
    answer = administrator.ask("POST", f"/{key_id}/rotation", json={"overlapSeconds": 0})
    assert error_of(answer)[:2] == (404, "NOT_FOUND")
    assert len(answer.content) < 1_000


def test_the_last_key_that_administers_stays(alone: tuple[Administrator, str]) -> None:
    administrator, own = alone
    administrator.made(name="reads")
    assert error_of(administrator.ask("DELETE", f"/{own}"))[:2] == (409, "LAST_ADMIN_KEY")
    other = administrator.made(scope="admin", expiresAt=TOMORROW.isoformat())
    assert administrator.ask("DELETE", f"/{own}").status_code == 200
    assert administrator.ask("GET").status_code == 401
    successor = Administrator(administrator.client, other["secret"])
    assert error_of(successor.ask("DELETE", f"/{other['id']}"))[:2] == (409, "LAST_ADMIN_KEY")


@pytest.mark.parametrize("person", ["Ana Müller", "a" * 200])
def test_who_is_asked_for_by_whom_is_in_the_audit_log(
    served: Served, administrator: Administrator, person: str
) -> None:
    headers = acting_for(administrator, person.encode())
    body = {"name": "for Ana", "scope": "ingest"}
    made = served.client.post("/admin/keys", headers=headers, json=body).json()["data"]
    [entry] = served.client.get("/admin/audit?limit=1", headers=administrator.headers).json()["data"]
    assert (entry["action"], entry["target"], entry["actingFor"]) == ("key.created", made["id"], person)
    assert entry["before"] is None
    assert entry["after"] == body | {"expiresAt": None, "siteIds": None}
    assert (
        made["secret"][-43:]
        not in served.client.get("/admin/audit?limit=100", headers=administrator.headers).text
    )


@pytest.mark.parametrize("person", [b"", b"x" * 201, b"\xff\xfe", "a\u200bb".encode()])
def test_a_person_that_cannot_be_shown_is_refused(
    served: Served, administrator: Administrator, person: bytes
) -> None:
    headers = acting_for(administrator, person)
    answer = served.client.post("/admin/keys", headers=headers, json={"name": "a", "scope": "read"})
    assert error_of(answer)[:2] == (400, "INVALID_BODY")
    assert "x-acting-for" in error_of(answer)[2]
