"""A mapping on the page Counters before a real service: tried on what is pasted, then kept."""

from __future__ import annotations

import json
from typing import Final

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from tests.administered import LATELY, Administered
from tests.eventually import PATIENCE
from tests.faulty_administration import Fault, faulty
from tests.pages.administration import opened_page, said

pytestmark = pytest.mark.usefixtures("administering")

BODY: Final = {"sn": "GYM-1", "doors": [{"at": LATELY.isoformat(), "in": 3, "out": 1}]}
WRITTEN: Final = {
    "rows": "doors",
    "serial": "body.sn",
    "start": "row.at",
    "forward": "row.in",
    "backward": "row.out",
}


def opened() -> AppTest:
    test = opened_page("counters")
    test.session_state["mappings"] = True
    return test.run()


def errors(test: AppTest) -> str:
    return " ".join(one.value for one in test.error).replace("\\", "")


def write(test: AppTest, body: str = "", **changes: str) -> None:
    test.text_area(key="mapping-body").set_value(body or json.dumps(BODY))
    for field, text in (WRITTEN | changes).items():
        test.text_input(key=f"mapping-new-{field}").set_value(text)
    test.number_input(key="mapping-new-seconds").set_value(900)
    test.button(key="try-mapping").click().run()
    assert not test.exception


def test_what_is_written_is_tried_kept_and_read_by(managed: Administered) -> None:
    test = opened()
    write(test)
    assert "1 count would be read: 3 in, 1 out." in said(test)
    assert managed.sensors() == []
    test.text_input(key="mapping-new-forward").set_value("row.out").run()
    assert "Something has changed since it was tried" in said(test)
    assert test.button(key="keep-mapping").disabled
    test.text_input(key="mapping-new-forward").set_value("row.in").run()
    test.button(key="keep-mapping").click().run()
    assert "Say what it is to be called" in errors(test)
    test.text_input(key="mapping-name").set_value("axis-3d").run()
    test.button(key="keep-mapping").click().run()
    assert "is the name of a maker" in errors(test)
    test.text_input(key="mapping-name").set_value("gym-doors").run()
    test.button(key="keep-mapping").click().run()
    assert f"{managed.service.base_url}/ingest/gym-doors" in said(test)
    address = f"{managed.service.base_url}/ingest/gym-doors"
    posted = httpx.post(address, json=BODY, headers=managed.site.ingest_headers, timeout=PATIENCE)
    assert posted.json()["data"] == {"waiting": 1}
    assert "A counter that nobody has placed: gym-doors GYM-1." in said(test.run())
    test.selectbox(key="mapping-chosen").set_value("gym-doors").run()
    test.button(key="remove-mapping-now").click().run()
    assert "is removed" in said(test)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"forward": "row.came"}, "In, row 1: finds nothing. Compare the names"),
        ({"forward": "row["}, "In: cannot be read"),
        ({"start": "row.in"}, "Begin, row 1: Input should be a time as"),
        ({"forward": "", "backward": ""}, "Out: In or Out should be told. Say where one of them stands."),
        ({"start": "", "end": ""}, "End: an interval has two of these: Begin, End, seconds of an interval."),
        ({"body": "no JSON"}, "What the counter sends: Invalid JSON"),
        ({"body": "[" * 500_001}, "More than 500,000 letters are pasted. Paste one report."),
        ({"forward": "sum(body.doors[].in)", "body": json.dumps({"sn": "1", "doors": [{}] * 10_001})},
         "Rows: finds more than 10,000 rows"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_by_field_with_what_to_do(changes: dict[str, str], words: str) -> None:
    test = opened()
    write(test, **changes)
    assert words in f"{said(test)}{errors(test)}".replace("**", "")
    assert test.button(key="keep-mapping").disabled


def test_a_mapping_that_was_kept_though_its_answer_was_lost_is_not_said_to_be_somebody_elses(
    managed: Administered, monkeypatch: pytest.MonkeyPatch
) -> None:
    with faulty(managed.service.base_url) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        test = opened()
        write(test)
        test.text_input(key="mapping-name").set_value("lost-doors").run()
        service.fault = Fault(is_cut=True, comes_through=True)
        test.button(key="keep-mapping").click().run()
        assert "Not known whether it was done." in errors(test)
        service.fault = None
        test.button(key="keep-mapping").click().run()
        assert not test.error
        assert f"{service.base_url}/ingest/lost-doors" in said(test)
