from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from analysis.bucket_table import Completeness
from analysis.counted_minutes import Unseen
from analysis.residue import DayBalance
from analysis.told_resets import ToldDay
from analysis.trust_answer import ZoneTrust
from components.number_format import Formats
from components.sentences.told_words import apart, told_words, unseen_zone_words
from tests.components.trusted import FIRST, day, trusted, zone

FORMATS = Formats(now=datetime(2026, 11, 23, 12, tzinfo=UTC))
ZURICH = ZoneInfo("Europe/Zurich")


def told(*days: tuple[DayBalance, tuple[int, int]]) -> ZoneTrust:
    """Days with who was left over, and whom a count at 04:00 found too few."""
    site = zone("Shop", [own for own, _ in days])
    resets = {
        one.date: ToldDay(datetime(2026, 11, 17, 3, tzinfo=UTC) + timedelta(days=number), *own)
        for number, (one, (_, own)) in enumerate(zip(site.days, days, strict=True))
    }
    return replace(site, told=resets)


def words(site: ZoneTrust, begin: int = 4) -> list[str]:
    return told_words(site, begin, ZURICH, FORMATS)


def test_a_service_that_says_nothing_has_nothing_said_of_it() -> None:
    assert words(zone("Shop", [day(1000, 990)])) == []


def test_that_both_counts_leave_the_same_is_said_first() -> None:
    site = told((day(1000, 995), (17, 12)), (day(1000, 1001), (0, 1)))
    (said,) = words(site)
    assert said == (
        "The service’s own count leaves the same as the hours here on all 2 days that are counted whole."
        " By its own count, over 2 of these days 17 people were still inside at its daily reset, and 13 went"
        " out while its number inside was 0."
    )
    one = words(told((day(1000, 999), (1, 0))))[0]
    assert "on the one day that is counted whole" in one
    assert "1 person was still inside at its daily reset, and 0 went out" in one


def test_a_difference_is_said_first_and_named_with_the_day_and_the_two_hours() -> None:
    site = told((day(1000, 993), (17, 12)), (day(1000, 1001), (0, 1)), (day(1000, 1000), (0, 4)))
    (said,) = words(site, begin=5)
    assert said.startswith(
        "The service’s own count does not leave the same as the hours here on 2 of 3 days that are counted"
        " whole, most on Wed 18 Nov:"
        " by its count 4 more went out than came in, by the hours as many went out as came in."
        " It begins anew at 04:00, a day here at 05:00. By its own count, over 3 of these days 17 people were"
    )
    assert "begins anew" not in words(site, begin=4)[0]


def test_an_error_that_hours_do_not_show_is_named() -> None:
    """Forty went out before forty came in, within one hour; two hundred were inside at most."""
    site = told((day(1000, 1000), (60, 60)), (day(1000, 1000), (49, 49)))
    assert words(site)[1] == (
        "By that the number inside cannot be trusted on Mon 16 Nov either, though the hours do not show it."
    )
    already = told((day(1000, 900), (0, 100)))
    assert not any("cannot be trusted" in sentence for sentence in words(replace(already)))


def test_a_day_that_is_not_whole_is_held_against_nothing() -> None:
    part = day(500, 480, counted=Completeness(700, 1440))
    site = told((part, (300, 0)))
    (said,) = words(site)
    assert said.startswith("By its own count, on one of these days 300 people were still inside")
    assert apart(site.days[0], site.told[FIRST]) is None


def test_exits_of_the_day_on_which_counting_began_are_held_against_nobody() -> None:
    """Counting began while people were inside, and they left."""
    began = day(150, 170, counted=Completeness(700, 1440))
    (said,) = words(told((began, (0, 20)), (day(1000, 1000), (0, 0)), (day(1000, 1000), (0, 0))))
    assert said.endswith(
        "over 2 of these days 0 people were still inside at its daily reset, and 0 went out while its"
        " number inside was 0."
    )


def test_what_rounded_averages_cannot_vouch_for_is_said() -> None:
    whole = zone("Shop", [day(1000, 1000)] * 7)
    assert unseen_zone_words(trusted(replace(whole, unseen=Unseen(400, 4000))), FORMATS) == (
        "This service rounds its averages, so that up to 400 of 4,000 minutes that look counted may be"
        " missing."
    )
    assert unseen_zone_words(trusted(replace(whole, unseen=Unseen(20, 4000))), FORMATS) == ""
    hall = replace(zone("Hall", [day(1000, 1000)] * 7), unseen=Unseen(4000, 4000, is_told=False))
    assert unseen_zone_words(trusted(whole, hall), FORMATS) == (
        "In Hall, this service does not tell how many minutes its counts are of: missing ones do not show."
    )
