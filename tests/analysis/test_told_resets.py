from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.told_resets import ToldDay, ToldReset, told_days, told_resets
from service.query.checked_query import check_query
from service.query.hidden_warning import hidden_warnings
from service.query.metrics_body import read_metrics_body
from service.store.protocol import PassageCount, SiteRecord, WriteMode
from tests.every_store import URL_IN, opener
from tests.small_site import ORGANIZATION, SITE

ZURICH = ZoneInfo("Europe/Zurich")
FOUR = datetime(2026, 11, 20, 4, tzinfo=ZURICH)


def entry(details: Any, code: object = "PEOPLE_HIDDEN") -> dict[str, Any]:
    return {"code": code, "message": "", "details": details}


def test_each_reset_of_an_entry_is_read() -> None:
    details = {
        "2026-11-20T04:00+01:00": "17 left over, 12 exits found nobody inside",
        "2026-11-19T04:00:00+01:00": "0 left over, 1 exit found nobody inside",
        "since 2026-11-20T04:00+01:00": "3 exits found nobody inside",
    }
    found = told_resets([entry(details), {"code": "AGGREGATION_IGNORED", "message": "…"}])
    assert found == (ToldReset(FOUR - timedelta(days=1), 0, 1), ToldReset(FOUR, 17, 12))


@pytest.mark.parametrize(
    "warnings",
    [
        [],
        ["At the reset of 2026-11-20 04:00 17 left over, 12 exits found nobody inside"],
        [None, 7, [], {"code": None}, {"code": ["PEOPLE_HIDDEN"]}],
        [entry(None), entry("17 left over"), entry(["17 left over, 12 exits found nobody inside"])],
        [entry({"2026-11-20T04:00": "17 left over, 12 exits found nobody inside"})],
        [entry({"0001-01-01T00:00+14:00": "17 left over, 12 exits found nobody inside"})],
        [entry({"<b>": "17 left over, 12 exits found nobody inside"})],
        [entry({"2026-11-20T04:00+01:00": "-17 left over, 12 exits found nobody inside"})],
        [entry({"2026-11-20T04:00+01:00": "1e9 left over, 12 exits found nobody inside"})],
        [entry({"2026-11-20T04:00+01:00": "9999999999 left over, 1 exit found nobody inside"})],
        [entry({"2026-11-20T04:00+01:00": "٣ left over, 12 exits found nobody inside"})],
        [entry({"2026-11-20T04:00+01:00": "17 left over"})],
        [entry({"2026-11-20T04:00+01:00": 17})],
        [entry({"2026-11-20T04:00+01:00": "x" * 1_000_000 + " 17 left over, 1 exit found nobody"})],
    ],
)
def test_what_is_no_such_entry_tells_nothing(warnings: list[Any]) -> None:
    assert told_resets(warnings) == ()


def test_ten_thousand_entries_of_ten_thousand_resets_are_bounded() -> None:
    details = {
        (FOUR - timedelta(minutes=number)).isoformat(): "1 left over, 2 exits found nobody inside"
        for number in range(10_000)
    }
    assert len(told_resets([entry(details)] * 10_000)) == 400


def test_a_reset_that_is_told_twice_counts_once() -> None:
    first = entry({"2026-11-20T04:00+01:00": "17 left over, 12 exits found nobody inside"})
    other = entry({"2026-11-20T03:00+00:00": "99 left over, 99 exits found nobody inside"})
    assert told_resets([first, other]) == (ToldReset(FOUR, 17, 12),)


@given(
    st.recursive(
        st.none() | st.integers() | st.text() | st.just("PEOPLE_HIDDEN"),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["code", "details"]), inner)
        ),
    )
)
def test_no_shape_of_warnings_is_an_error(anything: Any) -> None:
    assert all(isinstance(one, ToldReset) for one in told_resets([anything, entry(anything)]))


def spans(first: date, count: int, begin: int, timezone: ZoneInfo) -> dict[date, tuple[datetime, datetime]]:
    days = [first + timedelta(days=number) for number in range(count)]

    def at(day: date) -> datetime:
        return datetime.combine(day, time(begin), timezone).astimezone(UTC)

    return {day: (at(day), at(day + timedelta(days=1))) for day in days}


@pytest.mark.parametrize("begin", [0, 3, 4, 5, 11])
@pytest.mark.parametrize("change", [date(2026, 3, 29), date(2026, 10, 25)])
def test_a_reset_is_of_the_day_that_it_ends(begin: int, change: date) -> None:
    """Over days of 23 and 25 hours, too: the reset of a morning ends the day before."""
    days = spans(change - timedelta(days=3), 7, begin, ZURICH)
    resets = [
        ToldReset(datetime.combine(day + timedelta(days=1), time(4), ZURICH), number, 0)
        for number, day in enumerate(days)
    ]
    assert [told.left_over for told in told_days(resets, days).values()] == list(range(7))
    assert list(told_days(resets, days)) == list(days)


def test_of_several_resets_a_day_the_people_add_up_and_a_day_without_any_is_absent() -> None:
    days = spans(date(2026, 11, 18), 3, 4, ZURICH)
    resets = [ToldReset(FOUR - timedelta(hours=2), 3, 1), ToldReset(FOUR, 17, 12)]
    assert told_days(resets, days) == {date(2026, 11, 19): ToldDay(FOUR, 20, 13)}
    told = told_days(resets, days)[date(2026, 11, 19)]
    assert (told.residue, told.people) == (7, 20)


@pytest.mark.parametrize("kind", URL_IN)
@pytest.mark.parametrize("timezone", ["Europe/Zurich", "Asia/Kathmandu", "Australia/Lord_Howe"])
def test_what_the_service_writes_is_read(
    kind: str, timezone: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The one format, by both halves."""
    noon = datetime(2025, 4, 5, 12, tzinfo=ZoneInfo(timezone)).astimezone(UTC)
    now = noon + timedelta(days=4)
    record = SiteRecord(SITE.model_copy(update={"timezone": timezone}), "shop")
    minute = int(noon.timestamp()) // 60
    body = {
        "siteId": SITE.id, "metrics": ["visitorsInside"], "timezone": timezone,
        "from": "2025-04-04T04:00:00", "to": "2025-04-08T04:00:00",
    }  # fmt: skip
    with opener(kind, tmp_path_factory.mktemp("store")) as opened:
        store = opened(clock=lambda: now)
        store.catalogue.save(ORGANIZATION, [record])
        counts = [PassageCount("entrance", minute, 0, 3), PassageCount("entrance", minute + 5, 8, 0)]
        store.metrics.append(counts, WriteMode.SET)
        query, problems = check_query(read_metrics_body(body)[0], record, now=now)
        assert query is not None, problems
        assert query.range is not None
        found = told_resets(hidden_warnings(store.metrics, query, query.range))
    assert found == (ToldReset(datetime(2025, 4, 6, 4, tzinfo=ZoneInfo(timezone)), 8, 3),)
