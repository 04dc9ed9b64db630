"""Who may what in the dashboard: the roles, a person, and the decision by what a login told. Pure.

Two ways lead to a person: claims of a provider's token (OpenID Connect), and the administrator's password.
Whatever a claim holds that is not understood gives nothing: no role is a refusal, no site is no site.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

LONGEST_SESSION: Final = 12 * 3600.0
"""Seconds from a login to the next, whatever a provider says."""
CLOCKS_APART: Final = 120.0
"""Seconds by which a provider's clock may differ from ours; as much as Authlib (1.9) allows."""
EVERY_SITE: Final = "*"
"""Among the sites of a claim or of a list."""
_LONGEST_NAME: Final = 200
"""Characters of a name that is shown, of a role and of a site's id in a claim; longer ones give nothing."""
_MOST_IN_CLAIM: Final = 5_000
"""Values of one claim; a longer list gives nothing."""


class Role(StrEnum):
    VIEWER = "viewer"
    """Sees what is shown."""
    MANAGER = "manager"
    """Changes what the dashboard keeps, too: screens, thresholds, opening hours, notes, targets, floor plans,
    checks of doors."""
    ADMINISTRATOR = "administrator"
    """Administers the service, too: sites, counters, keys."""

    @property
    def rank(self) -> int:
        return tuple(Role).index(self)


class Person(NamedTuple):
    name: str
    """As the login tells it: a mail address, mostly. Text that is not ours."""
    role: Role
    until: float
    """When the session is over, in seconds of Unix time by our clock."""
    site_ids: frozenset[str] | None = None
    """Those that they may see; None: every one that the key reads."""

    @property
    def may_change(self) -> bool:
        return self.role.rank >= Role.MANAGER.rank

    @property
    def may_administer(self) -> bool:
        """Only whoever sees every site: keys and counters are not of one site alone."""
        return self.role is Role.ADMINISTRATOR and self.sees_every_site

    @property
    def sees_every_site(self) -> bool:
        return self.site_ids is None

    def sees(self, site_id: str) -> bool:
        return self.site_ids is None or site_id in self.site_ids

    def change_refusal(self, site_id: str | None = None) -> str:
        """Why they may not change what is kept, of a site or for all; empty: they may."""
        if not self.may_change:
            return "Your role here, viewer, changes nothing that is kept: ask a manager."
        if site_id is not None and not self.sees(site_id):
            return "You may not see this site, so you change nothing of it."
        return ""

    def without_site_words(self) -> str:
        """Whom to ask where they see no site; empty: they may set one up."""
        if self.may_administer:
            return ""
        if self.sees_every_site:
            return (
                "No site is set up yet, or all are archived. An administrator of this dashboard sets one up: "
                "ask one. It appears here by itself."
            )
        return (
            "None of the sites here is one that you may see. Whoever keeps the list of people, or the "
            "provider of the logins, gives you yours: ask there. Then log in again."
        )

    def is_alike(self, other: Person) -> bool:
        """Whether they may the same, until whenever."""
        return self._replace(until=0.0) == other._replace(until=0.0)


NOBODY: Final = Person("nobody", Role.VIEWER, 0.0, frozenset())


class Refusal(StrEnum):
    """Why a login opens nothing; the value is what its page says."""

    OVER = "Your session is over."
    AHEAD = (
        "Your login is dated in the future: the clock of this dashboard's machine, or of the one that logged "
        "you in, is wrong by more than two minutes, or was. Log out and in again; if that does not help, "
        "tell whoever runs this dashboard, whose log says by how much."
    )
    NO_ROLE = (
        "You are logged in, but nobody has given you a role here. Ask whoever runs this dashboard for one, "
        "then log in again."
    )
    UNUSABLE = (
        "Your provider told of your login nothing that can be used: no name, or not how long it holds. "
        "Whoever runs this dashboard looks at what the provider puts into its tokens."
    )
    TOO_LARGE = (
        "Your provider tells more of you than a browser can carry, such as very many groups. Whoever runs "
        "this dashboard has the provider put less into its tokens."
    )
    NO_LIST = (
        "The list of who may what cannot be read, so nobody is let in by it. "
        "Whoever runs this dashboard finds the reason in its log."
    )


