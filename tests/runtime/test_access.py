from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.access import CLOCKS_APART, LONGEST_SESSION, Listed, Person, Refusal, Role, Rules, person_of

NOW = 1_800_000_000.0
HOUR = 3600
BY_CLAIM = Rules(role_claim="role", sites_claim="sites", roles={"grp-7": Role.MANAGER})
ANN = "ann@shop.example"


def token(**claims: Any) -> dict[str, Any]:
    return {
        "sub": "4711",
        "email": ANN,
        "iat": NOW,
        "exp": NOW + HOUR,
        "role": "viewer",
        "sites": "*",
    } | claims


def decided(now: Any = NOW, rules: Any = BY_CLAIM, **claims: Any) -> Person | Refusal:
    return person_of(token(**claims), NOW, now, rules)


def test_roles_of_a_claim_give_the_highest_that_is_known() -> None:
    found = decided(role=["no role of ours", "viewer", "grp-7"])
    assert found == Person(ANN, Role.MANAGER, NOW + HOUR, None)


def test_a_claim_inside_another_is_found_and_one_with_dots_in_its_name_first() -> None:
    inside = Rules(role_claim="realm.roles")
    assert decided(rules=inside, realm={"roles": ["manager"]}) == Person(ANN, Role.MANAGER, NOW + HOUR)
    both = decided(rules=inside, realm={"roles": ["manager"]}, **{"realm.roles": "viewer"})
    assert isinstance(both, Person)
    assert both.role is Role.VIEWER


@pytest.mark.parametrize(
    "role",
    [None, "", "Administrator", ["owner"], {"administrator": True}, 3, True, [["administrator"]],
     "<b>administrator</b>", "administrator\n", "a" * 100_000, ["administrator"] * 100_000],
)  # fmt: skip
def test_a_role_that_is_missing_or_no_role_is_refused(role: object) -> None:
    assert decided(role=role) is Refusal.NO_ROLE


@pytest.mark.parametrize("sites", [None, 3, {}, {"shop-1": True}, [], [["shop-1"]], "", ["x"] * 100_000])
def test_a_claim_of_sites_that_is_not_understood_gives_no_site(sites: object) -> None:
    found = decided(sites=sites)
    assert isinstance(found, Person)
    assert not found.sees("shop-1")
    assert not found.sees_every_site


def test_sites_of_a_claim_are_seen_and_no_others() -> None:
    found = decided(sites=["shop-1", "shop-2"])
    assert isinstance(found, Person)
    assert [found.sees(f"shop-{number}") for number in (1, 2, 3)] == [True, True, False]


def test_the_list_says_all_of_whom_it_lists_by_address_or_by_subject() -> None:
    listed = Listed(Role.ADMINISTRATOR, frozenset({"shop-1"}))
    for who in (ANN, "4711"):
        found = decided(rules=Rules("role", "sites", people={who: listed}), email=ANN.upper())
        assert found == Person(ANN.upper(), Role.ADMINISTRATOR, NOW + HOUR, frozenset({"shop-1"}))
        assert not found.may_administer  # keys and counters are not of one site


@pytest.mark.parametrize("verified", [False, None, "false", 0, [True]])
def test_a_mail_address_that_is_not_proven_is_nobody_of_the_list(verified: object) -> None:
    rules = Rules(people={ANN: Listed(Role.ADMINISTRATOR, None)})
    assert decided(rules=rules, email_verified=verified) is Refusal.NO_ROLE
    assert isinstance(decided(rules=rules, email_verified=True), Person)


def test_a_subject_that_is_a_mail_address_is_proven_as_the_address_is() -> None:
    rules = Rules(people={ANN: Listed(Role.ADMINISTRATOR, None)})
    assert decided(rules=rules, sub=ANN, email=ANN.upper(), email_verified=False) is Refusal.NO_ROLE
    assert isinstance(decided(rules=rules, sub=ANN, email=None), Person)
    assert isinstance(decided(rules=rules, sub=ANN, email="another@shop.example"), Person)


@pytest.mark.parametrize(
    "alike", ["KARL@SHOP.EXAMPLE", "\N{KELVIN SIGN}arl@shop.example", "karl@\u017fhop.example"]
)
def test_letters_that_only_look_alike_are_another_persons(alike: str) -> None:
    rules = Rules(people={"karl@shop.example": Listed(Role.ADMINISTRATOR, None)})
    found = decided(rules=rules, email=alike)
    assert isinstance(found, Person) == alike.isascii()


@pytest.mark.parametrize(
    "claims",
    [{"exp": None}, {"exp": "soon"}, {"exp": True}, {"exp": float("nan")}, {"exp": float("inf")},
     {"exp": 10**400}, {"iat": None}, {"sub": ""}, {"sub": None}, {"sub": ["4711"]}, {"sub": "x" * 1000}],
)  # fmt: skip
def test_a_token_that_does_not_say_who_or_how_long_is_refused(claims: dict[str, object]) -> None:
    assert decided(**claims) is Refusal.UNUSABLE


def test_a_session_ends_with_its_token_to_the_second() -> None:
    assert isinstance(decided(NOW + HOUR - 1), Person)
    assert decided(NOW + HOUR) is Refusal.OVER


def test_a_token_that_holds_for_ever_holds_for_half_a_day() -> None:
    forever = {"exp": NOW + 1e9}
    assert isinstance(decided(NOW + LONGEST_SESSION - 1, **forever), Person)
    assert decided(NOW + LONGEST_SESSION, **forever) is Refusal.OVER


@pytest.mark.parametrize("ahead", [-100, 0, 100])
def test_a_provider_whose_clock_is_off_a_little_gives_the_same_time(ahead: float) -> None:
    found = decided(iat=NOW + ahead, exp=NOW + ahead + HOUR)
    assert isinstance(found, Person)
    assert found.until == NOW + HOUR


def test_an_old_token_gains_no_more_than_clocks_may_be_apart() -> None:
    old = decided(iat=NOW - HOUR, exp=NOW + 10)
    assert isinstance(old, Person)
    assert old.until == NOW + 10 + CLOCKS_APART
    assert decided(iat=NOW - 2 * HOUR, exp=NOW - HOUR) is Refusal.OVER


def test_a_session_from_the_future_is_over() -> None:
    assert decided(NOW - CLOCKS_APART - 1) is Refusal.AHEAD


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.sampled_from(["sub", "email", "iat", "exp", "sites", "email_verified"]), VALUES))
def test_no_claims_break_the_decision_or_let_anybody_in_without_a_role(claims: dict[str, Any]) -> None:
    assert not isinstance(person_of(claims, NOW, NOW, BY_CLAIM), Person)
    with_role = person_of(claims | {"role": "viewer"}, NOW, NOW, BY_CLAIM)
    assert not isinstance(with_role, Person) or NOW < with_role.until <= NOW + LONGEST_SESSION


def test_who_may_change_and_who_may_administer() -> None:
    may = {role: (Person("", role, 0).may_change, Person("", role, 0).may_administer) for role in Role}
    assert may == {
        Role.VIEWER: (False, False),
        Role.MANAGER: (True, False),
        Role.ADMINISTRATOR: (True, True),
    }
