"""One word for one state: on a gauge, and where a list of sites is filtered by it."""

from __future__ import annotations

import re
from pathlib import Path

from components.tables.connection import STATE_WORDS
from components.tables.site_states import WORDS, SiteState
from live.snapshot import FeedState

GAUGE_WORDS = [Path("gauge/words.js"), Path("components/live_gauge/page_words.js")]


def test_a_list_and_a_gauge_call_a_state_by_the_same_word() -> None:
    said = dict(
        re.findall(r'^  (\w+): "([^"{]*)",$', "".join(path.read_text() for path in GAUGE_WORDS), re.MULTILINE)
    )
    for state in (SiteState.SILENT, SiteState.UNRELIABLE, SiteState.QUIET):
        assert WORDS[state].word == said[state.value]
    assert {state: said[state] for state in FeedState} == STATE_WORDS
