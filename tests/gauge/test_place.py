"""What the drawing of a place computes, without a browser."""

from __future__ import annotations

from typing import Any

import pytest

from tests.gauge_scripts import evaluated
from tests.running_service import ROOT


@pytest.mark.parametrize(
    ("share", "is_trusted", "filled"),
    [(0, True, 0), (35, True, 0.35), (140, True, 1), (35, False, None), (None, True, None)],
)
def test_a_zone_is_filled_to_a_share_that_one_can_stand_by(
    share: float | None, is_trusted: bool, filled: float | None
) -> None:
    view = {"share": share, "freshness": {"isTrusted": is_trusted}}
    assert evaluated("filledPart(given[0])", view) == filled


def test_a_lane_keeps_right_of_who_walks_it() -> None:
    """Down, then to the right, then down; walked back the other way, the lane is on the other side."""
    line = [[10, 0], [10, 20], [50, 20], [50, 40]]
    assert evaluated("aside(given[0], 2)", line) == [[8, 0], [8, 22], [48, 22], [48, 40]]
    assert evaluated("aside(given[0], 2)", line[::-1]) == [[52, 40], [52, 18], [12, 18], [12, 0]]
    assert evaluated("aside(given[0], 2)", [[5, 30], [5, 0]]) == [[7, 30], [7, 0]]


def test_people_of_several_passages_are_added_and_missing_is_not_zero() -> None:
    known = {"a": [3, 1, 0, 0], "b": [4, 0, 0, 0], "silent": [None, None, 0, 0]}
    summed = "summed(given[0], given[1], 0)"
    assert evaluated(summed, ["a", "b"], known) == [7, 1]
    assert evaluated(summed, ["a", "silent"], known) is None
    assert evaluated(summed, ["a", "unread"], known) is None
    assert evaluated(summed, ["a", "gone"], known | {"gone": None}) is None
    assert evaluated(summed, [], known) is None
    assert evaluated("mostOf(given[0])", [[3, 1], None, [0, 9]]) == 9


def test_words_tell_what_is_not_counted_from_what_is_not_read() -> None:
    words = "[given[0], null].map((both) => crossedWords(both, given[1], formatFor('en-GB', 'UTC', 0)))"
    assert evaluated(words, [1200, 0], True) == ["1,200 this way, 0 back", "not counted in the last hour"]
    assert evaluated(words, [1200, 0], False)[1] == "not read"


def test_words_tell_in_how_many_minutes_of_the_hour_who_crossed_was_counted() -> None:
    known = {"a": [3, 1, 0, 0], "b": [4, 0, 0, 0, 50, 58], "c": [4, 0, 0, 0, 29, 58]}
    assert evaluated("leastCounted(given[0], given[1])", ["a"], known) is None
    assert evaluated("leastCounted(given[0], given[1])", ["a", "b", "c", "gone"], known) == [29, 58]
    words = "crossedWords(given[0], true, formatFor('en-GB', 'UTC', 0), given[1])"
    assert evaluated(words, [7, 1], [50, 58]) == "7 this way, 1 back, counted in 50 of 58 minutes"


def test_the_page_and_the_drawing_say_it_in_the_same_words() -> None:
    said = [
        [
            line.split("//")[0].strip()
            for line in (ROOT / path).read_text(encoding="utf-8").splitlines()
            if "minutesOf:" in line
        ]
        for path in ("gauge/place/words.js", "components/live_gauge/page_words.js")
    ]
    assert said[0] == said[1] == ['minutesOf: "counted in {n} of {all} minutes",']


def test_few_people_are_a_dot_each_and_many_are_a_few_heavier_ones() -> None:
    assert evaluated("given.map(dotsFor)", 0, 1, 5, 6, 40, 3000) == [0, 1, 5, 6, 6, 6]
    one, seven, many = evaluated("given.map(radiusOf)", 1, 40 / 6, 500)
    assert one < seven < many
    assert abs((seven / one) ** 2 - 40 / 6) < 0.01


@pytest.mark.parametrize(
    ("part", "place"), [(0, [0, 0]), (0.25, [10, 0]), (0.5, [20, 0]), (0.75, [20, 10]), (1, [20, 20])]
)
def test_a_dot_goes_along_its_course(part: float, place: list[float]) -> None:
    assert evaluated("placeOn(given[0], given[1])", [[0, 0], [20, 0], [20, 20]], part) == place


def looks(
    *seen: tuple[dict[str, list[int]] | dict[str, None] | None, bool, float],
) -> list[dict[str, list[int]]]:
    """Who has crossed at each look: what is told of the passages, whether it is heard, when, in seconds."""
    script = "(function () { var lookout = lookoutFor(); return given.map(function (look) {"
    found: list[dict[str, list[int]]] = evaluated(
        f"{script} return lookout.crossed(look[0], look[1], look[2]); }}); }})()", *seen
    )
    return found


def test_who_crossed_between_two_looks_goes_on_the_way() -> None:
    first, second = {"a": [9, 9, 3, 1]}, {"a": [11, 9, 5, 1], "b": [4, 4, 0, 0]}
    third = {"a": [11, 9, 5, 1], "b": [5, 5, 1, 1]}
    assert looks((first, True, 1), (second, True, 2), (second, True, 3), (third, True, 4)) == [
        {}, {"a": [2, 0]}, {}, {"b": [1, 1]}
    ]  # fmt: skip


