from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from components.number_format import formats_of
from components.panels.screen_seen import Seen, SeenState, Viewer, seen_sentence


def ago(**span: float) -> datetime:
    return datetime.now(UTC) - timedelta(**span)


class _Looking:
    address, agent, since = "10.0.0.*", "Chrome 85", ago(hours=1)


def seen(
    opened: dict[str, datetime | None], left: datetime | None = None, looking: tuple[Viewer, ...] = ()
) -> Seen:
    return Seen(lambda _: looking, lambda _: left, opened)


def said(what: Seen) -> str:
    return seen_sentence(what, "door", formats_of("en-GB"), ZoneInfo("UTC"))


def test_a_wall_that_is_away_for_a_day_is_told_from_one_that_was_never_there() -> None:
    away, never, unknown = seen({"door": ago(days=5, minutes=1)}), seen({}), seen({"door": None})
    just_now = seen({"door": ago(hours=2)})
    states = [one.state("door") for one in (away, never, unknown, just_now)]
    assert states == [SeenState.AWAY, SeenState.NEVER, SeenState.UNSEEN, SeenState.UNSEEN]
    assert "**Nobody has looked at it for 5 d**: last seen" in said(away)
    assert "It was never opened." in said(never)
    assert said(unknown).endswith("Nobody looks at it now.")
    assert "Nobody looks at it now: last seen" in said(just_now)


def test_a_wall_is_missed_after_a_day() -> None:
    assert seen({"door": ago(hours=23, minutes=59)}).state("door") is SeenState.UNSEEN
    assert seen({"door": ago(days=1)}).state("door") is SeenState.AWAY


def test_the_later_of_what_is_kept_and_what_this_process_saw_counts() -> None:
    assert seen({"door": ago(days=3)}, left=ago(minutes=1)).state("door") is SeenState.UNSEEN
    assert seen({"door": ago(minutes=1)}, left=ago(days=3)).state("door") is SeenState.UNSEEN
    assert seen({"door": ago(days=3)}, looking=(_Looking(),)).state("door") is SeenState.SEEN
