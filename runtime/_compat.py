"""Inner parts of Streamlit and uvicorn that the dashboard uses, each with the version it was seen in.

Those of uvicorn that the relay needs stand in `live/_compat.py`, since `live` may not import this room.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import uvicorn
from itsdangerous import BadData, URLSafeTimedSerializer
from streamlit import config, file_util
from streamlit.auth_util import (
    encode_provider_token,
    get_cookie_with_chunks,
    get_secrets_auth_section,
    is_authlib_installed,
    validate_auth_credentials,
)
from streamlit.components.v2 import manifest_scanner
from streamlit.errors import StreamlitAuthError
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx
from streamlit.watcher.local_sources_watcher import LocalSourcesWatcher
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_server_config import TOKENS_COOKIE_NAME as TOKENS_COOKIE
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

LOGIN_TOKENS_COOKIE: Final = TOKENS_COOKIE
"""Where Streamlit (1.67) keeps a provider's tokens in the browser, in parts whose names begin so."""
_SHORTEST_SECRET: Final = 32
"""Characters: whoever guesses it can be anybody."""
_SIGNED_TOGETHER: Final = 2.0
"""Seconds between the parts of one login, at most."""
SOURCE_LOOKS: Final = ("update_watched_modules", "update_watched_pages")
"""Methods of Streamlit's that look for files to watch."""
_INLINE_SCRIPT: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def leave_pages_folder_alone() -> None:
    """Keep Streamlit (1.67) from serving `pages/` by itself.

    It takes a folder of that name for its older kind of app until `st.navigation` has run once, so that the
    first visitors of a fresh process could see file names for a menu and a page without its frame.
    """
    PagesManager.uses_pages_directory = False


def watch_no_sources() -> None:
    """Spare sessions that come back, after a proxy's restart say, what Streamlit (1.67) does for each.

    It begins to watch files then, also where `server.fileWatcherType` says that none is watched, and looks
    for those of all modules: 0.4 s of the event loop, in which nobody else is answered.
    """
    if config.get_option("server.fileWatcherType") == "none":
        for look in SOURCE_LOOKS:
            setattr(LocalSourcesWatcher, look, _look_at_nothing)


def _look_at_nothing(watcher: LocalSourcesWatcher) -> None: ...


def search_no_package_for_components() -> None:
    """Spare the start what Streamlit (1.67) does at each: it searches all installed packages for components.

    Every component here is the project's own, and to read what each package says of itself takes the longer,
    the more there are.
    """
    manifest_scanner.scan_component_manifests = _no_manifests


def _no_manifests(max_workers: int | None = None) -> list[Any]:  # noqa: ARG001 - Streamlit's signature
    return []


def files_folder() -> Path:
    """The pages, scripts, styles and fonts that Streamlit (1.67) serves, the hash of each in its name."""
    return Path(file_util.get_static_dir())


def page_of_streamlit() -> str:
    """The HTML that Streamlit (1.67) serves for every address."""
    return (files_folder() / "index.html").read_text(encoding="utf-8")


def element_scripts(elements: Iterable[str]) -> tuple[str, ...]:
    """Paths below `files_folder` of what Streamlit (1.67) loads to draw `elements`, in their order.

    What its page names is not among them. Read from the manifest of its build; where that knows an element no
    more, nothing is given for it, and nothing at all where there is none or it is written otherwise.
    """
    try:
        return _scripts_of(json.loads((files_folder() / "manifest.json").read_bytes()), elements)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ()


def _scripts_of(build: Mapping[str, Mapping[str, Any]], elements: Iterable[str]) -> tuple[str, ...]:
    sources = {part.get("name"): source for source, part in build.items() if part.get("isDynamicEntry")}
    named: dict[str, None] = {}
    _add_with_imports("index.html", build, named)
    loaded: dict[str, None] = {}
    for source in (sources[element] for element in elements if element in sources):
        _add_with_imports(source, build, loaded)
    return tuple(build[source]["file"] for source in loaded if source not in named)


def _add_with_imports(source: str, build: Mapping[str, Mapping[str, Any]], found: dict[str, None]) -> None:
    if source in build and source not in found:
        found[source] = None
        for imported in build[source].get("imports", ()):
            _add_with_imports(imported, build, found)


