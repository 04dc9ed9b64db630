"""Viewers of screens, counted over all dashboards that share what holds the screens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Self

import pytest

from keeping import Place
from screens import SharedViewers, ViewerRegistry
from screens.viewers import Viewer

SINCE = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)
LAG = timedelta(minutes=5)
VIEWER = Viewer("10.0.0.*", "Chrome 85 on X11", SINCE)


@pytest.fixture(autouse=True)
def _read_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("screens.shared_viewers._READ_AGAIN", 0.0)


def told(viewers: SharedViewers) -> dict[str, int]:
    return {screen_id: len(own) for screen_id, own in viewers.others().items()}


def test_who_looks_at_one_dashboard_is_counted_at_the_others(place: Place) -> None:
    here, there, third = SharedViewers(place), SharedViewers(place), SharedViewers(place)
    there.write({"door": [VIEWER, VIEWER], "back": [VIEWER]})
    third.write({"door": [VIEWER]})
    assert told(here) == {"door": 3, "back": 1}
    assert told(third) == {"door": 2, "back": 1}
    registry = ViewerRegistry(here.others)
    with registry.looking("door", "192.168.1.7", ""):
        assert len(registry.of("door")) == 4
        assert list(registry.here()) == ["door"]
    (viewer,) = registry.of("back")
    assert (viewer.address, viewer.agent) == (VIEWER.address, VIEWER.agent)
    assert abs(viewer.since - SINCE) < timedelta(seconds=5)


def test_who_has_left_is_counted_no_more(place: Place) -> None:
    here, there = SharedViewers(place), SharedViewers(place)
    there.write({"door": [VIEWER], "back": [VIEWER]})
    there.write({"door": [VIEWER]})
    assert told(here) == {"door": 1}
    there.write({})
    assert told(here) == {}


def test_a_dashboard_that_was_killed_is_not_counted_for_ever(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, killed = SharedViewers(place), SharedViewers(place)
    killed.write({"door": [VIEWER]})
    monkeypatch.setattr("screens.shared_viewers._COUNTED", -1.0)
    assert told(here) == {}
    monkeypatch.undo()
    monkeypatch.setattr("screens.shared_viewers._READ_AGAIN", 0.0)
    assert told(here) == {"door": 1}
    monkeypatch.setattr("screens.shared_viewers._FORGOTTEN", -1.0)
    here.write({"back": [VIEWER]})
    monkeypatch.undo()
    # All were forgotten; whoever is still there writes all of it again.
    killed.write({"door": [VIEWER]})
    assert told(SharedViewers(place)) == {"door": 1}


class Behind(datetime):
    """As a machine has it whose clock is five minutes behind."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) - LAG


def test_a_dashboard_whose_clock_is_behind_is_counted_and_its_moments_are_told_by_the_clock_of_all(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = SharedViewers(place)
    monkeypatch.setattr("screens.shared_viewers.datetime", Behind)
    there.write({"door": [VIEWER]})
    monkeypatch.setattr("screens.shared_viewers.datetime", datetime)
    ((viewer,),) = SharedViewers(place).others().values()
    assert abs(viewer.since - SINCE - LAG) < timedelta(seconds=5)


def test_while_nobody_looks_nothing_is_written(place: Place) -> None:
    viewers = SharedViewers(place)
    viewers.write({})
    assert told(viewers) == {}
    if not hasattr(place, "connected"):
        assert list(place.iterdir()) == []


def test_what_somebody_else_has_put_there_is_nobody(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    there = SharedViewers(place)
    monkeypatch.setattr("screens.shared_viewers._written", lambda *_: '[["10.0.0.*", "Chrome", 1e99], 5]')
    there.write({"door": [VIEWER]})
    assert told(SharedViewers(place)) == {"door": 0}


def test_thousands_are_written_at_once(place: Place) -> None:
    there = SharedViewers(place)
    there.write({f"screen {number}": [VIEWER] for number in range(5_000)})
    assert len(told(SharedViewers(place))) == 5_000
