"""Who asks, by the cookies of a browser: by Streamlit's `st.login`, or by the administrator's password.

Installed once, when the dashboard starts: without a provider and without a password there is no login, and
nothing is asked of anybody.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

import structlog
from itsdangerous import BadData, URLSafeTimedSerializer

from runtime._compat import SignedIn, is_login_cookie, login_providers, signed_in, without_signature
from runtime.access import CLOCKS_APART, LONGEST_SESSION, Person, Refusal, Role, person_of
from runtime.access_list import read_rules
from runtime.ended_sessions import EndedSessions
from runtime.password import has_password, kept_hash
from runtime.resources import signing_secret
from runtime.settings import SettingsError, get_settings

SESSION_COOKIE: Final = "headroom_session"
"""Of whoever gave the administrator's password."""
KNOWN_COOKIE: Final = "headroom_known"
"""Of a browser in which the password was given; no stranger keeps it from trying again. It opens nothing."""
LONGEST_KNOWN: Final = 180 * 86_400
"""Seconds from a login until the browser is a stranger."""
BACK_COOKIE: Final = "headroom_back"
"""Where a login at a provider leads back to; its answer always comes to the dashboard's own path."""
ADMINISTRATOR: Final = "administrator"
"""What whoever gave the password is called."""
_PURPOSE: Final = "headroom session"
_OF_KNOWN: Final = "headroom known browser"
_SAID_EVERY: Final = 60.0
"""Seconds."""
_MOST_ENDED: Final = 10_000
_MOST_KNOWN: Final = 2_000
_LONGEST_BACK: Final = 2_000
_LONGEST_COOKIES: Final = 8_192
"""Characters; a login sets fewer (`login_answer`)."""

_log: Final = structlog.get_logger("runtime.login")
Cookies = tuple[tuple[str, str], ...]


class _Known(NamedTuple):
    """What cookies of ours say, which never changes."""

    by_provider: SignedIn | None
    by_password_at: float | None
    """When the password was given, in seconds of Unix time."""
    sessions: frozenset[str]
    """Digests by which these sessions are known, however their cookies are written."""


