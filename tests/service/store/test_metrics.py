"""The write path as the protocol has it, and who hears of what was written."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import pytest
import structlog

from contract import MetricKey
from service.store.errors import IdempotencyConflictError, UnknownPassageError
from service.store.protocol import PassageCount, Store, WriteMode
from tests.crowded_site import MINUTE, ORGANIZATION, crowded_site, levels, north
from tests.every_store import Opened


@pytest.fixture
def store(opened: Opened) -> Store:
    store = opened()
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    return store


def test_added_counts_of_a_minute_add_up_within_and_across_appends(store: Store) -> None:
    store.metrics.append([north(0, 1), north(0, 2)], WriteMode.ADD)
    store.metrics.append([north(0, 4, 1)], WriteMode.ADD)
    assert levels(store, "whole") == {0: 6}


def test_counts_that_arrive_late_move_the_levels_after_them_up_to_the_reset(store: Store) -> None:
    store.metrics.append([north(0, 1), north(60, 1), north(24 * 60, 1)], WriteMode.SET)
    store.metrics.append([north(-30, 5)], WriteMode.ADD)
    assert levels(store, "whole") == {-30: 5, 0: 6, 60: 7, 24 * 60: 1}


def test_late_counts_of_one_passage_leave_the_zones_of_others_alone(store: Store) -> None:
    store.metrics.append([PassageCount("stairs", MINUTE, 0, 7)], WriteMode.SET)
    store.metrics.append([north(-30, 5)], WriteMode.ADD)
    assert levels(store, "loft") == {0: 7}
    assert levels(store, "hall") == {-30: 5, 0: 0}


def test_a_day_begins_at_zero_at_the_sites_own_reset_hour(store: Store) -> None:
    reset = -8 * 60
    store.metrics.append([north(reset - 1, 9), north(reset, 1), north(reset + 1, 1)], WriteMode.SET)
    assert levels(store, "whole") == {reset - 1: 9, reset: 1, reset + 1: 2}


def test_a_passage_nobody_knows_is_named_and_nothing_is_stored(store: Store) -> None:
    counts = [north(0, 1), PassageCount("trapdoor", MINUTE, 1, 0), PassageCount("window", MINUTE, 1, 0)]
    with pytest.raises(UnknownPassageError) as caught:
        store.metrics.append(counts, WriteMode.ADD)
    assert caught.value.passage_ids == {"trapdoor", "window"}
    assert levels(store, "whole") == {}
    assert store.metrics.newest("crowded", metrics=list(MetricKey)) is None


def test_a_repeated_idempotency_key_stores_nothing_twice(store: Store) -> None:
    assert store.metrics.append([north(0, 1)], WriteMode.ADD, idempotency=("key", "digest"))
    assert not store.metrics.append([north(0, 1)], WriteMode.ADD, idempotency=("key", "digest"))
    assert levels(store, "whole") == {0: 1}


def test_an_idempotency_key_of_another_body_is_refused(store: Store) -> None:
    store.metrics.append([north(0, 1)], WriteMode.ADD, idempotency=("key", "digest"))
    with pytest.raises(IdempotencyConflictError, match="key"):
        store.metrics.append([north(0, 5)], WriteMode.ADD, idempotency=("key", "other"))
    assert levels(store, "whole") == {0: 1}


def test_a_refused_append_does_not_use_up_its_idempotency_key(store: Store) -> None:
    with pytest.raises(UnknownPassageError):
        store.metrics.append(
            [PassageCount("trapdoor", MINUTE, 1, 0)], WriteMode.ADD, idempotency=("key", "digest")
        )
    assert store.metrics.append([north(0, 1)], WriteMode.ADD, idempotency=("key", "digest"))


def test_listeners_hear_of_changed_sites_after_the_commit_until_they_leave(store: Store) -> None:
    heard: list[tuple[Mapping[str, int], dict[int, int | float]]] = []
    remove = store.metrics.add_listener(lambda changes: heard.append((changes, levels(store, "whole"))))
    store.metrics.append([north(0, 1)], WriteMode.ADD)
    assert heard == [({"crowded": MINUTE}, {0: 1})]
    store.metrics.append([], WriteMode.ADD)
    remove()
    store.metrics.append([north(0, 1)], WriteMode.ADD)
    assert len(heard) == 1


def test_listeners_hear_of_the_first_minute_that_changed(store: Store) -> None:
    heard: list[Mapping[str, int]] = []
    store.metrics.add_listener(heard.append)
    late = PassageCount("south", MINUTE - 3000, 0, 2)
    store.metrics.append([north(5, 1), late, north(-7, 1)], WriteMode.ADD)
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    assert heard == [{"crowded": MINUTE - 3000}, {"crowded": 0}]


def test_a_listener_that_fails_takes_nothing_back_and_keeps_nobody_from_hearing(store: Store) -> None:
    heard: list[Mapping[str, int]] = []

    def fail(_: Mapping[str, int]) -> None:
        raise RuntimeError("deaf")

    store.metrics.add_listener(fail)
    store.metrics.add_listener(heard.append)
    with structlog.testing.capture_logs() as log:
        assert store.metrics.append([north(0, 1)], WriteMode.ADD)
    assert [line["event"] for line in log] == ["listener failed"]
    assert heard == [{"crowded": MINUTE}]
    assert levels(store, "whole") == {0: 1}


def test_many_threads_add_to_one_minute_while_others_read(store: Store) -> None:
    failures: list[BaseException] = []

    def add() -> None:
        for _ in range(10):
            store.metrics.append([north(0, 1)], WriteMode.ADD)

    def read() -> None:
        try:
            for _ in range(20):
                found = levels(store, "whole")
                assert found.keys() <= {0}
        except BaseException as error:  # noqa: BLE001 -- a thread's failure is the test's
            failures.append(error)

    threads = [threading.Thread(target=work) for work in (add, add, add, read, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert levels(store, "whole") == {0: 30}
