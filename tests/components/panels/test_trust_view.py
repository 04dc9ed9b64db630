from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from analysis.door_blame import Blame, BlameKind, Turned
from analysis.trust_answer import Stopped, TrustAnswer
from components.number_format import Formats
from components.panels.known_of_site import Known
from components.panels.trust_view import answer_panel, door_link
from contract import MetricKey
from tests.components.trusted import ARCH, BACK, FRONT, day, trusted, zone
from tests.small_site import SITE

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
    answer_panel(
        SITE,
        answer,
        ZoneInfo("Europe/Zurich"),
        formats,
        left_out=0,
        known=lambda _: Known((), ()),
        revision="",
    )
    assert [at for at, text in enumerate(said) if "has had no counts since" in text] == [place]
    assert len(said) == 4


def test_a_site_without_any_residual_has_a_sentence_in_the_place_of_an_empty_chart(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    charts, files = list[str](), list[str]()
    monkeypatch.setattr(
        "components.panels.trust_view.fixed_chart", lambda _, key, *__, **___: charts.append(key)
    )
    monkeypatch.setattr("components.panels.trust_view.data_files", lambda key, *_: files.append(key))
    answer_panel(
        SITE, trusted(zone("Shop", [day(1000, 1000)] * 7)), ZoneInfo("Europe/Zurich"), Formats(),
        left_out=0, known=lambda _: Known((), ()), revision="",
    )  # fmt: skip
    assert "0 on each of the 7 days\\." in said
    assert (charts, files) == ([], ["residue"])


@pytest.mark.parametrize(("lacks", "drawn"), [(None, ["residue"]), (MetricKey.EXITS, [])])
def test_a_site_that_tells_one_way_only_has_no_chart_of_crosses_and_says_why(
    said: list[str], monkeypatch: pytest.MonkeyPatch, lacks: MetricKey | None, drawn: list[str]
) -> None:
    charts, captions = list[str](), list[str]()
    monkeypatch.setattr(
        "components.panels.trust_view.fixed_chart", lambda _, key, *__, **___: charts.append(key)
    )
    monkeypatch.setattr("streamlit.caption", captions.append)
    one_way = day(1000, 0)._replace(is_whole=False, lacks=lacks) if lacks else day(1000, 999)
    answer = trusted(replace(zone("Shop", [one_way] * 7), lacks=lacks))
    formats = Formats(now=datetime(2026, 11, 23, 12, tzinfo=UTC))
    answer_panel(
        SITE,
        answer,
        ZoneInfo("Europe/Zurich"),
        formats,
        left_out=0,
        known=lambda _: Known((), ()),
        revision="",
    )
    assert charts == drawn
    assert any("What each day leaves is not drawn" in text for text in captions) is bool(lacks)
    assert any("Only entrances are told here" in text for text in said) is bool(lacks)


def test_the_door_to_check_by_hand_is_the_most_suspect_of_those_to_blame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offered = list[str]()
    monkeypatch.setattr(
        "streamlit.page_link", lambda *_, query_params, **__: offered.append(query_params["door"])
    )
    ranked = [Turned(way, 100, 90, 120, left, 120) for way, left in ((ARCH, 10), (BACK, 60), (FRONT, 110))]
    blame = Blame(("hall",), BlameKind.ONE_OF, (FRONT, BACK), 120, 0, 7)
    door_link("shop", trusted(blames=[blame], ranked=ranked))
    door_link("shop", trusted(ranked=ranked))
    door_link("shop", trusted())
    assert offered == ["back", "arch"]
