"""A service whose values are valid and absurd: each page is drawn, and long texts are cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from analysis.entrances import MOST_PLACES
from components.panels.gauge_items import MOST_LIVE
from page_list import PAGES
from runtime import get_signer
from tests.absurd_site import ABSURD, EMPTY
from tests.pages.analysis import PATIENCE, UNFOLDED, text_of
from tests.running_service import ROOT
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.shown_gauges import door_rows, gauge_data, site_data

LONGEST_SAID = 700
"""Characters of one text on a page, escapes included."""


@dataclass
class Taking(ScriptedService):
    """Its minutes take these numbers in turn, by how long ago they are."""

    numbers: tuple[float, ...] = (7,)

    def point(self, minutes_ago: int = 1) -> dict[str, Any]:
        number = self.numbers[minutes_ago % len(self.numbers)]
        return super().point(minutes_ago) | {
            "metrics": {"visitorsInside": number, "entrances": number, "exits": 0}
        }


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Taking]:
    service = Taking(sites=[ABSURD, EMPTY])
    with scripted_service(service):
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
        yield service


def run(page: str, **parameters: str | list[str]) -> AppTest:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
    for key in UNFOLDED:
        test.session_state[key] = True
    for parameter, value in parameters.items():
        test.query_params[parameter] = value
    test.switch_page(f"pages/{page}.py").run()
    assert not test.exception
    return test


SITE = {"site": "absurd"}
HOUR = SITE | {"range": "1h"}
TELL_NOW = [
    *((name, SITE) for name in ("overview", "live", "site")),
    ("live", SITE | {"zone": "huge"}),
]
TELL_PAST = [
    *((page.name, SITE) for page in PAGES if page.tells_past),
    ("history", HOUR | {"zone": ["long", "huge"], "metric": "visitorsInside"}),
    ("history", HOUR | {"passage": "long", "metric": ["entrances"]}),
]
TELL_NO_NUMBER = [
    *((page.name, SITE) for page in PAGES if (page.name, SITE) not in TELL_NOW + TELL_PAST),
    ("site", {"site": "empty"}),
    ("live", {"site": "empty"}),
]
NUMBERS = (-5, 0, 0.5, 1e15, 1e300)


@pytest.mark.parametrize(
    ("page", "parameters", "numbers"),
    [
        *((*page, (number,)) for page in TELL_NOW for number in NUMBERS),
        # Of nothing but zeros there are no shares.
        *((*page, numbers) for page in TELL_PAST for numbers in (NUMBERS, (0,))),
        *((*page, NUMBERS) for page in TELL_NO_NUMBER),
    ],
)
def test_a_page_with_absurd_values_is_drawn(
    scripted: Taking, page: str, parameters: dict[str, str | list[str]], numbers: tuple[float, ...]
) -> None:
    scripted.numbers = numbers
    test = run(page, **parameters)
    said = [*test.header, *test.subheader, *test.markdown, *test.caption, *test.info, *test.warning]
    assert [one.value for one in said if len(str(one.value)) > LONGEST_SAID] == []


def test_many_devices_are_all_listed(scripted: ScriptedService) -> None:
    test = run("site", site="absurd")
    assert len(test.dataframe[1].value) == 10_000


def test_a_time_zone_that_is_none_is_named(scripted: ScriptedService) -> None:
    said = " ".join(one.value.replace("\\", "") for one in run("site", site="absurd").markdown)
    assert "Mars/Olympus is no time zone known here; shown in UTC time" in said


def with_doors(count: int) -> dict[str, Any]:
    zones = [{"id": "hall", "name": "Hall"}]
    doors = [{"id": f"d{n}", "name": f"Door {n}", "toZoneId": "hall"} for n in range(count)]
    return {"id": "doors", "name": "Doors", "zones": zones, "passages": doors}


def test_doors_that_cannot_be_read_are_named_and_not_0(scripted: ScriptedService) -> None:
    scripted.sites.append(with_doors(2))
    scripted.failure = {"code": "BROKEN", "message": "The counters are away."}
    test = run("site", site="doors")
    assert [(row["count"], row["note"]) for row in door_rows(test)] == [(None, "could not be read")] * 2
    assert "Not all doors are read: The service" in text_of(test)
    assert "counters are away" not in text_of(test), "that is for administrators"


def test_more_doors_than_are_asked_one_by_one_are_not_ranked_and_it_is_said(
    scripted: ScriptedService,
) -> None:
    scripted.sites.append(with_doors(MOST_PLACES + 1))
    test = run("live", site="doors")
    assert any(f"This site has {MOST_PLACES + 1} doors" in caption.value for caption in test.caption)
    with pytest.raises(LookupError):
        door_rows(test)


@pytest.mark.parametrize("page", ["live", "site"])
def test_of_a_thousand_zones_a_page_keeps_some_live_and_names_the_others(
    scripted: ScriptedService, page: str
) -> None:
    zones = [{"id": f"zone-{number}", "name": f"Zone {number}"} for number in range(1000)]
    scripted.sites = [{"id": "wide", "name": "Wide", "timezone": "Europe/Zurich", "zones": zones}]
    test = run(page, site="wide", **({"zone": "zone-999"} if page == "live" else {}))
    granted = get_signer().read(site_data(test)["token"] if page == "site" else gauge_data(test)["token"])
    assert len(granted.feeds) == MOST_LIVE + 1
    assert any(
        "200 of 1,000 zones are live here" in caption.value.replace("\\", "") for caption in test.caption
    )
    named = [frame.value["Zone"].tolist() for frame in test.dataframe if "Zone" in frame.value]
    assert [f"Zone {number}" for number in range(MOST_LIVE, 1000)] in named
