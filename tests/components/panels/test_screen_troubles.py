from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from components.number_format import formats_of
from components.panels.screen_troubles import Reading, shared_troubles, troubles_sentence
from screens import Trouble

SINCE = datetime(2026, 11, 21, 13, 2, tzinfo=UTC)
READING = Reading(formats_of("en-GB"), ZoneInfo("UTC"))
AWAY = "The service cannot be reached."


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
