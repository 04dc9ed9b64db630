from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from analysis.trust_answer import Stopped, TrustAnswer
from components.number_format import Formats
from components.panels.trust_view import answer_panel
from tests.components.trusted import trusted

SINCE = datetime(2026, 11, 2, 13, tzinfo=UTC)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr("streamlit.markdown", found.append)
    for name in ("streamlit.caption", "streamlit.header", "components.panels.trust_view.fixed_chart"):
        monkeypatch.setattr(name, lambda *_, **__: None)
    monkeypatch.setattr("components.panels.trust_view.viewer_theme", lambda: "light")
    return found


@pytest.mark.parametrize(("stopped", "place"), [("Shop", 0), ("Hall", 1)])
def test_that_a_site_is_dead_is_said_first_and_that_a_zone_is_next(
    said: list[str], stopped: str, place: int
) -> None:
    answer: TrustAnswer = trusted(stopped=[Stopped(stopped, SINCE)])
    formats = Formats(now=datetime(2026, 11, 23, 12, tzinfo=UTC))
    answer_panel(answer, ZoneInfo("Europe/Zurich"), formats, left_out=0, revision="")
    assert [at for at, text in enumerate(said) if "has had no counts since" in text] == [place]
    assert len(said) == 3
