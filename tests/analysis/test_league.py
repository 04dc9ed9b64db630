from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.bucket_table import Completeness
from analysis.league import Candidate, Per, Place, Terms, Why, league, offered, share_counted
from analysis.league_entry import Began, Entry, Measure, Trust

BY_ENTRANCES = Terms(Measure.ENTRANCES, Per.ITSELF, 90.0, "site", 1)
BEGAN = datetime(2026, 11, 14, tzinfo=UTC)
WHOLE = Completeness(600, 600)


def entry(value: float | None = 100.0, counted: int = 600, **others: Any) -> Entry:
    return Entry(value, 80.0, Completeness(counted, 600), WHOLE, is_fair=True)._replace(**others)


def candidate(name: str, told: Entry | None, **size: float) -> Candidate:
    return Candidate(Place(name, name.title(), **size), told, "" if told else "It does not answer.")


def only(told: Entry | None, terms: Terms = BY_ENTRANCES, **size: float) -> Why | float:
    """The number of a league of one, or why it has none."""
    found = league([candidate("shop", told, **size)], terms)
    return found.left_out[0].why if found.left_out else found.ranked[0].value


entries = st.builds(
    entry,
    st.one_of(st.none(), st.integers(0, 5).map(float)),
    st.integers(0, 600),
    trust=st.builds(Trust, st.integers(0, 2)),
    is_begun=st.booleans(),
    has_hours=st.booleans(),
)
leagues = st.lists(st.one_of(st.none(), entries), max_size=12).map(
    lambda told: [candidate(f"{index:02}", one) for index, one in enumerate(told)]
)
all_terms = st.builds(
    Terms, st.sampled_from(Measure), st.just(Per.ITSELF), st.sampled_from((0.0, 50.0, 90.0, 100.0)),
    st.just("site"), st.just(1),
)  # fmt: skip


@given(leagues, all_terms, st.randoms(use_true_random=False))
def test_the_order_of_the_sites_changes_nothing(given: list[Candidate], terms: Terms, random: object) -> None:
    other = list(given)
    random.shuffle(other)  # type: ignore[attr-defined]
    assert league(other, terms) == league(given, terms)


@given(leagues, all_terms)
def test_ranked_and_left_out_are_all_there_are(given: list[Candidate], terms: Terms) -> None:
    found = league(given, terms)
    places = [one.place for one in found.ranked] + [one.place for one in found.left_out]
    assert sorted(places, key=str) == sorted((one.place for one in given), key=str)
    everybody = sum(one.entry.value or 0 for one in given if one.entry)
    left_out = sum(one.entry.value or 0 for one in found.left_out if one.entry)
    assert sum(one.value for one in found.ranked) + left_out == everybody


@given(leagues, all_terms)
def test_a_rank_is_one_more_than_there_are_higher_numbers(given: list[Candidate], terms: Terms) -> None:
    ranked = league(given, terms).ranked
    for one in ranked:
        assert one.rank == 1 + len([other for other in ranked if other.value > one.value])
    assert [one.value for one in ranked] == sorted((one.value for one in ranked), reverse=True)


@given(leagues, all_terms, st.sampled_from((0.0, 50.0, 90.0, 100.0)))
def test_whoever_asks_for_less_leaves_nobody_out_who_was_in(
    given: list[Candidate], terms: Terms, least: float
) -> None:
    strict, lenient = sorted((terms.least, least), reverse=True)
    those = {one.place for one in league(given, terms._replace(least=strict)).ranked}
    assert those <= {one.place for one in league(given, terms._replace(least=lenient)).ranked}


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (None, Why.FAILED),
        (entry(is_begun=False), Why.NOT_BEGUN),
        (entry(has_hours=False), Why.NO_HOURS),
        (entry(counted=0), Why.NO_COUNTS),
        (entry(counted=539), Why.INCOMPLETE),
        (entry(counted=540), 100.0),
        (entry(began=Began(BEGAN, 0.89)), Why.BEGAN_LATE),
        (entry(began=Began(BEGAN, 0.9)), 100.0),
        (entry(trust=Trust(2)), 100.0),
        (entry(None), Why.NO_VALUE),
    ],
)
def test_a_site_of_which_too_little_is_known_is_left_out(told: Entry | None, why: Why | float) -> None:
    assert only(told) == why


@pytest.mark.parametrize("measure", [one for one in Measure if one is not Measure.ENTRANCES])
def test_a_number_inside_that_cannot_be_trusted_is_left_out(measure: Measure) -> None:
    assert only(entry(trust=Trust(1)), BY_ENTRANCES._replace(measure=measure)) is Why.UNTRUSTED


def test_numbers_are_related_to_area_capacity_and_opening_hours() -> None:
    told = entry(
        120.0, open_hours=48.0, open_hours_earlier=40.0, while_open=96.0, while_open_earlier=60.0
    )  # fmt: skip
    found = {
        per: league(
            [candidate("shop", told, area=250.0, capacity=60.0, target=480.0)], BY_ENTRANCES._replace(per=per)
        )
        for per in offered(Measure.ENTRANCES, "site")
    }
    values = {per: (one.ranked[0].value, one.ranked[0].earlier) for per, one in found.items()}
    assert values == {
        Per.ITSELF: (120.0, 80.0),
        Per.AREA: (48.0, 32.0),
        Per.CAPACITY: (2.0, float(Fraction(80, 60))),
        Per.OPEN_HOUR: (2.0, 1.5),
        Per.TARGET: (0.25, 80 / 480),
    }


@pytest.mark.parametrize(
    ("per", "why"),
    [
        (Per.AREA, Why.NO_AREA),
        (Per.CAPACITY, Why.NO_CAPACITY),
        (Per.OPEN_HOUR, Why.NO_OPENING_HOURS),
        (Per.TARGET, Why.NO_TARGET),
    ],
)
def test_a_site_without_what_numbers_are_related_to_is_left_out(per: Per, why: Why) -> None:
    assert only(entry(), BY_ENTRANCES._replace(per=per)) is why
    assert only(entry(open_hours=0.0), BY_ENTRANCES._replace(per=per), area=0.0, capacity=0.0) is why


def test_time_inside_is_related_to_nothing() -> None:
    assert offered(Measure.TIME, "site") == (Per.ITSELF,)
    assert Per.OPEN_HOUR not in offered(Measure.PEAK, "site")
    assert Per.TARGET not in offered(Measure.ENTRANCES, "zone")


def test_there_is_no_change_against_a_number_that_cannot_be_trusted() -> None:
    terms = BY_ENTRANCES._replace(measure=Measure.PEAK)
    (sound,) = league([candidate("shop", entry())], terms).ranked
    (spoilt,) = league([candidate("shop", entry(trust_earlier=Trust(1)))], terms).ranked
    (unlike,) = league([candidate("shop", entry(is_fair=False))], terms).ranked
    assert sound.change == (100.0, 80.0)
    assert (spoilt.change, spoilt.earlier) == (None, None)
    assert (unlike.change, unlike.earlier) == (None, 80.0)


def test_of_nothing_that_should_be_counted_nothing_is() -> None:
    assert share_counted(Completeness(0, 0)) == 0
    assert share_counted(Completeness(57, 60)) == 95
