"""The pages that administer before a real service, and what they say."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.pages.analysis import PATIENCE, text_of
from tests.running_service import ROOT


def opened_page(name: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
    test.switch_page(f"pages/{name}.py").run()
    assert not test.exception
    return test


def said(test: AppTest) -> str:
    """Without what keeps lines from breaking."""
    return text_of(test).replace("\N{NO-BREAK SPACE}", " ").replace("\N{WORD JOINER}", "")
