from collections.abc import Sequence

import numpy as np

from service.store.zone_series import PassageMinutes, ZoneMinutes, zone_minutes


def way(*rows: tuple[int, int, int]) -> PassageMinutes:
    """Rows of minute, entrances, exits."""
    minutes, entrances, exits = np.array(rows, dtype=np.int64).T
    return PassageMinutes(minutes, entrances, exits)


def series(*ways: PassageMinutes, resets: Sequence[int] = (), inside_before: int = 0) -> ZoneMinutes:
    return zone_minutes(ways, 100, 200, resets=resets, inside_before=inside_before)


def test_passages_add_up_minute_by_minute() -> None:
    found = series(way((100, 2, 0), (102, 1, 1)), way((100, 1, 1), (103, 0, 1)))
    assert found.minutes.tolist() == [100, 102, 103]
    assert found.entrances.tolist() == [3, 1, 0]
    assert found.exits.tolist() == [1, 1, 1]
    assert found.inside.tolist() == [2, 2, 1]


def test_a_minute_counted_as_zero_is_there() -> None:
    found = series(way((150, 0, 0)))
    assert found.minutes.tolist() == [150]
    assert found.inside.tolist() == [0]


def test_a_zone_without_counts_has_no_minute() -> None:
    assert series().minutes.tolist() == []


def test_the_level_stops_at_zero_and_the_lift_is_kept() -> None:
    found = series(way((100, 1, 3), (101, 2, 0), (102, 0, 5), (103, 0, 1), (104, 4, 0)))
    assert found.inside.tolist() == [0, 2, 0, 0, 4]
    assert found.hidden.tolist() == [2, 0, 3, 1, 0]


def test_who_was_inside_before_is_carried_on() -> None:
    found = series(way((100, 0, 3), (101, 0, 3)), inside_before=5)
    assert found.inside.tolist() == [2, 0]
    assert found.hidden.tolist() == [0, 1]


def test_the_first_minute_at_or_after_a_reset_begins_at_zero() -> None:
    rows = way((100, 5, 0), (109, 1, 0), (112, 2, 0), (120, 1, 0))
    assert series(rows, resets=[110]).inside.tolist() == [5, 6, 2, 3]
    assert series(rows, resets=[112, 120]).inside.tolist() == [5, 6, 2, 1]


def test_a_reset_at_the_start_forgets_who_was_inside_and_one_before_it_does_not() -> None:
    rows = way((100, 1, 0))
    assert series(rows, resets=[100, 200], inside_before=7).inside.tolist() == [1]
    assert series(rows, resets=[99, 200], inside_before=7).inside.tolist() == [8]


def test_a_lift_is_counted_anew_after_a_reset() -> None:
    found = series(way((100, 0, 2), (110, 0, 1)), resets=[110])
    assert found.hidden.tolist() == [2, 1]