class Listed(NamedTuple):
    """What a list says of one person."""

    role: Role
    site_ids: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Rules:
    """How the claims of a token are read."""

    role_claim: str = ""
    """Name of the claim that holds roles, `a.b` for one inside another; empty: none does."""
    sites_claim: str = ""
    """Likewise of ids of sites; empty: whoever has a role by claim sees every site."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """What values of the role claim mean, besides the roles' own names."""
    people: Mapping[str, Listed] = field(default_factory=dict)
    """By mail address (`plain_mail`), or by the provider's `sub`. Of whom it tells, claims tell nothing."""


def person_of(claims: Mapping[str, object], received_at: float, now: float, rules: Rules) -> Person | Refusal:
    """Whom a token of these `claims`, received at `received_at`, lets in at `now` (seconds of Unix time)."""
    until = _until(claims, received_at)
    mail, subject = _mail(claims), _text(claims.get("sub"))
    if until is None or not subject:
        return Refusal.UNUSABLE
    if now < received_at - CLOCKS_APART:
        return Refusal.AHEAD
    if now >= until:
        return Refusal.OVER
    listed = rules.people.get(plain_mail(mail)) if mail else None
    listed = listed or _by_subject(subject, mail, claims, rules) or _by_claims(claims, rules)
    if listed is None:
        return Refusal.NO_ROLE
    return Person(mail or subject, listed.role, until, listed.site_ids)


def _until(claims: Mapping[str, object], received_at: float) -> float | None:
    """When it is over by our clock; None: the token does not say.

    The provider's clock is taken to be off by as much as the token's age says at its receipt, within bounds.
    """
    issued, expires = _moment(claims.get("iat")), _moment(claims.get("exp"))
    if issued is None or expires is None:
        return None
    ahead = min(max(received_at - issued, -CLOCKS_APART), CLOCKS_APART)
    return min(expires + ahead, received_at + LONGEST_SESSION)


def _moment(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        moment = float(value) if is_number else math.nan  # type: ignore[arg-type]
    except OverflowError:
        return None
    return moment if math.isfinite(moment) else None


def plain_mail(address: str) -> str:
    """As a list has it: in lower case, of ASCII alone. Other letters that are alike may be another person's
    (a Kelvin sign would be a k, a sharp s would be ss).
    """
    return address.encode().lower().decode()


def _mail(claims: Mapping[str, object]) -> str:
    """Empty where there is none, or the provider says that nobody has looked whether it is theirs."""
    is_doubtful = claims.get("email_verified", True) not in (True, "true")
    return "" if is_doubtful else _text(claims.get("email"))


def _text(value: object) -> str:
    """Empty for what cannot be a name."""
    if not isinstance(value, str) or len(value) > _LONGEST_NAME or not value.isprintable():
        return ""
    return value.strip()


def _by_subject(subject: str, mail: str, claims: Mapping[str, object], rules: Rules) -> Listed | None:
    """A subject that is the mail address of the token is no more proven than that is."""
    told = _text(claims.get("email"))
    if told and not mail and plain_mail(told) == plain_mail(subject):
        return None
    return rules.people.get(subject)


def _by_claims(claims: Mapping[str, object], rules: Rules) -> Listed | None:
    named = _values(claims, rules.role_claim)
    known = {role.value: role for role in Role} | dict(rules.roles)
    roles = [known[one] for one in named if one in known]
    if not roles:
        return None
    site_ids: frozenset[str] | None = None
    if rules.sites_claim:
        site_ids = sites_of(_values(claims, rules.sites_claim))
    return Listed(max(roles, key=lambda role: role.rank), site_ids)


def sites_of(listed: list[str]) -> frozenset[str] | None:
    """None: every site."""
    return None if EVERY_SITE in listed else frozenset(listed)


def _values(claims: Mapping[str, object], name: str) -> list[str]:
    """The texts of a claim, which may be one or a list; none where it is something else."""
    found: object = claims
    if name in claims:  # a provider may have a name with dots, as of an address
        found = claims[name]
    else:
        for part in name.split(".") if name else ():
            found = found.get(part) if isinstance(found, Mapping) else None
    values = found if isinstance(found, list) else [found]
    if not name or len(values) > _MOST_IN_CLAIM:
        return []
    return [text for text in map(_text, values) if text]
