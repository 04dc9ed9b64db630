"""Inner parts of Streamlit and uvicorn, as they are installed: each of these tests fails when one moves."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from unittest.mock import Mock

import pytest
import uvicorn
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.watcher.local_sources_watcher import LocalSourcesWatcher

from runtime import _compat
from runtime._compat import (
    SOURCE_LOOKS,
    element_scripts,
    inline_script_digests,
    page_of_streamlit,
    search_no_package_for_components,
    server_of,
    watch_no_sources,
)
from tests.running_service import ROOT
from tests.service.test_compat import private_names

ROOMS = ("analysis", "api_client", "components", "gauge", "live", "pages", "runtime", "screens")
DOCUMENTED = {"_compat", "_exit"}
"""Ours, and a public name of the standard library, whatever it looks like."""

ENTRY = {"name": "Selectbox", "isDynamicEntry": True}


@pytest.mark.parametrize(
    "manifest",
    [
        None,
        "",
        "[]",
        '{"a": null}',
        '{"a": []}',
        json.dumps({"select.tsx": ENTRY}),
        json.dumps({"select.tsx": ENTRY | {"file": "a.js", "imports": 1}}),
    ],
    ids=["no file", "empty", "a list", "no entry", "a list for an entry", "no name of a file", "no imports"],
)
def test_a_build_that_is_written_otherwise_gives_no_hints_and_stops_nothing(
    manifest: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest, encoding="utf-8")
    monkeypatch.setattr(_compat, "files_folder", lambda: tmp_path)
    assert element_scripts(["Selectbox"]) == ()


def test_the_build_that_is_installed_gives_hints() -> None:
    assert element_scripts(["Selectbox"])
    assert element_scripts(["NoSuchElement"]) == ()


def test_streamlit_still_asks_whether_it_serves_the_pages_folder_itself() -> None:
    assert isinstance(PagesManager.uses_pages_directory, bool | None)


def test_streamlit_searches_no_package_for_components(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Mock(return_value=[])
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", search)
    BidiComponentManager().discover_and_register_components(start_file_watching=False)
    search.assert_called_once()
    search_no_package_for_components()
    BidiComponentManager().discover_and_register_components(start_file_watching=False)
    search.assert_called_once()


@pytest.mark.parametrize(("watched", "looks"), [("none", 0), ("auto", 2)])
def test_streamlit_looks_for_no_sources_where_none_is_watched(
    watched: str, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = Mock()
    for name in SOURCE_LOOKS:
        assert callable(getattr(LocalSourcesWatcher, name))
        monkeypatch.setattr(LocalSourcesWatcher, name, lambda _: look())
    monkeypatch.setattr(config, "get_option", lambda _: watched)
    watch_no_sources()
    for name in SOURCE_LOOKS:
        getattr(LocalSourcesWatcher, name)(Mock())
    assert look.call_count == looks


def test_the_page_of_streamlit_has_a_head_and_a_script_of_its_own() -> None:
    page = page_of_streamlit()
    assert page.count("</head>") == 1
    assert inline_script_digests(page)


def test_the_server_is_found_behind_the_handler_that_it_registers() -> None:
    server = uvicorn.Server(uvicorn.Config("app"))
    with server.capture_signals():
        assert server_of(signal.getsignal(signal.SIGTERM)) is server
    assert server_of(signal.getsignal(signal.SIGTERM)) is None


@pytest.mark.parametrize("room", ROOMS)
def test_inner_names_of_other_packages_stand_in_one_module(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    found = {file.name for file in files if private_names(file) - DOCUMENTED}
    assert found <= {"_compat.py"}
