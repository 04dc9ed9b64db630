"""A service whose values are valid and absurd: each page is drawn, and long texts are cut."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.absurd_site import ABSURD, EMPTY
from tests.pages.analysis import PATIENCE
from tests.running_service import ROOT
from tests.told_service import KEY, ToldService, told_service

LONGEST_SAID = 700
"""Characters of one text on a page, escapes included."""


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ToldService]:
    with told_service(ToldService(sites=[ABSURD, EMPTY])) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
        yield service


def run(page: str, **parameters: str | list[str]) -> AppTest:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
    for parameter, value in parameters.items():
        test.query_params[parameter] = value
    test.switch_page(f"pages/{page}.py").run()
    assert not test.exception
    return test


@pytest.mark.parametrize("inside", [-5, 0, 0.5, 1e15, 1e300])
@pytest.mark.parametrize(
    ("page", "parameters"),
    [
        ("overview", {}),
        ("live", {"site": "absurd"}),
        ("live", {"site": "absurd", "zone": "huge"}),
        ("site", {"site": "absurd"}),
        (
            "history",
            {"site": "absurd", "range": "1h", "zone": ["long", "huge"], "metric": "visitorsInside"},
        ),
        ("history", {"site": "absurd", "range": "1h", "passage": "long", "metric": ["entrances"]}),
        ("site", {"site": "empty"}),
        ("live", {"site": "empty"}),
    ],
)
def test_a_page_with_absurd_values_is_drawn(
    told: ToldService, page: str, parameters: dict[str, str | list[str]], inside: float
) -> None:
    told.metrics = {"visitorsInside": inside, "entrances": inside, "exits": 0}
    test = run(page, **parameters)
    said = [*test.header, *test.subheader, *test.markdown, *test.caption, *test.info, *test.warning]
    assert [one.value for one in said if len(str(one.value)) > LONGEST_SAID] == []


def test_many_devices_are_all_listed(told: ToldService) -> None:
    test = run("site", site="absurd")
    assert len(test.dataframe[2].value) == 10_000


def test_a_time_zone_that_is_none_is_named(told: ToldService) -> None:
    said = " ".join(one.value.replace("\\", "") for one in run("site", site="absurd").markdown)
    assert "Mars/Olympus is no time zone known here; shown in Etc/UTC" in said
