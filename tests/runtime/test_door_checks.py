"""Checks of doors, as they are kept beside what else is known of a site."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from analysis.door_check import DoorCheck
from analysis.notes import Note
from runtime.settings import get_settings
from runtime.site_knowledge import (
    MOST_CHECKS,
    damaged_door_checks,
    forget_door_check,
    keep_door_check,
    keep_note,
    read_door_checks,
    read_notes,
)
from runtime.site_knowledge_store import SiteKnowledgeError, SiteKnowledgeStore
from runtime.upstream import service_digest

NOON = datetime(2026, 11, 12, 12, tzinfo=UTC)
CHECK = DoorCheck(
    passage_id="entrance", start=NOON, stood=timedelta(minutes=1), hand=((1, 2),), counted=((1, 2),)
)


pytestmark = pytest.mark.usefixtures("kept_here")


def test_checks_are_kept_beside_notes_in_the_file_that_is_there(tmp_path: Path) -> None:
    keep_note("shop", Note(at=NOON, text="sale"))
    keep_door_check("shop", "first", CHECK)
    assert read_door_checks("shop") == {"first": CHECK}
    assert [note.text for note in read_notes("shop").values()] == ["sale"]
    assert read_door_checks("stall") == {}
    assert get_settings().data_dir == tmp_path


def test_one_that_is_handed_over_twice_is_kept_once_and_can_be_taken_back() -> None:
    keep_door_check("shop", "first", CHECK)
    keep_door_check("shop", "first", CHECK)
    assert list(read_door_checks("shop")) == ["first"]
    forget_door_check("shop", "first")
    assert read_door_checks("shop") == {}


def test_of_one_door_no_more_than_a_hundred_are_kept() -> None:
    for number in range(MOST_CHECKS):
        keep_door_check("shop", str(number), CHECK)
    with pytest.raises(SiteKnowledgeError, match="100 checks are kept of this door"):
        keep_door_check("shop", "more", CHECK)
    keep_door_check("shop", "7", CHECK)
    keep_door_check("shop", "other", CHECK.model_copy(update={"passage_id": "terrace"}))
    assert len(read_door_checks("shop")) == MOST_CHECKS + 1


def test_a_damaged_one_hides_no_other(tmp_path: Path) -> None:
    keep_door_check("shop", "first", CHECK)
    SiteKnowledgeStore(tmp_path).keep(service_digest(), "shop", "door check", "second", '{"hand": []}')
    assert list(read_door_checks("shop")) == ["first"]
    assert damaged_door_checks("shop") == ["second"]
    forget_door_check("shop", "second")
    assert (list(read_door_checks("shop")), damaged_door_checks("shop")) == (["first"], [])
