from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import Completeness
from analysis.consistency import Consistency
from analysis.door_blame import Blame, BlameKind, Turned
from analysis.reconciliation import ReconciledHour
from analysis.residue import DayBalance, disagreement
from analysis.silent_doors import Silence
from analysis.subject import Subject, SubjectKind
from components.number_format import Formats, formats_of
from components.sentences.trust_words import (
    agreement_words,
    begins_words,
    between,
    blame_words,
    counted_words,
    day_words,
    doors_words,
    hours_words,
    left_out_words,
    residue_words,
    silence_words,
    spoilt_zones_words,
    verdict,
)
from tests.components.trusted import ARCH, BACK, FRONT, day, trusted, zone

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


def test_a_door_mounted_the_wrong_way_round_is_named_with_what_shows_it() -> None:
    turned = Turned(FRONT, 500, 530, 420, 7, 100)
    blame = Blame(("hall",), BlameKind.EXCHANGED, (FRONT,), 420, 7, 7)
    assert blame_words(blame, trusted(ranked=[turned]), FORMATS) == (
        "Hall does not add up, by 60 people a day. Front door is probably mounted the wrong way round: with"
        f" its two ways exchanged, 1 would be left of that. It counts 6{PERCENT} more out than in."
    )


def test_where_only_the_course_of_a_day_tells_people_may_stay_over_night() -> None:
    blame = Blame(("hall",), BlameKind.EXCHANGED, (FRONT,), 420, 7, 7, by_balance=False)
    said = blame_words(blame, trusted(), FORMATS)
    assert said.endswith("Or people are inside at 04:00, when a day begins here, and nothing is wrong.")


def test_a_passage_between_two_zones_that_differ_is_named() -> None:
    blame = Blame(("hall", "cafe"), BlameKind.ONE_WAY, (ARCH,), 70, days=7)
    assert blame_words(blame, trusted(), FORMATS) == (
        "Hall and Café do not add up, by 10 people a day. To blame is Archway: it misses people who go one"
        " way, or counts them twice."
    )


def test_where_it_cannot_be_told_that_is_said() -> None:
    blame = Blame(("hall",), BlameKind.ONE_OF, (FRONT, BACK), 70, days=7)
    assert blame_words(blame, trusted(), FORMATS) == (
        "Hall does not add up, by 10 people a day. It cannot be told which of 2 doors is to blame:"
        " Front door and Back door."
    )
    many = blame._replace(ways=(FRONT,) * 9)
    assert blame_words(many, trusted(), FORMATS).endswith("Front door and 5 more.")
    assert "No single door explains it" in blame_words(
        Blame(("hall",), BlameKind.UNKNOWN, days=7), trusted(), FORMATS
    )
    unread = Blame(("hall",), BlameKind.UNREAD, days=7)
    assert "none is blamed" in blame_words(unread, trusted(), FORMATS)


def test_no_blame_is_said_with_what_it_means() -> None:
    assert doors_words(trusted(), FORMATS)[0].startswith("No door is to blame")
    assert "could be checked" in doors_words(trusted(checked=()), FORMATS)[0]
    assert "Fewer than 3 days" in doors_words(trusted(days_judged=2), FORMATS)[0]


def test_a_silence_has_its_hours_and_who_usually_passes() -> None:
    start = datetime(2026, 11, 17, 13, tzinfo=UTC)
    one = Silence(FRONT, start, start + timedelta(hours=2), 512.4, is_missing=False)
    said = silence_words([one, one._replace(is_missing=True), one, one, one], ZURICH, FORMATS)
    assert said[0] == (
        "Front door counted nobody on Tue 17 Nov from 14:00 to 16:00, when usually 512 people pass: its"
        " counter stopped, or the door was closed."
    )
    assert said[1].startswith("Front door has no counts on")
    assert said[-1] == "And 2 more times a door was silent."
    assert silence_words([], ZURICH, FORMATS) == []


def test_how_much_is_counted_is_told_of_the_site_and_of_what_lacks_most() -> None:
    answer = trusted(zone("Shop", [GOOD, GOOD]), zone("Hall", [GOOD, MISSING]))
    assert counted_words(answer, FORMATS) == (
        "All 2,880 minutes of these days have counts. The least complete, Hall, has 2,140 of 2,880 minutes."
    )
    assert counted_words(trusted(zone("Shop", [MISSING])), FORMATS) == (
        "700 of 1,440 minutes of these days have counts."
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


def test_what_is_left_out_is_said() -> None:
    answer = trusted(unread=[FRONT, BACK], unknown=[Subject(SubjectKind.ZONE, "cafe", "Café")])
    assert left_out_words(answer, 50, FORMATS) == [
        "50 more zones are not looked at.",
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


def test_a_passage_says_from_where_its_entrances_come() -> None:
    names = {"hall": "Hall", "cafe": "Café"}
    assert between(ARCH, names) == "Hall – Café"
    assert between(FRONT, names) == "outside – Hall"