class Login:
    """Safe to use from any thread. `clock` gives seconds of Unix time."""

    def __init__(
        self,
        data_dir: Path,
        providers: tuple[str, ...],
        *,
        by_password: bool,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.providers = providers
        self.by_password = by_password
        self._data_dir = data_dir
        self._clock = clock
        self._ended: dict[str, float] = {}
        """By digest, sessions that were logged out, and when they would have been over."""
        self._untold: dict[str, float] = {}
        """Those of them that other dashboards are still to be told."""
        self._ending = Lock()
        self._known = lru_cache(maxsize=_MOST_KNOWN)(self._read)
        self._last_problem = ""
        self._say_ahead_from = 0.0

    @property
    def ended(self) -> int:
        """Of how many sessions it is known that they were logged out."""
        return len(self._ended)

    def person(self, cookies: Mapping[str, str]) -> Person | Refusal | None:
        """Who has them now; None: they are of no login."""
        own, hashed = cookies_of_login(cookies), self._hashed()
        if not own:
            return None
        known, now = self._known(own, hashed), self._clock()
        found: Person | Refusal | None = None
        if known.by_provider is not None and self.providers:
            found = self._by_claims(known.by_provider, now)
        if not isinstance(found, Person) and known.by_password_at is not None:
            found = _by_password(known.by_password_at, now)
        if found is Refusal.AHEAD:
            self._say_ahead(known, now)
        if isinstance(found, Person) and not known.sessions.isdisjoint(self._ended):
            return Refusal.OVER
        return found

    def session(self) -> str:
        """The cookie of whoever has just given the password. It ends with the password."""
        return str(self._serializer(self._hashed()).dumps(secrets.token_hex(8)))

    def known_browser(self, cookies: Mapping[str, str]) -> str:
        """The name by which its tries are counted; empty: a stranger's."""
        given, hashed = cookies.get(KNOWN_COOKIE, ""), self._hashed()
        if not (given and hashed):
            return ""
        try:
            return str(self._serializer(hashed, _OF_KNOWN).loads(given, max_age=LONGEST_KNOWN))
        except BadData:
            return ""

    def known_from_now_on(self, name: str) -> str:
        """The cookie of a browser in which the password was given; `name` is its own, if it was known."""
        return str(self._serializer(self._hashed(), _OF_KNOWN).dumps(name or secrets.token_hex(8)))

    def password_hash(self) -> str:
        """Empty: nobody can log in by it. Raises OSError."""
        return kept_hash(self._data_dir)

    def end(self, cookies: Mapping[str, str]) -> None:
        """Their session is over, also where somebody has kept a copy of them: here at once, at other
        dashboards with the next `exchange`. Of cookies that open nothing, nothing is kept: anybody may send
        them.
        """
        now, own = self._clock(), cookies_of_login(cookies)
        ended = dict.fromkeys(self._known(own, self._hashed()).sessions, now + LONGEST_SESSION)
        with self._ending:
            if len(self._ended) >= _MOST_ENDED:
                self._ended = {one: until for one, until in self._ended.items() if until > now}
            self._ended = self._ended | ended
            self._untold = self._untold | ended

    def exchange(self, sessions: EndedSessions) -> None:
        """Tell which sessions were ended here, and learn which elsewhere. Raises EndedSessionsError: then it
        is told the next time.
        """
        if told := self._untold:
            sessions.tell(told)
        learned = sessions.all()
        with self._ending:
            self._untold = {one: until for one, until in self._untold.items() if one not in told}
            self._ended = learned | self._ended

    def _by_claims(self, known: SignedIn, now: float) -> Person | Refusal:
        try:
            rules = read_rules(get_settings())
        except SettingsError as error:
            if str(error) != self._last_problem:
                self._last_problem = str(error)
                _log.error("nobody is let in by a provider", reason=str(error))
            return Refusal.NO_LIST
        return person_of(known.claims, known.received_at, now, rules)

    def _say_ahead(self, known: _Known, now: float) -> None:
        """Once a minute, whoever comes."""
        if now >= self._say_ahead_from or now < self._say_ahead_from - _SAID_EVERY:
            self._say_ahead_from = now + _SAID_EVERY
            received = known.by_provider.received_at if known.by_provider else known.by_password_at or now
            _log.error(
                "a login is dated in the future: the clock of this machine differs from that which gave it",
                seconds=round(now - received),
                advice="set the clock of the one that is wrong, and keep it set (NTP)",
            )

    def _hashed(self) -> str:
        try:
            return kept_hash(self._data_dir) if self.by_password else ""
        except OSError:
            return ""

    def _read(self, own: Cookies, hashed: str) -> _Known:
        cookies = dict(own)
        session = cookies.get(SESSION_COOKIE, "")
        by_provider, given_at = signed_in(cookies), self._password_given_at(session, hashed)
        signed = by_provider.signed if by_provider else frozenset[str]()
        if given_at is not None:
            signed |= {without_signature(session)}
        return _Known(by_provider, given_at, frozenset(map(_digest, signed)))

    def _password_given_at(self, session: str, hashed: str) -> float | None:
        if not (session and hashed):
            return None
        try:
            _, moment = self._serializer(hashed).loads(session, return_timestamp=True)
        except BadData:
            return None
        return float(moment.timestamp())

    def _serializer(self, hashed: str, purpose: str = _PURPOSE) -> URLSafeTimedSerializer:
        """Of what holds under this password: another one ends it all."""
        secret = sha256(f"{signing_secret()}\n{hashed}".encode()).digest()
        return URLSafeTimedSerializer(secret, salt=purpose)


def _by_password(given_at: float, now: float) -> Person | Refusal:
    """It may have been given at another dashboard, whose clock is ahead."""
    until = given_at + LONGEST_SESSION
    if now < given_at - CLOCKS_APART:
        return Refusal.AHEAD
    return Person(ADMINISTRATOR, Role.ADMINISTRATOR, until) if now < until else Refusal.OVER


def cookies_of_login(cookies: Mapping[str, str]) -> Cookies:
    """Those that tell who somebody is; none where they are too long to be ours."""
    own = sorted((name, value) for name, value in cookies.items() if is_own(name))
    return tuple(own) if sum(len(value) for _, value in own) <= _LONGEST_COOKIES else ()


def is_own(name: str) -> bool:
    return name == SESSION_COOKIE or is_login_cookie(name)


def usable_back(asked: str) -> str:
    """A path below the dashboard's own, with its query; empty: the first page. `./` goes before it."""
    is_usable = len(asked) <= _LONGEST_BACK and asked.isprintable() and "\\" not in asked
    return asked.lstrip("/") if is_usable and not asked.startswith(("login", "logout")) else ""


def _digest(signed: str) -> str:
    return sha256(signed.encode("utf-8", "replace")).hexdigest()


_installed: list[Login] = []


def install_login() -> Login | None:
    """The login that this dashboard was configured with; None: it asks nobody. Raises SettingsError."""
    settings = get_settings()
    try:
        providers = login_providers()
    except ValueError as error:
        raise SettingsError(f"Logins cannot be configured: {error}.") from error
    _installed.clear()
    by_password = has_password(settings.data_dir)
    if providers:
        read_rules(settings)
    if providers or by_password:
        _installed.append(Login(settings.data_dir, providers, by_password=by_password))
    return installed_login()


def installed_login() -> Login | None:
    """None: there is none, and everybody may everything."""
    return _installed[0] if _installed else None
