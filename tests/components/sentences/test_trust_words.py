from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import Completeness
from analysis.consistency import Consistency
from analysis.reconciliation import ReconciledHour
from analysis.residue import DayBalance, disagreement
from analysis.subject import Subject, SubjectKind
from analysis.trust_answer import Began, Stopped
from components.number_format import Formats, formats_of
from components.sentences.stopped_words import lacks_doors, stopped_words
from components.sentences.trust_words import (
    agreement_words,
    begins_words,
    counted_words,
    day_words,
    even_words,
    habit_words,
    hours_words,
    late_words,
    left_out_words,
    residue_words,
    spoilt_zones_words,
    verdict,
)
from contract import MetricKey
from tests.components.trusted import BACK, FRONT, day, trusted, zone

FORMATS = Formats(now=datetime(2026, 11, 23, 12, tzinfo=UTC))
ZURICH = ZoneInfo("Europe/Zurich")
GOOD, BAD = day(1000, 1000), day(1000, 900)
MISSING = day(500, 480, counted=Completeness(700, 1440))
PERCENT = "\u00a0%"


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ([GOOD] * 7, "The number inside adds up on all 7 days: all left who came."),
        (
            [day(1000, 995)] * 7,
            (
                f"The number inside can be trusted on all 7 days: it is wrong by 5 people on an average day,"
                f" 0.5{PERCENT} of the entrances."
            ),
        ),
        (
            [BAD] * 6 + [GOOD],
            (
                f"The number inside cannot be trusted on 6 of 7 days: it is wrong by at least 86 people on an"
                f" average day, 8.6{PERCENT} of the entrances."
            ),
        ),
        (
            [BAD] * 6 + [MISSING],
            (
                f"The number inside cannot be trusted on any of 6 days that are counted whole: it is wrong by"
                f" at least 100 people on an average day, 10{PERCENT} of the entrances."
            ),
        ),
        ([MISSING] * 7, "No day of these has all its counts, so nothing can be said of the number inside."),
    ],
)
def test_the_verdict_says_on_how_many_days_and_by_how_many_people(days: list[DayBalance], said: str) -> None:
    assert verdict(zone("Shop", days), FORMATS) == said


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ([BAD] * 2, "On average 100 more came in than went out by the end of a day."),
        ([day(900, 1000)] * 2, "On average 100 more went out than came in by the end of a day."),
        ([day(900, 1000), BAD], "On average as many people went out as came in."),
        ([MISSING], ""),
        ([GOOD], ""),
    ],
)
def test_what_days_leave_is_said_with_its_direction(days: list[DayBalance], said: str) -> None:
    assert residue_words(disagreement(days), FORMATS) == said


def test_zones_that_cannot_be_trusted_are_named() -> None:
    answer = trusted(zone("Shop", [GOOD]), zone("Hall", [BAD, GOOD]), zone("Café", [GOOD, GOOD]))
    assert spoilt_zones_words(answer, FORMATS) == "By zone it cannot be trusted in Hall (on 1 of 2 days)."
    assert spoilt_zones_words(trusted(), FORMATS) == ""


def test_how_much_is_counted_is_told_of_the_site_and_of_what_lacks_most() -> None:
    answer = trusted(zone("Shop", [GOOD, GOOD]), zone("Hall", [GOOD, MISSING]))
    assert counted_words(answer, FORMATS) == (
        "All 2,880 minutes that should be counted on these days are."
        " The least complete, Hall, has 2,140 of 2,880 minutes."
    )
    assert counted_words(trusted(zone("Shop", [MISSING])), FORMATS) == (
        "700 of 1,440 minutes that should be counted on these days are."
    )
    nothing = day(0, 0, counted=Completeness(0, 0))
    assert counted_words(trusted(zone("Shop", [nothing])), FORMATS) == "Nothing is counted on these days."


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (GOOD, "Mon 16 Nov: as many went out as came in; all 1,440 minutes"),
        (
            BAD,
            (
                f"Mon 16 Nov: 100 more came in than went out, 10{PERCENT} of the entrances; the number inside"
                " cannot be trusted; all 1,440 minutes"
            ),
        ),
        (MISSING, "Mon 16 Nov: not counted whole, 700 of 1,440 minutes"),
        (day(0, 0, counted=Completeness(0, 0)), "Mon 16 Nov: not counted whole, no counts"),
    ],
)
def test_a_day_tells_what_it_leaves_and_how_much_is_counted(one: DayBalance, said: str) -> None:
    assert day_words(one, FORMATS) == said


