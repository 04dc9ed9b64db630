"""What dashboards that share what they keep tell each other, every few seconds, in a thread of its own: who
looks at screens, which sessions were logged out, and whether they are set up alike.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import streamlit as st
import structlog

from api_client.trouble_log import TroubleLog
from keeping import SharedDatabase, is_away
from runtime._compat import cookie_secret
from runtime.ended_sessions import EndedSessions, EndedSessionsError
from runtime.kept_place import kept_place, shared_store
from runtime.likeness import Likeness, LikenessError, mark_of
from runtime.login import Login, installed_login
from runtime.password import FILE_NAME
from runtime.resources import get_shared_viewers, get_viewers, signing_secret
from runtime.settings import get_settings
from runtime.upstream import service_digest
from screens import BEAT, SharedViewers, ViewerRegistry, ViewersError

_ENDING: Final = 2.0
"""Seconds that the end of the dashboard waits for a database that does not answer."""
_log = TroubleLog("runtime.fellows")
_defects = structlog.get_logger("runtime.fellows")


def this_one() -> Fellows:
    """Of this process, as it is set up."""
    sessions = EndedSessions(kept_place())
    return Fellows(get_viewers(), get_shared_viewers(), installed_login(), sessions, _likeness_here())


def differences() -> tuple[str, ...]:
    """In which dashboards that share a database are set up otherwise than this one, in sentences."""
    likeness = _likeness_here()
    return likeness.differences if likeness else ()


def _likeness_here() -> Likeness | None:
    database = shared_store()
    return _likeness(str(database), database) if database else None


@st.cache_resource(show_spinner=False)
def _likeness(where: str, _database: SharedDatabase) -> Likeness:
    del where  # it tells places apart
    return Likeness(_database, _marks)


def _marks() -> dict[str, str]:
    """Of what each dashboard reads from its own machine."""
    settings = get_settings()
    return {
        "address of the service (HEADROOM_BASE_URL)": service_digest(),
        "HEADROOM_SECRET": mark_of(signing_secret()),
        "secret for cookies (STREAMLIT_SERVER_COOKIE_SECRET, or cookie_secret in secrets.toml)": mark_of(
            cookie_secret()
        ),
        # Set at each by itself, the same one gives other files: sessions of one would not hold at the other.
        f"administrator's password ({FILE_NAME}, copied from one to the other)": _mark_of_file(
            settings.data_dir / FILE_NAME
        ),
        "list of who may what (HEADROOM_ACCESS_FILE)": _mark_of_file(settings.access_file),
    }


def _mark_of_file(path: Path | None) -> str:
    try:
        return mark_of(path.read_text(encoding="utf-8", errors="replace") if path else "")
    except OSError:
        return mark_of("")


class Fellows:
    """`login` None: nobody logs in. `likeness` None: files are shared, and with them what is to be alike."""

    def __init__(
        self,
        viewers: ViewerRegistry,
        shared: SharedViewers,
        login: Login | None,
        sessions: EndedSessions,
        likeness: Likeness | None,
    ) -> None:
        self._viewers = viewers
        self._shared = shared
        self._login = login
        self._sessions = sessions
        self._likeness = likeness
        self._ended = threading.Event()

    @contextmanager
    def told(self) -> Iterator[None]:
        """For as long as the block lasts; at its end nobody looks here any more."""
        thread = threading.Thread(target=self._run, name="fellow dashboards", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join(_ENDING)

    def _run(self) -> None:
        while not self._ended.is_set():
            if self._login:
                self._attempt(partial(self._login.exchange, self._sessions))
            self._attempt(lambda: self._shared.write(self._viewers.here()))
            if self._likeness:
                self._attempt(self._likeness.compare)
            self._ended.wait(BEAT)
        self._attempt(lambda: self._shared.write({}))
        if self._likeness:
            self._attempt(self._likeness.withdraw)

    def _attempt(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (EndedSessionsError, LikenessError, ViewersError) as error:
            if not is_away(error):  # that has its own line
                _log.warning("other dashboards are told nothing of this one", reason=str(error))
        except Exception:  # noqa: BLE001 - a defect of ours, with its traceback; the next beat tries again
            _defects.exception("what dashboards tell each other was not told")
