"""The page Keys before a real service: a key is made, used, rotated and revoked."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from http import HTTPStatus

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from tests.administered import Administered
from tests.eventually import PATIENCE
from tests.pages.administration import opened_page, said

pytestmark = pytest.mark.usefixtures("administering")


def secret_in(test: AppTest) -> str:
    (shown,) = test.code
    return str(shown.value)


def status_with(managed: Administered, secret: str) -> int:
    """Of a question with that key."""
    address = f"{managed.service.base_url}/v3/sites"
    return httpx.get(address, headers={"x-api-key": secret}, timeout=PATIENCE).status_code


def row(test: AppTest, column: str, value: str) -> dict[str, object]:
    table = test.dataframe[0].value
    (found,) = table[table[column] == value].to_dict("records")
    return {str(name): cell for name, cell in found.items()}


def make(test: AppTest, name: str, *, scope: str = "read", day: date | None = None) -> AppTest:
    """In the form as it stands before any key was made."""
    test.text_input(key="key-name-0").set_value(name)
    test.radio(key="key-scope-0").set_value(scope)
    if day:
        test.checkbox(key="key-ends-0").check().run()
        test.date_input(key="key-day-0").set_value(day)
    test.button(key="make-key-0").click().run()
    assert not test.exception
    return test


def key_id(secret: str) -> str:
    return secret.split("_")[1]


def choose(test: AppTest, secret: str) -> None:
    test.selectbox(key="one-key").set_value(key_id(secret)).run()


def test_a_secret_is_shown_once_opens_and_is_refused_once_the_key_is_revoked(managed: Administered) -> None:
    test = make(opened_page("keys"), "Till [dashboard](x)")
    secret = secret_in(test)
    assert "The key “Till [dashboard](x)” exists" in said(test)
    assert status_with(managed, secret) == HTTPStatus.OK
    test.button(key="close-made-key").click().run()
    assert not test.code
    assert secret not in said(test)
    assert row(test, "Id", key_id(secret))["State"] == "works"
    choose(test, secret)
    test.button(key=f"revoke-now-{key_id(secret)}").click().run()
    assert "is revoked: it is refused from the next request on." in said(test)
    assert status_with(managed, secret) == HTTPStatus.UNAUTHORIZED
    assert str(row(test, "Id", key_id(secret))["State"]).startswith("revoked at")


def test_a_key_is_rotated_with_an_overlap_and_both_open_meanwhile(managed: Administered) -> None:
    test = make(opened_page("keys"), "Till")
    old = secret_in(test)
    choose(test, old)
    test.radio(key=f"overlap-{key_id(old)}").set_value(7 * 24 * 3600).run()
    test.button(key=f"rotate-now-{key_id(old)}").click().run()
    new = secret_in(test)
    assert new != old
    assert (status_with(managed, old), status_with(managed, new)) == (HTTPStatus.OK, HTTPStatus.OK)
    state = str(row(test, "Id", key_id(old))["State"])
    assert state.startswith("works until")
    assert state.endswith("another has replaced it")
    choose(test, old)
    test.button(key=f"rotate-now-{key_id(old)}").click().run()
    (error,) = [one.value for one in test.error]
    assert "Not done" in error
    assert "rotated already" in error


def test_scope_and_last_day_are_those_that_were_chosen(managed: Administered) -> None:
    day = datetime.now(UTC).date() + timedelta(days=10)
    test = make(opened_page("keys"), "Counter", scope="ingest", day=day)
    secret = secret_in(test)
    assert status_with(managed, secret) == HTTPStatus.FORBIDDEN
    found = row(test, "Id", key_id(secret))
    assert found["Scope"] == "ingest"
    assert str(found["State"]).startswith("works until")


def test_a_key_without_a_name_is_not_made(managed: Administered) -> None:
    test = make(opened_page("keys"), "  ")
    assert not test.code
    assert "by its name it is told from others" in test.error[0].value


def test_the_keys_of_the_dashboard_itself_are_marked_and_the_last_of_its_kind_stays(
    managed: Administered,
) -> None:
    test = opened_page("keys")
    assert row(test, "Id", managed.site.read_key_id)["Used here"] == "by this dashboard"
    choose(test, managed.admin_key)
    assert "This dashboard uses this key." in said(test)
    assert "goes on with the old one" in said(test)
    test.button(key=f"revoke-now-{key_id(managed.admin_key)}").click().run()
    (error,) = [one.value for one in test.error]
    assert "Not done" in error
    assert row(test, "Id", key_id(managed.admin_key))["State"] == "works"


def test_who_used_a_key_last_and_from_where_is_listed(managed: Administered) -> None:
    test = opened_page("keys")
    found = row(test, "Id", key_id(managed.admin_key))
    assert found["From"] == "127.0.0.1"
    assert found["Last use"] is not None


def test_a_key_that_is_to_end_is_not_made_without_the_day(managed: Administered) -> None:
    """Streamlit takes one that is not written in full for none, and one beyond bounds for the one before."""
    test = opened_page("keys")
    test.checkbox(key="key-ends-0").check().run()
    for day in (None, date(2020, 1, 1)):
        test.text_input(key="key-name-0").set_value("Till that ends")
        test.date_input(key="key-day-0").set_value(day)
        test.button(key="make-key-0").click().run()
        assert not test.code
        assert "Write the last day in full: today or a later one." in test.error[0].value
    assert "Till that ends" not in {key["name"] for key in managed.listed_keys()}