def test_which_days_these_are_is_said_in_the_readers_clock() -> None:
    answer = trusted(zone("Shop", [GOOD] * 7))
    assert begins_words(answer, ZURICH, FORMATS) == (
        "Mon 16 Nov to Sun 22 Nov, each day from 04:00 to 04:00, when it is quietest, Zurich time."
    )
    american = begins_words(answer, ZURICH, formats_of("en-US", FORMATS.now))
    assert "from 4:00\u00a0AM to 4:00\u00a0AM" in american


def test_a_day_that_begins_in_the_evening_is_said_to_begin_on_the_day_before() -> None:
    late = begins_words(replace(trusted(), begin=23), ZURICH, FORMATS)
    assert "each day from 23:00 of the day before to 23:00, when it is quietest" in late


def test_where_only_habit_tells_when_counts_are_due_that_is_said() -> None:
    assert habit_words(trusted()) == []
    (said,) = habit_words(replace(trusted(), is_by_habit=True))
    assert said.startswith(
        "Nobody has said when this site is open, so a day is held against the time in which"
    )


def test_what_is_left_out_is_said() -> None:
    answer = trusted(unread=[FRONT, BACK], unknown=[Subject(SubjectKind.ZONE, "cafe", "Café")])
    assert left_out_words(answer, 50, FORMATS) == [
        "1 of 51 zones is looked at: choose others above.",
        "2 doors are not looked at, or could not be read.",
        "Not told by the hour, or not read: Café.",
    ]
    assert left_out_words(trusted(), 0, FORMATS) == []


def test_people_and_time_that_disagree_are_told_with_both_numbers() -> None:
    apart = zone("Hall", [GOOD], Consistency(12.34, 20, 48))
    same = zone("Shop", [GOOD], Consistency(20, 20.5, 48))
    assert agreement_words(trusted(same, apart), FORMATS).startswith(
        "They disagree most in Hall: 12.3 inside on average, where entrances and time inside make 20."
    )
    assert agreement_words(trusted(same), FORMATS).startswith("People inside agree")
    assert agreement_words(trusted(), FORMATS).startswith("Too few hours")


def test_the_hour_in_which_the_number_changed_most_beside_its_doors_is_named() -> None:
    hall = Subject(SubjectKind.ZONE, "hall", "Hall")
    start = datetime(2026, 11, 17, 13, tzinfo=UTC)
    quiet = ReconciledHour(start, 5, 4, 1, 0, 0, Completeness(60, 60))
    assert hours_words({hall: [quiet]}, ZURICH, FORMATS).startswith("In every hour")
    added = quiet._replace(added=34.0)
    assert hours_words({hall: [quiet, added]}, ZURICH, FORMATS) == (
        "Most in Hall in the hour from Tue 17 Nov, 14:00: 34 people went out who had not been counted in."
    )
    taken = quiet
    said = hours_words({hall: [taken._replace(taken=6.0)]}, ZURICH, FORMATS)
    assert "6 people still counted inside were forgotten" in said
    assert "could not be read" in hours_words({}, ZURICH, FORMATS)


def without_inside(days: list[DayBalance]) -> list[DayBalance]:
    return [one._replace(has_inside=False) for one in days]


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ([GOOD] * 7, "Entrances and exits add up on all 7 days: all left who came."),
        (
            [day(1000, 995)] * 7,
            (
                "Entrances and exits nearly add up on all 7 days: they are apart by 5 people on an average"
                f" day, 0.5{PERCENT} of the entrances."
            ),
        ),
        (
            [BAD] * 7,
            (
                "Entrances and exits do not add up on any of 7 days: at least 100 people on an average day,"
                f" 10{PERCENT} of the entrances."
            ),
        ),
    ],
)
def test_without_a_number_inside_none_is_said_to_add_up(days: list[DayBalance], said: str) -> None:
    site = zone("Shop", without_inside(days))
    assert verdict(site, FORMATS) == f"No number inside is told here. {said}"
    assert "number inside" not in day_words(site.days[0], FORMATS)


def test_a_site_that_tells_one_way_says_which_is_missing_and_what_to_do() -> None:
    one_way = day(1000, 0)._replace(is_whole=False, lacks=MetricKey.EXITS)
    site = replace(zone("Shop", [one_way] * 7), lacks=MetricKey.EXITS)
    assert verdict(site, FORMATS) == (
        "Only entrances are told here, no exits, so nothing can be said of the number inside. Ask who runs"
        " the counters whether they count both ways."
    )
    assert (
        counted_words(trusted(site), FORMATS)
        == "All 10,080 minutes that should be counted on these days are."
    )
    assert day_words(one_way, FORMATS) == ("Mon 16 Nov: not counted whole, exits missing, all 1,440 minutes")
    hall = replace(site, subject=Subject(SubjectKind.ZONE, "hall", "Hall"))
    said = left_out_words(trusted(zone("Shop", [GOOD]), hall), 0, FORMATS)
    assert said == ["Told one way only, so that they cannot be checked: Hall."]