def server_of(handler: object) -> uvicorn.Server | None:
    """The server that a signal handler belongs to: uvicorn (0.54) registers a method of its own object."""
    server = getattr(handler, "__self__", None)
    return server if isinstance(server, uvicorn.Server) else None


def inline_script_digests(page: str) -> tuple[str, ...]:
    """`sha256-...` of each script that stands in the HTML `page`."""
    scripts = _INLINE_SCRIPT.findall(page)
    return tuple("sha256-" + b64encode(sha256(script.encode()).digest()).decode() for script in scripts)


class SignedIn(NamedTuple):
    """What Streamlit keeps of a login in a browser's cookies."""

    claims: Mapping[str, object]
    """Of the provider's token, and `provider`."""
    received_at: float
    """When Streamlit signed them, in seconds of Unix time."""
    signed: frozenset[str]
    """What was signed, without the signatures, which can be written in several ways."""


def login_providers() -> tuple[str, ...]:
    """Names of the providers of `st.login` (Streamlit 1.67) in its secrets; none: nobody is logged in by it.

    Raises ValueError: what stands there cannot be used, the text says why.
    """
    section = get_secrets_auth_section()
    if not section:
        return ()
    named = [name for name, value in section.to_dict().items() if isinstance(value, dict)]
    providers = [name for name in named if name != "client_kwargs"]
    if "client_id" in section or not providers:
        providers.insert(0, "default")
    if len(str(section.get("cookie_secret", ""))) < _SHORTEST_SECRET:
        raise ValueError(f"[auth] needs a cookie_secret of {_SHORTEST_SECRET} random characters or more")
    if not is_authlib_installed():
        raise ValueError("[auth] needs the package Authlib: install requirements.txt")
    try:
        for provider in providers:
            validate_auth_credentials(provider)
    except StreamlitAuthError as error:
        raise ValueError(" ".join(str(error).split())) from error
    return tuple(providers)


def provider_addresses() -> tuple[str, ...]:
    """Where the providers of `st.login` (Streamlit 1.67) describe themselves."""
    section = get_secrets_auth_section()
    whole = section.to_dict() if section else {}
    told = [one.get("server_metadata_url") for one in (whole, *whole.values()) if isinstance(one, dict)]
    return tuple(url for url in told if isinstance(url, str) and url)


def login_path(provider: str) -> str:
    """Where Streamlit (1.67) sends a browser on to its provider, relative to the dashboard; it ages soon."""
    return f"auth/login?provider={quote(encode_provider_token(provider))}"


def cookie_secret() -> str:
    """With which Streamlit (1.67) signs cookies; where none is set, one that each process makes up."""
    return str(get_cookie_secret())


def signed_in(cookies: Mapping[str, str]) -> SignedIn | None:
    """What the cookies of `st.login` (Streamlit 1.67) tell; None: nothing, or they are not ours."""
    secret = get_cookie_secret()
    signed_at: list[float] = []
    signed = set[str]()

    def read(name: str) -> bytes | None:
        value = cookies.get(name, "")
        try:
            serializer = URLSafeTimedSerializer(secret, salt=name)
            text, moment = serializer.loads(value, return_timestamp=True)
        except (BadData, ValueError):
            return None
        signed_at.append(moment.timestamp())
        signed.add(without_signature(value))
        return text.encode() if isinstance(text, str) else None

    try:
        claims = json.loads(get_cookie_with_chunks(read, USER_COOKIE_NAME) or "null")
    except ValueError:
        return None
    if not isinstance(claims, dict) or claims.get("is_logged_in") is not True:
        return None
    # Parts of two logins make no third.
    if max(signed_at) - min(signed_at) > _SIGNED_TOGETHER:
        return None
    return SignedIn(claims, max(signed_at), frozenset(signed))


def without_signature(value: str) -> str:
    """What itsdangerous (2.2) signed of a cookie. Of a signature in base64 it passes over the last bits."""
    return value.rpartition(".")[0]


def is_login_cookie(name: str) -> bool:
    """Whether it is one of those that `signed_in` reads."""
    rest = name.removeprefix(USER_COOKIE_NAME)
    return name.startswith(USER_COOKIE_NAME) and (not rest or rest.strip("_").isdigit())


def has_script() -> bool:
    """Whether this thread runs a page for somebody."""
    return get_script_run_ctx(suppress_warning=True) is not None
