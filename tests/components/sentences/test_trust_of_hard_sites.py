"""All that Trust says of sites that are hard to tell about, against what is known to be true of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from analysis.door_blame import BlameKind
from analysis.trust_answer import TrustAnswer
from components.number_format import Formats
from components.sentences.blame_words import daily_words, doors_words, silence_words
from components.sentences.stopped_words import stopped_words
from components.sentences.told_words import unseen_zone_words
from components.sentences.trust_words import (
    begins_words,
    counted_words,
    even_words,
    habit_words,
    late_words,
    left_out_words,
    residue_words,
    spoilt_zones_words,
    verdict,
)
from tests.analysis.hard_site import ZURICH, Crossing, Day, HardSite

KATHMANDU = ZoneInfo("Asia/Kathmandu")
ONE_ZONE = {"front": (None, "hall"), "back": (None, "hall")}
TWO_ZONES = {**ONE_ZONE, "arch": ("hall", "cafe")}


@cache
def visits(first: float = 9, last: float = 20, people: int = 200, *, cafe: bool = False) -> Day:
    """People come from `first` on and have gone by `last`; half of them go by the café, if there is one."""

    @cache
    def day(number: int) -> list[Crossing]:
        chance = np.random.default_rng(number)
        found: list[Crossing] = []
        for person in range(people + 10 * (number % 4)):
            at = first + (last - first - 2) * chance.beta(2, 2)
            gone = min(at + 0.3 + chance.exponential(0.8), last - 0.01)
            door, exit_ = chance.choice(["front", "back"], 2, p=[0.7, 0.3])
            found += [(at, door, True), (gone, exit_, False)]
            if cafe and person % 2:
                found += [(at + 0.05, "arch", True), (gone - 0.05, "arch", False)]
        return found

    return lambda number, _: day(number)


def said_of(site: HardSite, answer: TrustAnswer) -> str:
    formats = Formats(now=site.now)
    whole = answer.zones[0]
    lines = [
        verdict(whole, formats),
        residue_words(whole.whole, formats),
        *stopped_words(answer, site.timezone, formats),
        spoilt_zones_words(answer, formats),
        *doors_words(answer, formats),
        *daily_words(answer.daily, formats),
        *silence_words(answer.silences, site.timezone, formats),
        begins_words(answer, site.timezone, formats),
        counted_words(answer, formats),
        unseen_zone_words(answer, formats),
        late_words(answer, site.timezone, formats),
        *habit_words(answer),
        *left_out_words(answer, 0, formats),
        even_words(whole.days, formats),
    ]
    return "\n".join(filter(None, lines))


def told(site: HardSite) -> str:
    return said_of(site, site.told())


def one_zone(**changes: object) -> HardSite:
    return replace(HardSite(("hall",), ONE_ZONE, visits()), **changes)  # type: ignore[arg-type]


def two_zones(**changes: object) -> HardSite:
    return replace(HardSite(("hall", "cafe"), TWO_ZONES, visits(cafe=True)), **changes)  # type: ignore[arg-type]


def test_a_site_of_one_zone_that_counts_right_adds_up() -> None:
    said = told(one_zone())
    assert "The number inside adds up on all 28 days: all left who came." in said
    assert "No door is to blame" in said


def test_a_site_without_zones_has_days_and_no_doors() -> None:
    said = told(HardSite((), {"front": (None, None)}, lambda _, __: [(9.0, "front", True)]))
    assert "The doors of no zone could be checked" in said


def test_an_inner_door_that_balances_is_named_where_it_is_mounted_the_wrong_way_round() -> None:
    answer = two_zones(swapped=frozenset({"arch"}), missed=0.03).told()
    (blame,) = answer.blames
    assert (blame.kind, [way.passage_id for way in blame.ways]) == (BlameKind.EXCHANGED, ["arch"])


def test_a_site_that_began_yesterday_judges_no_door() -> None:
    site = one_zone()
    began = site.now.astimezone(ZURICH).replace(hour=0, minute=0) - timedelta(days=1)
    said = told(replace(site, is_dead=lambda start: start < began))
    assert "Counting began on" in said
    assert "no door is judged" in said
    assert "28 days" not in said


@pytest.mark.parametrize("hours", [range(13, 15), range(11, 13)])
def test_a_door_that_stops_for_two_hours_every_day_is_never_called_exchanged(hours: range) -> None:
    site = one_zone(is_silent=lambda start, passage: passage == "front" and start.hour in hours)
    answer = site.told()
    assert all(one.kind is not BlameKind.EXCHANGED for one in answer.blames)
    assert all(not one.ways or "front" in {way.passage_id for way in one.ways} for one in answer.blames)
    said = said_of(site, answer)
    assert f"Front counts nobody from {hours.start}:00 to {hours.stop}:00 on any of 28 days" in said


def test_a_site_closed_for_a_week_has_no_doubtful_days_besides() -> None:
    site = one_zone(
        is_dead=lambda start: (
            datetime(2026, 6, 15, tzinfo=ZURICH) <= start < datetime(2026, 6, 22, tzinfo=ZURICH)
        )
    )
    answer = site.told()
    whole = [one for one in answer.zones[0].days if one.is_whole]
    assert len(whole) in {20, 21}
    assert not any(one.residue for one in whole)
    assert "cannot be trusted" not in said_of(site, answer)


@pytest.mark.parametrize("zone", [KATHMANDU, ZoneInfo("Pacific/Chatham")])
def test_a_reset_at_three_in_a_zone_of_three_quarters_of_an_hour_leaves_days_whole(zone: ZoneInfo) -> None:
    site = two_zones(timezone=zone, reset_hour=3)
    answer = site.told()
    assert all(one.is_whole and not one.residue for place in answer.zones for one in place.days)
    assert "each day from 04:00 to 04:00" in said_of(site, answer)
    turned = replace(site, swapped=frozenset({"arch"})).told()
    assert [way.passage_id for one in turned.blames for way in one.ways] == ["arch"]


def test_a_night_club_has_its_nights_as_days() -> None:
    site = one_zone(day=visits(22, 29), reset_hour=12)
    answer = site.told()
    assert 5 <= answer.begin <= 21
    assert not any(one.residue for one in answer.zones[0].days if one.is_whole)
    assert "No door is to blame" in said_of(site, answer)
    turned = replace(site, swapped=frozenset({"front"})).told()
    assert [way.passage_id for one in turned.blames for way in one.ways] == ["front"]


def test_a_club_whose_service_resets_at_its_busiest_is_judged_by_who_came_and_went() -> None:
    said = told(one_zone(day=visits(22, 29), reset_hour=1))
    assert "No door is to blame" in said


def test_a_passage_with_the_same_zone_at_both_ends_is_nobodys_fault() -> None:
    def day(number: int, chance: np.random.Generator) -> list[Crossing]:
        return [*visits()(number, chance), *((10.5 + step / 50, "round", True) for step in range(100))]

    site = replace(one_zone(), passages={**ONE_ZONE, "round": ("hall", "hall")}, day=day)
    answer = site.told()
    assert answer.blames == ()
    assert "adds up on all 28 days" in said_of(site, answer)


def test_zones_that_are_joined_by_several_doors_name_the_one_that_is_exchanged() -> None:
    def day(number: int, _: np.random.Generator) -> list[Crossing]:
        """Who goes into the café goes by the arch, and comes back by the stairs."""
        own = visits(cafe=True)(number, np.random.default_rng(number))
        return [(at, "stairs" if name == "arch" and not fore else name, fore) for at, name, fore in own]

    site = replace(two_zones(), passages={**TWO_ZONES, "stairs": ("hall", "cafe")}, day=day)
    assert site.told().blames == ()
    for passage in ("arch", "stairs"):
        (blame,) = replace(site, swapped=frozenset({passage})).told().blames
        assert passage in {way.passage_id for way in blame.ways}
        assert blame.kind is not BlameKind.EXCHANGED or [way.passage_id for way in blame.ways] == [passage]


def test_people_who_sleep_in_an_inner_zone_exchange_no_door() -> None:
    """They leave their rooms in the morning and come back in the evening; the count begins at 0."""

    def day(number: int, chance: np.random.Generator) -> list[Crossing]:
        found = list(visits(cafe=True)(number, chance))
        for guest in range(60 + number % 7):
            away, back = 8 + guest / 40, 18 + guest / 30
            found += [(away, "arch", False), (away + 0.05, "front", False)]
            found += [(back, "front", True), (back + 0.05, "arch", True)]
        return found

    site = two_zones(day=day, missed=0.02)
    answer = site.told()
    assert all(one.kind is not BlameKind.EXCHANGED for one in answer.blames)
    assert "or people stay over night" in said_of(site, answer)


def test_of_sixty_zones_the_site_and_ten_are_looked_at_and_no_door_is_blamed() -> None:
    zones = tuple(f"room-{number}" for number in range(60))
    passages = {f"door-{number}": (None, zone) for number, zone in enumerate(zones)}

    def day(number: int, _: np.random.Generator) -> list[Crossing]:
        return [
            (hour + number / 100, f"door-{door}", hour < 14) for door in range(60) for hour in (9, 10, 15, 16)
        ]

    site = HardSite(zones, passages, day)
    answer = site.told(7)
    assert len(answer.zones) == 11
    assert answer.blames == ()
    assert all(not day.residue for one in answer.zones for day in one.days)


def test_a_service_that_rounds_its_averages_says_what_it_cannot_vouch_for() -> None:
    said = told(one_zone(decimals=0))
    assert "This service rounds its averages, so that up to" in said
    assert "This service" not in told(one_zone())


@pytest.mark.parametrize("make", [one_zone, two_zones])
def test_what_the_doors_count_is_what_the_site_counts_day_by_day(make: Callable[..., HardSite]) -> None:
    """Parts sum to the whole, worked out minute by minute."""
    site = make(missed=0.04)
    grid = site.grid()
    assert grid is not None
    starts, rows = site.hours
    for day, balance in zip(grid.days, next(iter(grid.balances.values())), strict=True):
        own = {
            row
            for row, start in enumerate(starts)
            if grid.starts[day.first] <= start <= grid.starts[day.after - 1]
        }
        minutes = np.isin(rows, list(own))
        by_door = [site.flow(None, passage) for passage in site.passages]
        assert balance.came == sum(int(came[minutes].sum()) for came, _ in by_door)
        assert balance.went == sum(int(went[minutes].sum()) for _, went in by_door)


def test_in_which_order_zones_and_doors_stand_changes_nothing() -> None:
    site = two_zones(swapped=frozenset({"arch"}), missed=0.02)
    turned = replace(site, zones=site.zones[::-1], passages=dict(reversed(list(site.passages.items()))))
    first, second = (place.told() for place in (site, turned))
    days = [{one.subject.label: one.days for one in answer.zones} for answer in (first, second)]
    assert days[0] == days[1]
    blamed = [
        [({*one.zones}, one.kind, one.ways, round(one.left)) for one in answer.blames]
        for answer in (first, second)
    ]
    assert blamed[0] == blamed[1]
