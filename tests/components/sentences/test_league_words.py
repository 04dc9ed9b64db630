from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import Completeness
from analysis.counted_minutes import Unseen
from analysis.league import Candidate, League, Per, Place, Terms, league
from analysis.league_entry import Began, Entry, Measure, Trust
from analysis.league_period import LeaguePeriod, days_of, league_ranges
from components.figures.league_chart import league_chart
from components.number_format import Formats
from components.sentences.league_words import (
    change_words,
    heading,
    hours_summed,
    league_words,
    left_out_summary,
    left_out_words,
    unvouched_words,
    when_words,
)
from components.tables.league_table import league_table

ZURICH, TOKYO = ZoneInfo("Europe/Zurich"), ZoneInfo("Asia/Tokyo")
NOW = datetime(2026, 6, 10, 10, 7, tzinfo=UTC)
"""A Wednesday: 12:07 in Zürich, 19:07 in Tokyo."""
FORMATS = Formats(now=NOW)
BY_ENTRANCES = Terms(Measure.ENTRANCES, Per.ITSELF, 90.0, "site", 1)
BEGAN = datetime(2026, 6, 8, tzinfo=ZURICH)
ALL = Completeness(600, 600)


def of(terms: Terms, *pairs: tuple[float, float | None]) -> League:
    """Places A, B and so on, each with its number and that of the time before."""
    return league(
        [
            Candidate(Place(name, name, area=100, capacity=10), Entry(value, before, ALL, ALL, is_fair=True))
            for name, (value, before) in zip("ABCDE", pairs, strict=False)
        ],
        terms,
    )


def spoken(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("terms", "pairs", "said"),
    [
        (
            BY_ENTRANCES, [(50, 40), (200, None), (100, 200)],
            ("Most: B (200 came in). Then: C (100, 50 % fewer than a week earlier)."
            " Fewest: A (50, 25 % more than a week earlier)."
            " At these 3 together 350 came in; at 2 of them, where both times are counted alike, 38 % fewer"
            " than a week earlier."),
        ),
        (
            BY_ENTRANCES, [(0, 40), (200, 100), (0, None), (200, None), (0, 3)],
            ("Most: B and 1 more (200 came in). Fewest: A and 2 more (0). At these 5 together 400 came in;"
            " at 3 of them, where both times are counted alike, 40 % more than a week earlier."),
        ),
        (
            BY_ENTRANCES, [(50, 40), (50, 40), (30, 20)],
            ("Most: A and 1 more (50 came in). Fewest: C (30, 50 % more than a week earlier)."
            " At these 3 together 130 came in, 30 % more than a week earlier."),
        ),
        (
            BY_ENTRANCES, [(50, None), (20, None), (20, None)],
            "Most: A (50 came in). Fewest: B and 1 more (20). At these 3 together 90 came in.",
        ),
        (BY_ENTRANCES, [(50, 50)], "A: 50 came in, as many as a week earlier."),
        (BY_ENTRANCES, [(50, 40), (50, 60)], "All 2 have the same: 50 came in."),
        (BY_ENTRANCES, [], "No site can be ranked: all are left out, for the reasons below."),
        (
            BY_ENTRANCES._replace(measure=Measure.TIME, noun="zone", weeks=4), [(1200, 600), (60, None)],
            "Longest: A (20 min inside per person, against 10 min 4 weeks earlier). Shortest: B (60 s).",
        ),
        (
            BY_ENTRANCES._replace(measure=Measure.PEAK, per=Per.CAPACITY), [(8.6, 10), (2, 4)],
            ("Most: A (86 % of the capacity inside in the fullest minute, 14 % fewer than a week earlier)."
            " Fewest: B (20 %, 50 % fewer than a week earlier)."),
        ),
        (
            BY_ENTRANCES._replace(measure=Measure.INSIDE, per=Per.AREA), [(12.34, None), (2.345, None)],
            "Most: A (12.3 inside per 100 m² on average). Fewest: B (2.35).",
        ),
    ],
)  # fmt: skip
def test_who_has_most_and_fewest_is_said(
    terms: Terms, pairs: list[tuple[float, float | None]], said: str
) -> None:
    assert spoken(league_words(of(terms, *pairs), terms, FORMATS)) == said


