"""What is derived from counts along the write path, table by table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract import MetricKey, Passage
from service.open_store import open_store, store_url
from service.store import recompute
from service.store.errors import UnknownPassageError
from service.store.protocol import PassageCount, SiteRecord, Store, WriteMode
from service.store.schema import METADATA, ZONE_MINUTES
from service.store.topology import read_topology
from tests.crowded_site import MINUTE, ORGANIZATION, crowded_counts, crowded_site, levels, north
from tests.database_of import database_of
from tests.plain_metrics import counts_of, plain_zone

DERIVED = ("zone_minutes", "zone_quarters", "passage_quarters")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(store_url(tmp_path))
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    yield store
    store.close()


def rows(store: Store, table: str) -> list[tuple[int, ...]]:
    with database_of(store).reading() as connection:
        return sorted(tuple(row) for row in connection.execute(METADATA.tables[table].select()))


def hidden_drift(store: Store, zone_id: str, start: int, end: int) -> int | None:
    """People that clamping added to a zone in the minutes [start, end); None when none is stored."""
    with database_of(store).reading() as connection:
        number = read_topology(connection, "crowded").zones[zone_id]
        kept = [
            row.hidden
            for row in connection.execute(ZONE_MINUTES.select())
            if row.number == number and start <= row.minute < end
        ]
    return sum(kept) if kept else None


def rebuild(store: Store) -> None:
    """Make all that is derived from counts again."""
    with database_of(store).writing() as connection:
        recompute.rebuild(connection, read_topology(connection, "crowded"))


def test_counts_set_twice_change_nothing(store: Store) -> None:
    counts = crowded_counts(MINUTE - 300, MINUTE, seed=1)
    store.metrics.append(counts, WriteMode.SET)
    before = [rows(store, table) for table in (*DERIVED, "passage_minutes")]
    store.metrics.append(counts, WriteMode.SET)
    assert [rows(store, table) for table in (*DERIVED, "passage_minutes")] == before


def test_the_drift_that_clamping_hides_is_kept(store: Store) -> None:
    store.metrics.append([north(0, 1, 4), north(1, 5), north(2, 0, 7)], WriteMode.SET)
    assert levels(store, "whole") == {0: 0, 1: 5, 2: 0}
    assert hidden_drift(store, "whole", MINUTE, MINUTE + 2) == 3
    assert hidden_drift(store, "whole", MINUTE, MINUTE + 3) == 5
    assert hidden_drift(store, "loft", MINUTE, MINUTE + 3) is None


@pytest.mark.parametrize("timezone", ["Europe/Zurich", "Australia/Lord_Howe", None])
@pytest.mark.parametrize("reset_hour", [0, 2, 4, 23])
def test_zone_minutes_equal_the_calculation_row_by_row(
    tmp_path: Path, timezone: str | None, reset_hour: int
) -> None:
    change = int(datetime(2025, 10, 26, 1, tzinfo=UTC).timestamp()) // 60
    store = open_store(store_url(tmp_path))
    record = crowded_site(timezone, reset_hour=reset_hour)
    store.catalogue.save(ORGANIZATION, [record])
    counts = crowded_counts(change - 2000, change + 2000, seed=5, share=0.3)
    store.metrics.append(iter(counts), WriteMode.SET)
    for zone in record.site.zones:
        plain = plain_zone(record, counts_of(counts), zone.id)
        expected = {minute - MINUTE: values.inside for minute, values in plain.minutes.items()}
        assert levels(store, zone.id) == expected
        assert hidden_drift(store, zone.id, 0, 2 * change) == sum(
            values.hidden for values in plain.minutes.values()
        )
    store.close()


APPENDS = st.lists(
    st.tuples(
        st.sampled_from(WriteMode),
        st.lists(
            st.builds(
                PassageCount,
                st.sampled_from(["north", "south", "arch", "stairs"]),
                st.sampled_from([0, 3, 14, 15, 700, 1000, 1440, 1500, 4000, 90_000]).map(MINUTE.__add__),
                st.integers(0, 5),
                st.integers(0, 5),
            ),
            max_size=8,
        ),
    ),
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(appends=APPENDS)
def test_what_grew_append_by_append_is_what_a_rebuild_makes(
    tmp_path_factory: pytest.TempPathFactory, appends: list[tuple[WriteMode, list[PassageCount]]]
) -> None:
    store = open_store(store_url(tmp_path_factory.mktemp("store")))
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    for mode, counts in appends:
        store.metrics.append(counts, mode)
    grown = [rows(store, table) for table in DERIVED]
    rebuild(store)
    assert [rows(store, table) for table in DERIVED] == grown
    store.close()


def test_an_import_of_months_is_derived_in_pieces_as_if_at_once(store: Store) -> None:
    hours = range(-70 * 24, 0)
    store.metrics.append([north(hour * 60, 1) for hour in hours], WriteMode.SET)
    plain = plain_zone(
        crowded_site("Europe/Zurich"), counts_of(north(hour * 60, 1) for hour in hours), "whole"
    )
    assert levels(store, "whole") == {
        minute - MINUTE: values.inside for minute, values in plain.minutes.items()
    }


def resaved(store: Store, record: SiteRecord) -> list[list[tuple[int, ...]]]:
    store.catalogue.save(ORGANIZATION, [record])
    saved = [rows(store, table) for table in DERIVED]
    rebuild(store)
    assert [rows(store, table) for table in DERIVED] == saved
    return saved


def test_a_site_saved_with_another_reset_hour_is_derived_again(store: Store) -> None:
    store.metrics.append([north(0, 1), north(120, 1)], WriteMode.SET)
    resaved(store, crowded_site("Europe/Zurich", reset_hour=13))
    assert levels(store, "whole") == {0: 1, 120: 1}
    newest = store.metrics.newest("crowded", metrics=[MetricKey.VISITORS_INSIDE])
    assert newest is not None
    assert newest.values == {MetricKey.VISITORS_INSIDE: 1}


def test_a_passage_that_leaves_the_site_takes_its_share_along_and_brings_it_back(store: Store) -> None:
    whole = crowded_site("Europe/Zurich")
    store.metrics.append([north(0, 1), PassageCount("south", MINUTE, 0, 2)], WriteMode.SET)
    assert levels(store, "whole") == {0: 3}
    without = whole.site.model_copy(update={"passages": whole.site.passages[1:]})
    resaved(store, SiteRecord(without, "whole"))
    assert levels(store, "whole") == {0: 2}
    with pytest.raises(UnknownPassageError):
        store.metrics.append([north(1, 1)], WriteMode.ADD)
    resaved(store, whole)
    assert levels(store, "whole") == {0: 3}


def test_a_passage_turned_round_counts_the_other_way(store: Store) -> None:
    whole = crowded_site("Europe/Zurich")
    store.metrics.append([north(0, 4, 1)], WriteMode.SET)
    turned = Passage(id="north", name="North", from_zone_id="hall")
    site = whole.site.model_copy(update={"passages": (turned, *whole.site.passages[1:])})
    resaved(store, SiteRecord(site, "whole"))
    assert levels(store, "whole") == {0: 0}
    assert hidden_drift(store, "whole", MINUTE, MINUTE + 1) == 3