def test_what_has_stopped_is_named_with_when_and_where_to_look() -> None:
    since = datetime(2026, 11, 2, 13, tzinfo=UTC)
    one = Stopped("Hall", since)
    assert stopped_words(trusted(stopped=[one]), ZURICH, FORMATS) == [
        "Hall has had no counts since Mon 2 Nov, 14:00.",
        "Counters have stopped, or it is closed: Site shows in which state its devices are.",
    ]
    together = stopped_words(trusted(stopped=[one, one._replace(label="Café")] * 4), ZURICH, FORMATS)
    assert together[0] == ("Hall, Café, Hall, Café and 4 more have had no counts since Mon 2 Nov, 14:00.")
    apart = [Stopped("Hall", since + timedelta(hours=hour)) for hour in range(9)]
    assert stopped_words(trusted(stopped=apart), ZURICH, FORMATS)[-2] == (
        "And 6 more of the zones and doors have none."
    )
    assert stopped_words(trusted(), ZURICH, FORMATS) == []


def test_a_number_that_a_stopped_door_is_missing_from_is_not_called_right() -> None:
    door = Stopped("Annex door", datetime(2026, 11, 2, 13, tzinfo=UTC), is_outer=True)
    one_door = trusted(stopped=[door])
    assert stopped_words(one_door, ZURICH, FORMATS)[-1] == (
        "If it is not closed, who goes by there is missing from the number inside since then."
    )
    assert lacks_doors(one_door)
    assert not lacks_doors(trusted(stopped=[door._replace(is_outer=False)]))
    assert not lacks_doors(trusted(stopped=[door, door._replace(label="Shop", is_outer=False)])), (
        "all is over"
    )
    even, nearly = zone("Shop", [day(1000, 1000)] * 7), zone("Shop", [day(1000, 999)] * 7)
    assert verdict(even, FORMATS, lacks_doors=True) == (
        "What is counted adds up on all 7 days: all left who came."
    )
    said = verdict(nearly, FORMATS, lacks_doors=True)
    assert said.startswith("What is counted nearly adds up on all 7 days: it is apart by 1 person on")


def test_a_young_site_says_since_when_it_is_counted() -> None:
    since = datetime(2026, 11, 20, 23, tzinfo=UTC)
    said = begins_words(trusted(since=since), ZURICH, FORMATS)
    assert said.endswith(
        "Counting began on Sat 21 Nov, 00:00: what was before lacks nothing, and that day is no whole one."
    )


def test_zones_and_doors_that_are_counted_later_than_their_site_are_named() -> None:
    at = datetime(2026, 11, 12, 8, tzinfo=UTC)
    late = [Began("Hall", at), Began("South door", at + timedelta(hours=1))]
    assert late_words(trusted(late=late), ZURICH, FORMATS) == (
        "Counted later than the site, and held to lack what was before: Hall since Thu 12 Nov, 09:00 and"
        " South door since Thu 12 Nov, 10:00."
    )
    assert late_words(trusted(), ZURICH, FORMATS) == ""


def test_zones_that_never_counted_are_not_called_unread() -> None:
    answer = trusted(empty=[Subject(SubjectKind.ZONE, "cafe", "Café")])
    assert left_out_words(answer, 0, FORMATS) == ["Nothing was counted in these weeks in Café."]


def test_a_last_day_without_people_inside_is_not_called_unread() -> None:
    hall = Subject(SubjectKind.ZONE, "hall", "Hall")
    assert hours_words({hall: []}, ZURICH, FORMATS).startswith("No minute of the last day tells")


def test_days_that_all_leave_nobody_are_a_sentence_and_no_chart() -> None:
    assert even_words([GOOD] * 28, FORMATS) == "0 on each of the 28 days."
    assert even_words([GOOD], FORMATS) == "0 on the one day."
    missing = MISSING._replace(is_whole=False)
    assert even_words([*[GOOD] * 26, missing, missing], FORMATS) == (
        "0 on each of the 26 days that are counted whole; 2 are not."
    )
    assert even_words([GOOD, missing], FORMATS) == "0 on the one day that is counted whole; 1 is not."
    assert even_words([GOOD, BAD], FORMATS) == ""
    assert even_words([missing], FORMATS) == (
        "The one day is not counted whole, so nothing is told of what a day leaves."
    )
    assert even_words([missing] * 28, FORMATS) == (
        "None of the 28 days is counted whole, so nothing is told of what a day leaves."
    )