@pytest.mark.parametrize(
    ("read", "unread", "said"),
    [
        (
            40,
            9,
            "None of the 40 sites read so far can be ranked, for the reasons below; 9 are still to be read.",
        ),
        (1, 1, "The one site read so far cannot be ranked, for the reasons below; 1 is still to be read."),
        (40, 0, "No site can be ranked: all are left out, for the reasons below."),
    ],
)
def test_while_sites_are_read_nothing_is_said_of_all(read: int, unread: int, said: str) -> None:
    found = league([Candidate(Place(str(one), str(one)), None, "gone") for one in range(read)], BY_ENTRANCES)
    assert league_words(found, BY_ENTRANCES, FORMATS, unread=unread) == said


def test_of_how_many_places_minutes_may_be_missing_unseen_is_said() -> None:
    found = of(BY_ENTRANCES, (50, 40), (200, 100), (7, 8))
    assert unvouched_words(found, BY_ENTRANCES, FORMATS) == ""
    rows = [one._replace(entry=one.entry._replace(unseen=Unseen(300, 600))) for one in found.ranked[:2]]
    both = found._replace(ranked=(*rows, *found.ranked[2:]))
    assert unvouched_words(both, BY_ENTRANCES, FORMATS) == (
        "Of 2 sites minutes may be missing unseen, and with them people: their services round averages, or do"
        " not tell how many minutes they are of."
    )
    alone = found._replace(ranked=tuple(rows[:1]))
    assert "Of 1 site minutes may be missing unseen" in unvouched_words(alone, BY_ENTRANCES, FORMATS)


def test_of_which_hours_numbers_are_is_said_where_opening_hours_can_be_chosen() -> None:
    assert hours_summed(BY_ENTRANCES).startswith("Numbers are of all hours, closed ones too.")
    assert "who came in while it is open" in hours_summed(BY_ENTRANCES._replace(per=Per.OPEN_HOUR))
    assert hours_summed(BY_ENTRANCES._replace(measure=Measure.PEAK)) == ""


def test_a_change_of_time_is_longer_or_shorter() -> None:
    terms = BY_ENTRANCES._replace(measure=Measure.TIME)
    found = of(terms, (1200, 1000), (1000, 1250), (600, 600), (400, 100))
    said = {one.place.label: spoken(change_words(one, terms, FORMATS)) for one in found.ranked}
    assert said == {"A": "20 % longer", "B": "20 % shorter", "C": "as long", "D": "4 times as long"}


def test_of_which_time_a_league_is_stands_beside_it() -> None:
    yesterday = [
        (league_ranges(days_of(LeaguePeriod.YESTERDAY, NOW.date()), NOW, zone), zone)
        for zone in (ZURICH, TOKYO)
    ]
    assert when_words(yesterday[:1], FORMATS) == "Tue 9 Jun, compared with Tue 2 Jun, in Zurich time."
    assert when_words(yesterday, FORMATS) == (
        "Tue 9 Jun, compared with Tue 2 Jun; days are each site's own, in 2 time zones."
    )
    today = [
        (league_ranges(days_of(LeaguePeriod.TODAY, NOW.date()), NOW, zone), zone) for zone in (ZURICH, TOKYO)
    ]
    assert when_words(today[:1], FORMATS) == (
        "Wed 10 Jun, 00:00 to 12:00, compared with Wed 3 Jun, 00:00 to 12:00, in Zurich time."
    )
    assert when_words(today, FORMATS) == (
        "each day is compared with the same weekday before; days are each site's own, in 2 time zones;"
        " where more of the day has passed, more is counted."
    )


