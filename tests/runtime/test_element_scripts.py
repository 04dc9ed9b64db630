"""Which scripts a page is told of before it asks for them, by the manifest of Streamlit's build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime import _compat
from runtime._compat import element_scripts

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
