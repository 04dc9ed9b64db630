"""The six stops of a tour: where each leads, and its one sentence, of what was counted or always is so."""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis.names import LONGEST_NAME, one_line
from analysis.tour import FEWEST_INSIDE, WEEKS, Tour, TourSite
from components.number_format import Formats
from components.sentences.replay_words import day_words

STOPS: Final = 6


class Stop(NamedTuple):
    page: str
    """Its address."""
    link: dict[str, str]
    """The parameters of its link."""
    sentence: str


def stops_of(tour: Tour, screen_id: str, formats: Formats) -> tuple[Stop, ...]:
    """`screen_id`: that of the wall screen that is shown; empty: none is composed yet."""
    first = tour.first
    return (
        _busiest(tour, formats),
        _present(tour),
        Stop(
            "rhythm",
            {"site": first.id, "metric": "entrances"},
            f"Rhythm: the hours of a week at {_name(first)}, each as many people as usually come in it.",
        ),
        _doubt(tour, formats),
        _ahead(tour),
        _wall(screen_id),
    )


def _busiest(tour: Tour, formats: Formats) -> Stop:
    found = tour.saturday
    if found is None:
        return Stop(
            "replay",
            {"site": tour.first.id, "speed": "60"},
            "Replay: any recorded day, played again through the gauge and the graph that show it live.",
        )
    link = {"site": found.site.id, "day": found.day.isoformat(), "speed": "60"}
    number = formats.number
    if found.saturdays > 1:
        which = f"the busiest of {number(found.saturdays)} Saturdays"
    else:
        which = "the one Saturday that is stored"
    return Stop(
        "replay",
        link,
        f"Replay: {day_words(found.day)}, {which} at {_name(found.site)}, on which {number(found.came)} came "
        "in, sixty times as fast as it was.",
    )


def _present(tour: Tour) -> Stop:
    site = tour.present
    if site:
        return Stop(
            "live",
            {"site": site.id},
            f"Live: {_name(site)} now; each number moves as people are counted, and says how old it is.",
        )
    return Stop(
        "history",
        {"site": tour.first.id, "range": "30d", "metric": "entrances"},
        f"History: nowhere are {FEWEST_INSIDE} people or more inside now, as far as can be told, so here are "
        f"the last 30 days of {_name(tour.first)}.",
    )


def _doubt(tour: Tour, formats: Formats) -> Stop:
    found = tour.doubtful
    if found is None:
        return Stop(
            "trust",
            {"site": tour.first.id},
            f"Trust: whether who came and who left {_name(tour.first)} add up, door by door.",
        )
    came, left = (formats.number(one) for one in (found.came, found.left))
    return Stop(
        "trust",
        {"site": found.site.id},
        f"Trust: in {WEEKS} weeks {came} people were counted into {_name(found.site)} and {left} out of it; "
        "this page looks for the door that is to blame.",
    )


def _ahead(tour: Tour) -> Stop:
    site = tour.ahead
    if site is None:
        link = {"site": tour.first.id, "metric": "entrances", "weekday": "saturday"}
        return Stop(
            "rhythm", link, f"A usual Saturday at {_name(tour.first)}; nobody is to come today any more."
        )
    return Stop(
        "ahead",
        {"site": site.id, "metric": "entrances"},
        f"Ahead: how many will probably come to {_name(site)} in each hour of the rest of today, "
        "and how wrong that was in the past weeks.",
    )


def _wall(screen_id: str) -> Stop:
    if screen_id:
        return Stop(
            "screens",
            {"screen": screen_id},
            "Screens: a wall screen that is already composed; “New link” in the list of screens makes the"
            " link that any television opens.",
        )
    return Stop("screens", {}, "Screens: what hangs on a wall is composed here and opened by its link.")


def _name(site: TourSite) -> str:
    return one_line(site.name or site.id, LONGEST_NAME)