def test_who_is_left_out_is_named_with_why() -> None:
    terms = BY_ENTRANCES._replace(measure=Measure.PEAK)
    half = Entry(5.0, None, Completeness(57, 60))
    found = league(
        [
            Candidate(Place("a", "Half"), half._replace(minutes=Completeness(30, 60))),
            Candidate(Place("b", "Spoilt"), half._replace(trust=Trust(2))),
            Candidate(Place("c", "Once spoilt"), half._replace(trust=Trust(1))),
            Candidate(Place("d", "Away"), None, "It does not answer."),
            Candidate(Place("e", "There"), half),
            Candidate(Place("f", "Young"), half._replace(began=Began(BEGAN, 0.5))),
            Candidate(Place("g", "Of today"), Entry(first=BEGAN)),
            Candidate(Place("h", "Never"), Entry()),
        ],
        terms,
    )
    said = {one.place.label: left_out_words(one, terms, FORMATS) for one in found.left_out}
    assert said == {
        "Away": "could not be read: It does not answer.",
        "Young": "counts began on Mon 8 Jun",
        "Of today": "no counts are stored of this time; counts began on Mon 8 Jun",
        "Never": "no counts are stored of this time",
        "Half": "counted in 30 of 60 minutes",
        "Spoilt": "the number inside cannot be trusted on 2 days",
        "Once spoilt": "the number inside cannot be trusted on 1 day",
    }
    assert left_out_summary(found, terms, FORMATS).startswith("Ranked are 1 of 8 sites;")
    table = league_table(found, terms, FORMATS)
    assert table["Site"].tolist() == [
        "There", "Away", "Never", "Of today", "Young", "Half", "Once spoilt", "Spoilt"
    ]  # fmt: skip
    assert table["Counted"].tolist()[0] == "57 of 60 minutes"
    assert table["Rank"].isna().tolist() == [False, *[True] * 7]


def test_bars_stand_in_the_order_of_ranks_with_a_mark_for_the_time_before() -> None:
    found = of(BY_ENTRANCES, (50, 40), (200, None), (100, 200))
    figure = league_chart(found.ranked, BY_ENTRANCES, theme="light", formats=FORMATS, revision="1").to_dict()
    bars, marks = figure["data"]
    assert (list(bars["x"]), list(bars["y"])) == ([200, 100, 50], [0, 1, 2])
    assert (list(marks["x"]), list(marks["y"])) == ([200, 40], [1, 2])
    axis = figure["layout"]["yaxis"]
    assert list(axis["ticktext"]) == ["1 B<br>200", "2 C<br>100", "3 A<br>50"]
    assert axis["range"][0] > axis["range"][1], "the first is on top"


def test_a_time_before_that_is_not_counted_alike_has_no_mark_and_says_how_much_of_it_is_counted() -> None:
    entry = Entry(200, 100, ALL, Completeness(700, 1440), is_fair=False)
    found = league([Candidate(Place("a", "A"), entry)], BY_ENTRANCES)
    figure = league_chart(found.ranked, BY_ENTRANCES, theme="light", formats=FORMATS, revision="1").to_dict()
    [bars] = figure["data"]
    assert "before 100, counted: 700 of 1,440 minutes" in bars["hovertext"][0]


def test_a_long_name_beside_a_bar_has_two_lines_and_a_picture_has_it_whole() -> None:
    found = league(
        [
            Candidate(
                Place("a", "Linden department store, third floor"), Entry(200, 100, ALL, ALL, is_fair=True)
            )
        ],
        BY_ENTRANCES,
    )
    figure = league_chart(found.ranked, BY_ENTRANCES, theme="light", formats=FORMATS, revision="1").to_dict()
    layout = figure["layout"]
    assert list(layout["yaxis"]["ticktext"]) == ["1 Linden department<br>store, third floor<br>200"]
    assert layout["meta"]["ticktextOfPicture"] == ["1 Linden department store, third floor<br>200"]


def test_a_column_says_what_its_numbers_are() -> None:
    assert heading(BY_ENTRANCES._replace(per=Per.OPEN_HOUR)) == "Entrances per opening hour"
    assert heading(BY_ENTRANCES._replace(measure=Measure.TIME)) == "Time inside, min"
    assert heading(BY_ENTRANCES._replace(measure=Measure.INSIDE, per=Per.CAPACITY)) == (
        "People inside, on average, % of the capacity"
    )


def test_a_bar_of_nothing_and_a_tiny_one_have_their_numbers() -> None:
    found = of(BY_ENTRANCES, (1_000_000, None), (3, None), (0, None))
    figure = league_chart(found.ranked, BY_ENTRANCES, theme="light", formats=FORMATS, revision="1").to_dict()
    assert list(figure["layout"]["yaxis"]["ticktext"]) == ["1 A<br>1,000,000", "2 B<br>3", "3 C<br>0"]
