from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from analysis.daily_silences import DailySilence
from analysis.door_blame import Blame, BlameKind, Turned
from analysis.silent_doors import Silence
from components.number_format import Formats
from components.sentences.blame_words import between, blame_words, daily_words, doors_words, silence_words
from tests.components.trusted import ARCH, BACK, FRONT, day, trusted, zone

FORMATS = Formats(now=datetime(2026, 11, 23, 12, tzinfo=UTC))
ZURICH = ZoneInfo("Europe/Zurich")
PERCENT = "\u00a0%"


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


def test_a_passage_that_is_found_by_the_course_of_days_says_that_their_ends_do_not_show_it() -> None:
    blame = Blame(("cafe", "hall"), BlameKind.EXCHANGED, (ARCH,), 420, 7, 7, by_balance=False, is_within=True)
    assert blame_words(blame, trusted(), FORMATS) == (
        "Café and Hall nearly add up by the end of a day but go wrong within it, by 60 people a day. Archway"
        " is probably mounted the wrong way round: with its two ways exchanged, 1 would be left of that. Or"
        " people are inside at 04:00, when a day begins here, and nothing is wrong."
    )


def test_a_number_that_few_spoil_names_no_door_and_says_so() -> None:
    spoilt, right = zone("Hall", [day(1000, 1300)] * 7), zone("Café", [day(1000, 1000)] * 7)
    answer = trusted(zone("Shop", [day(1000, 1000)] * 7), spoilt, right, checked=("hall", "cafe"))
    (said,) = doors_words(answer, FORMATS)
    assert said.startswith("In Hall the number inside is spoilt on most days, though it is not wrong by 2")
    assert said.endswith("so few any door may miss, and which of them does cannot be told.")
    blamed = Blame(("hall",), BlameKind.UNKNOWN, days=7)
    assert len(doors_words(trusted(*answer.zones, blames=[blamed]), FORMATS)) == 1


def test_a_door_that_is_silent_at_the_same_hours_of_every_day_is_named() -> None:
    (said,) = daily_words([DailySilence(FRONT, 13, 15, 40, 28)], FORMATS)
    assert said == (
        "Front door counts nobody from 13:00 to 15:00 on any of 28 days, and 40 an hour just before and"
        " after: its counter stops then, or the door is closed."
    )
    many = [DailySilence(FRONT, 13, 15, 40, 28)] * 5
    ends = [daily_words(many[:count], FORMATS)[-1].partition(" a door ")[0] for count in (4, 5)]
    assert ends == ["And once more", "And 2 more times"]


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
    left = doors_words(trusted(checked=("hall", "cafe")), FORMATS, left_out=50)[0]
    assert left.startswith("Of the 2 zones whose doors are looked at, none has a door to blame")
    assert doors_words(trusted(unread=[FRONT]), FORMATS)[0].startswith("Of the one zone whose doors")
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
    assert silence_words([one] * 4, ZURICH, FORMATS)[-1] == "And once more a door was silent."
    assert silence_words([], ZURICH, FORMATS) == []


def test_a_passage_says_from_where_its_entrances_come() -> None:
    names = {"hall": "Hall", "cafe": "Café"}
    assert between(ARCH, names) == "Hall – Café"
    assert between(FRONT, names) == "outside – Hall"
