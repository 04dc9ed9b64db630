"""Whether dashboards that share a database are set up alike."""

from __future__ import annotations

from keeping import Place
from runtime.likeness import Likeness, mark_of


def test_what_differs_is_named_at_both_without_the_secret_until_it_is_alike(place: Place) -> None:
    secret = {"HEADROOM_SECRET": mark_of("one of many characters"), "password": mark_of("")}
    here, there = Likeness(place, lambda: secret), Likeness(place, lambda: other)
    other = secret | {"HEADROOM_SECRET": mark_of("another")}
    for one in (here, there, here):
        one.compare()
    for one in (here, there):
        (told,) = one.differences
        assert "has another HEADROOM_SECRET than this one, at " in told
        assert "give both the same" in told
        assert "characters" not in told
    other = secret
    there.compare()
    here.compare()
    assert here.differences == there.differences == ()


def test_one_that_ended_is_compared_with_no_more(place: Place) -> None:
    here, there = Likeness(place, lambda: {"secret": "a"}), Likeness(place, lambda: {"secret": "b"})
    there.compare()
    here.compare()
    assert here.differences
    there.withdraw()
    here.compare()
    assert here.differences == ()


def test_what_only_one_of_them_knows_is_no_difference(place: Place) -> None:
    newer = Likeness(place, lambda: {"secret": "a", "a newer thing": "b"})
    older = Likeness(place, lambda: {"secret": "a"})
    for one in (newer, older, newer):
        one.compare()
    assert newer.differences == older.differences == ()
