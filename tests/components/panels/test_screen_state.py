"""None"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from components.number_format import formats_of
from components.panels.screen_state import (
    Reading,
    Seen,
    SeenState,
    Viewer,
    seen_sentence,
    shared_troubles,
    troubles_sentence,
)
from screens import Trouble

SINCE = datetime(2026, 11, 21, 13, 2, tzinfo=UTC)
READING = Reading(formats_of("en-GB"), ZoneInfo("UTC"))
AWAY = "The service cannot be reached."


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


def trouble(view: int, title: str = "Shop", reason: str = AWAY, *, request: str = "") -> Trouble:
    return Trouble(view, title, reason, SINCE + timedelta(minutes=view), "Trying again.", request)


def lines_of(*troubles: Trouble, said: tuple[str, ...] = ()) -> list[str]:
    return troubles_sentence(troubles, READING, said).replace("\\", "").split("  \n")


def test_a_reason_is_said_once_for_all_views_that_have_it() -> None:
    first = trouble(1)
    (said,) = lines_of(first, first._replace(view=2, title="Hall"), first._replace(view=3, request_id="r-7"))
    assert said.startswith("**Views 1, 2, 3 (Shop, Hall) show no number since ")
    assert said.endswith(f"13:03.** {AWAY} Trying again. Request id r-7.")


def test_views_that_lost_their_number_at_different_times_are_not_told_with_the_first_alone() -> None:
    (said,) = lines_of(trouble(1), trouble(2, "Hall"))
    assert said.endswith(f"13:03 or later.** {AWAY} Trying again.")


def test_words_of_a_service_end_before_what_is_tried_next() -> None:
    assert "It says: revoked. " in lines_of(trouble(1, reason="It says: revoked"))[0]


def test_many_places_of_one_view_are_counted() -> None:
    (said,) = lines_of(*(trouble(1, f"Zone {number}") for number in range(7)))
    assert said.startswith("**View 1 (Zone 0, Zone 1, Zone 2 and 4 more) shows no number since ")


def test_each_reason_has_a_line_and_one_that_stands_above_is_not_repeated() -> None:
    first, second = lines_of(trouble(1), trouble(2, reason="Counts usually come every minute."), said=(AWAY,))
    assert first.endswith("**, as said above.")
    assert second.endswith("** Counts usually come every minute. Trying again.")


def test_only_what_several_screens_share_is_shared() -> None:
    shared = shared_troubles(
        {
            "a": [trouble(1), trouble(2)],
            "b": [trouble(1), trouble(2, reason="No such site.")],
            "c": [trouble(1)],
            "d": [trouble(1, reason="Once."), trouble(2, reason="Once.")],
            "e": [],
        }
    )
    assert {reason: (count, len(group)) for reason, (count, group) in shared.items()} == {AWAY: (3, 4)}
