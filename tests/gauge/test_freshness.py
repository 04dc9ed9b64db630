"""How far a gauge trusts a value by its age, and how it says the age, asked in the Node of Playwright."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from components.live_gauge import FOLDER as PAGES
from components.number_format import Formats
from gauge import FOLDER
from tests.screens.test_wall_sources import NODE

SCRIPTS = tuple(
    folder / name
    for folder, name in (
        (FOLDER, "words.js"),
        (PAGES, "page_words.js"),
        (FOLDER, "wording.js"),
        (FOLDER, "freshness.js"),
    )
)
HOUR = 3600
DAY = 24 * HOUR
STAND = """
const ages = JSON.parse(require("fs").readFileSync(0, "utf8"));
const format = { moment: String, ago: String, span: String, number: String };
const link = { isOpen: true, serverNow: () => 1e9 };
const stood = ages.map((age) => {
  const feed = { state: "live", inside: 9, measured_at: 1e9 - age, confirmed_age: 1, receivedAt: 0 };
  return freshnessOf(feed, link, 0, format);
});
process.stdout.write(JSON.stringify([stood, ages.map(spanWords)]));
"""
UNREAD = """
const ages = JSON.parse(require("fs").readFileSync(0, "utf8"));
const format = { moment: String, ago: String, span: String, number: String };
const link = { isOpen: true, serverNow: () => 1e9 };
const said = (state, age) => {
  const told = { state, inside: 9, measured_at: 1e9 - age, confirmed_age: 1, past_unread: true };
  const feed = { ...told, receivedAt: 0 };
  return freshnessOf(feed, link, 0, format).details.indexOf(WORDS.pastUnread);
};
process.stdout.write(JSON.stringify(ages.map((age) => [said("live", age), said("polling", age)])));
"""
WHY = """
const clocks = JSON.parse(require("fs").readFileSync(0, "utf8"));
const format = { moment: String, ago: String, span: String, number: String };
const link = { isOpen: true, serverNow: () => 1e9 };
const feed = { state: "live", inside: 9, measured_at: 1e9 - 1260, confirmed_age: 1, receivedAt: 0 };
const said = clocks.map((reason) => [true, false].map((told) => {
  tellsReasons = told;
  return freshnessOf({ ...feed, reason }, link, 0, format).details;
}));
process.stdout.write(JSON.stringify(said));
"""
DOWN = """
const ages = JSON.parse(require("fs").readFileSync(0, "utf8"));
const format = { moment: String, ago: String, span: String, number: String };
const link = { isOpen: true, serverNow: () => 1e9 };
const said = ages.map((confirmed_age) => {
  const feed = { state: "offline", since: 1402, inside: null, confirmed_age, receivedAt: 0 };
  return freshnessOf(feed, link, 0, format).details[0];
});
process.stdout.write(JSON.stringify(said));
"""


def run(asked: str, ages: Sequence[int | str | None]) -> Any:
    script = "".join(path.read_text() for path in SCRIPTS)
    answer = subprocess.run(
        [str(NODE), "-e", script + asked], input=json.dumps(ages).encode(), capture_output=True, check=False
    )
    assert answer.returncode == 0, answer.stderr.decode()
    return json.loads(answer.stdout)


def told(*ages: int) -> tuple[list[dict[str, Any]], list[str]]:
    freshnesss, spans = run(STAND, ages)
    return freshnesss, spans


def test_an_outage_that_was_there_before_the_first_value_may_be_older_than_is_known() -> None:
    assert run(DOWN, [None, 60]) == ["since 1402 or before", "since 1402"]


def test_a_quiet_counter_is_not_called_well_where_past_days_cannot_be_read() -> None:
    """Among the first two details, which a card of a list has room for."""
    assert run(UNREAD, [60, HOUR]) == [[-1, -1], [1, 1]]


def test_a_count_that_is_old_by_a_wrong_clock_alone_is_told_with_the_clock() -> None:
    """Beside its age, where a card has room for it; passers-by can do nothing about it."""
    old, confirmed = "no new count since 999998740", "confirmed by the service 1"
    why = "The service's clock is 20 min ahead of this machine's: one of them is wrong"
    assert run(WHY, [f"{why}.", ""]) == [
        [[old, why, confirmed], [old, confirmed]],
        [[old, confirmed], [old, confirmed]],
    ]


def test_a_value_of_days_ago_has_no_level_however_seldom_a_place_opens() -> None:
    freshnesss, _ = told(60, HOUR, 37 * HOUR, 3 * DAY, 1_000_000_000)
    assert [found["isTrusted"] for found in freshnesss] == [True, True, True, False, False]
    assert [found["word"] for found in freshnesss[1:]] == ["Quiet"] * 4


def test_an_age_of_days_is_said_in_days() -> None:
    assert told(90, HOUR, 37 * HOUR, 21 * DAY)[1] == ["90 s", "60 min", "37 h 0 min", "21 d"]


def test_pages_and_screens_write_a_duration_alike() -> None:
    ages = (0, 59, 60, 99, 100, 119, 2819, 5999, 6000, 7500, 359_999, 360_000, 1500 * DAY)
    assert told(*ages)[1] == [Formats().duration(age) for age in ages]


UNCERTAIN = """
const format = { moment: String, ago: String, span: String, number: String };
const link = { isOpen: true, serverNow: () => 1e9 };
const said = [[false, true], [true, true], [false, false], [true, false]].map(([past_unread, tells]) => {
  tellsReasons = tells;
  const known = { inside: 9, measured_at: 1e9 - 5100, confirmed_age: 1, receivedAt: 0 };
  const feed = { ...known, state: "uncertain", past_unread };
  const { word, icon, details, isTrusted } = freshnessOf(feed, link, 0, format);
  return { word, icon, details, isTrusted, isUnsettled: isUnsettled(feed) };
});
process.stdout.write(JSON.stringify(said));
"""


def test_an_old_count_has_no_level_until_past_days_have_told_and_where_they_cannot() -> None:
    """On pages, which say why, and on walls, which do not."""
    found = run(UNCERTAIN, [])
    since, confirmed = "no new count since 999994900", "confirmed by the service 1"
    words = [("Checking", "wait", True), ("Uncertain", "warn", False)]
    assert [(one["word"], one["icon"], one["isUnsettled"]) for one in found] == 2 * words
    assert not any(one["isTrusted"] for one in found)
    assert [one["details"] for one in found] == [
        [since, "past days are being read, to tell whether counts are missing", confirmed],
        [since, "past days cannot be read, so whether counts are missing is not known", confirmed],
        [since, confirmed],
        ["since 999994900", confirmed],
    ]


SPOILT = """
const known = JSON.parse(require("fs").readFileSync(0, "utf8")).filter(Boolean);
const format = { moment: String, ago: String, span: String, number: String };
const open = { isOpen: true, serverNow: () => 1e9, retryIn: () => null };
const cut = { ...open, isOpen: false, heardAt: 0, lostAt: 0 };
const expired = { ...open, hasExpired: true };
const links = { expired, returning: { ...cut, heardAt: null }, "cut off": cut };
const told = (state, drift) => {
  const late = state === "unconfirmed";
  const value = { inside: 9, measured_at: 1e9 - 60, confirmed_age: late ? 500 : 1, drift };
  const feed = { ...value, state: late ? "live" : state, since: 7, receivedAt: 100 };
  return freshnessOf(feed, links[state] || open, 100, format);
};
const drift = { people: 118, since: 3, at: 5 };
process.stdout.write(JSON.stringify(known.map((state) => [told(state, drift), told(state, null)])));
"""
OUTAGES = (
    "late",
    "unconfirmed",
    "reconnecting",
    "offline",
    "refused",
    "silent",
    "uncertain",
    "connecting",
    "new",
)


def test_a_view_of_a_dashboard_with_another_secret_says_so_instead_of_that_it_has_expired() -> None:
    script = """
    const link = { hasExpired: true, isForeign: true, isOpen: false, retryIn: () => null };
    const told = freshnessOf(null, link, 100, {});
    process.stdout.write(JSON.stringify([told, freshnessOf(null, { ...link, isForeign: false }, 100, {})]));
    """
    foreign, expired = run(script, [])
    assert foreign["word"] == "This dashboard does not take this view"
    assert foreign["details"][0] == "it was signed with another HEADROOM_SECRET"
    assert "Connection page" in foreign["details"][1]
    assert (expired["word"], expired["details"]) == ("This view has expired", ["reload the page"])


def test_what_drift_spoilt_stays_spoilt_in_every_outage_which_is_told_first() -> None:
    was = ["the last number was unreliable", "by 5, 118 more people had left than come since 3"]
    for outage, (spoilt, fine) in zip(OUTAGES, run(SPOILT, OUTAGES), strict=True):
        assert "isSpoilt" not in fine, outage
        assert (fine["isTrusted"], fine["isCurrent"]) == (False, False), outage
        assert spoilt == fine | {"details": [*fine["details"], *was], "isSpoilt": True}, outage


def test_what_drift_spoils_now_is_current_and_says_why() -> None:
    for spoilt, fine in run(SPOILT, ["live", "polling"]):
        assert (fine["isTrusted"], fine["isCurrent"]) == (True, True)
        assert (spoilt["isTrusted"], spoilt["isCurrent"], spoilt["isSpoilt"]) == (False, True, True)
        assert (spoilt["word"], spoilt["details"]) == (
            "Unreliable",
            ["by 5, 118 more people had left than come since 3"],
        )