def test_nobody_is_sent_after_what_nobody_saw() -> None:
    """A page that was hidden, a connection that was gone, and a reader that began anew."""
    few, more, none = {"a": [0, 0, 3, 1]}, {"a": [0, 0, 9, 9]}, {"a": [0, 0, 0, 0]}
    assert looks((few, True, 1), (more, True, 60)) == [{}, {}]
    assert looks((few, True, 1), (few, False, 2), (more, True, 3)) == [{}, {}, {}]
    assert looks((more, True, 1), (few, True, 2), (none, True, 3)) == [{}, {}, {}]
    assert looks((None, True, 1), (more, True, 2)) == [{}, {}]
    assert looks((few, True, 1), ({"a": None}, True, 2), (more, True, 3)) == [{}, {}, {}]


@pytest.mark.parametrize("name", ["__proto__", "constructor", "p"])
def test_ids_may_be_words_of_the_language(name: str) -> None:
    """As a passage and as a site, told whole and then once more; of `toString` nothing is known."""
    messages = [
        f'{{"now": 9, "feeds": {{"{name}": {{"passages": {{"{name}": [1, 2, 3, 4]}}, "read_age": 1}}}}}}',
        f'{{"now": 9, "feeds": {{"{name}": {{"passages": {{"{name}": [5, 6, 7, 8]}}, "read_age": 1}}}}}}',
    ]
    script = """(function () {
      var heard = {}, lookout = lookoutFor(), crossed;
      globalThis.EventSource = function () {
        this.addEventListener = function (kind, listener) { heard[kind] = listener; };
        this.close = function () {};
      };
      var link = openRelayLink("", "token", { changed: function () {} });
      var ways = [{ passages: [given[0]] }, { passages: ["toString"] }];
      var graph = { crossings: given[0], timezone: "UTC", ways: ways };
      var found = ["state", "change"].map(function (kind, position) {
        heard[kind]({ type: kind, data: given[1][position] });
        var found = crossingsOf(graph, link, { locale: "en" });
        crossed = lookout.crossed(link.feeds[given[0]].passages, true, position);
        return [found.ways, graph.ways.map(found.isRead)];
      });
      link.close();
      return [found, Object.keys(crossed).map(function (id) { return [id, crossed[id]]; })];
    })()"""
    assert evaluated(script, name, messages) == [
        [[[[1, 2], None], [True, False]], [[[5, 6], None], [True, False]]],
        [[name, [4, 4]]],
    ]


def test_how_old_the_numbers_may_be_is_the_relays_to_say() -> None:
    script = """given.map(function (feed) {
      var feeds = { f: Object.assign({ receivedAt: monotonic() }, feed) };
      var link = { feeds: feeds, isOpen: true, serverNow: Date.now };
      return crossingsOf({ crossings: "f", timezone: "UTC", ways: [] }, link, { locale: "en" }).isTrusted;
    })"""
    ages = [{"read_age": 290}, {"read_age": 310}, {"read_age": 310, "old_after": 900}]
    assert evaluated(script, *ages) == [True, False, True]


def test_a_lane_keeps_right_of_a_slanting_line_and_its_arrow_points_along_it() -> None:
    """3 to 4 to 5: two pixels to the right of (3, 4) lie (-1.6, 1.2)."""
    aside = evaluated("aside(given[0], 2).flat()", [[0, 0], [30, 40]])
    assert aside == pytest.approx([-1.6, 1.2, 28.4, 41.2])
    points = evaluated("arrowhead(given[0], 5).split(/[ ,]/).map(Number)", [[0, 0], [30, 40]])
    back = (30 - 9 * 0.6, 40 - 9 * 0.8)
    expected = [30, 40, back[0] - 4, back[1] + 3, back[0] + 4, back[1] - 3]
    assert points == pytest.approx(expected)


def test_beside_a_sharp_corner_a_lane_stays_near() -> None:
    turned = evaluated("aside(given[0], 4)", [[0, 0], [100, 0], [0, 1]])
    assert abs(turned[1][0] - 100) + abs(turned[1][1]) < 20 + 4


def test_zones_without_room_for_a_name_have_letters() -> None:
    assert evaluated("given.map(letterOf)", 0, 25, 26, 51, 52, 701, 702) == [
        *("A", "Z", "AA", "AZ", "BA", "ZZ", "AAA")
    ]


def test_a_card_of_several_zones_is_cut_in_its_category_and_keeps_their_number() -> None:
    item = {"title": "Cinema and lecture hall (10 zones)", "members": [{}] * 10}

    def fitted(item: dict[str, Any], room: int) -> str:
        told: str = evaluated(
            "(function () { var node = {};"
            " node.getComputedTextLength = function () { return node.textContent.length;"
            " }; var titles = titlesOf(given[0]);"
            " fitWords(node, titles, given[1], titles.length > 1 ? countOf(given[0]) : '');"
            " return node.textContent; })()",
            item,
            room,
        )
        return told

    assert fitted(item, 40) == "Cinema and lecture hall (10 zones)"
    assert fitted(item, 30) == "Cinema and lecture hall (10)"
    assert fitted(item, 20) == "Cinema and lec… (10)"
    assert fitted({"title": "Hall (old)"}, 8) == "Hall (o…", "a zone of its own"
