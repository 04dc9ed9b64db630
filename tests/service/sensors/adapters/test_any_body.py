"""Whatever comes, an adapter gives a report that holds together, or says in one way what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.sensors.adapter import Adapter, Form
from service.sensors.adapters import ADAPTERS
from service.sensors.adapters.generic import generic_adapter
from service.sensors.checked_report import MOST_COUNTS
from service.sensors.mapping import Mapping
from service.sensors.told_count import Kind, Report, ReportError
from tests.service.sensors.adapters.payload_files import payload, values

GENERIC = generic_adapter(
    Mapping(kind=Kind.EVENT, serial="row.a", end="row.b", forward="row.c", identity="row.b || row.a")
)
EVERY = [*ADAPTERS.values(), GENERIC]
IN_JSON = [one.maker for one in ADAPTERS.values() if one.form is Form.JSON]
NONSENSE: list[bytes] = [
    *(b"", b" ", b"null", b"true", b"0", b'""', b"[]", b"{}", b"[{}]", b"NaN", b"\x00", b"\xff\xfe<\x00"),
    *(b"[" * 100_000, b'{"a":' * 100_000, b"<a>" * 100_000, b"9" * 100_000, b'"' + b"a" * 1_000_000 + b'"'),
    *(b'{"logics_data": "\xc3\x28"}', b'{"data": "\\ud800"}', b"<?xml version='1.0' encoding='utf-7'?><a/>"),
    *(payload(maker) for maker in ADAPTERS),
]


def told(adapter: Adapter, body: bytes) -> Report | None:
    """What it reads, the same twice; None where it refuses."""
    report = error = None
    try:
        report = adapter.read(body)
    except ReportError as refused:
        error = str(refused)
    if report is None:
        assert error
        assert len(error) < 2_000
        return None
    assert adapter.read(body) == report
    assert len({(one.serial, one.line, one.identity) for one in report.counts}) == len(report.counts)
    assert len(report.counts) <= MOST_COUNTS
    for one in report.counts:
        assert one.kind in adapter.kinds
        assert one.serial
        assert one.identity
        assert "\n" not in one.serial + one.line + one.identity
        assert min(one.forward, one.backward) >= 0
        assert (one.start is not None) is (one.kind is Kind.INTERVAL)
        assert one.start is None or one.start < one.end
        assert adapter.has_lines or not one.line
        assert one.counted is None or 0 <= one.counted <= 1
    return report


@pytest.mark.parametrize("maker", ADAPTERS)
def test_the_body_of_each_maker_tells_counts_to_its_adapter_and_to_no_other(maker: str) -> None:
    read = {one.maker for one in ADAPTERS.values() if told(one, payload(maker)) is not None}
    assert read == {maker}
    assert told(ADAPTERS[maker], payload(maker)) != Report(())


@pytest.mark.parametrize("maker", IN_JSON)
def test_fields_that_a_later_firmware_adds_change_nothing(maker: str) -> None:
    def with_more(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: with_more(one) for key, one in value.items()} | {"new in this firmware": [1, None]}
        return [with_more(one) for one in value] if isinstance(value, list) else value

    body = json.dumps(with_more(values(maker))).encode()
    assert told(ADAPTERS[maker], body) == told(ADAPTERS[maker], payload(maker))


@pytest.mark.parametrize("adapter", EVERY, ids=lambda one: one.maker)
@pytest.mark.parametrize("body", NONSENSE, ids=lambda body: repr(body[:16]))
def test_nonsense_is_refused_or_tells_nothing_wrong(adapter: Adapter, body: bytes) -> None:
    told(adapter, body)


@given(st.sampled_from(EVERY), st.binary(max_size=2_000) | st.text().map(lambda text: text.encode()))
def test_any_bytes_give_a_report_or_say_why_not(adapter: Adapter, body: bytes) -> None:
    told(adapter, body)


def paths_in(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*at, key)
        yield from paths_in(one, (*at, key))


PATHS = {maker: sorted(paths_in(values(maker)), key=str) for maker in IN_JSON}
ODD: list[Any] = [
    *(None, True, False, 0, -1, 1, 1.5, 10**400, -(10**400), float("nan"), float("inf"), 2**53, 2**63),
    *("", " ", "0", "-1", "1e400", "9" * 5_000, "fw", "in", "2026-03-28T09:15:00", "0001-01-01T00:00:00Z"),
    *(
        "9999-12-31T23:59:59-14:00",
        "2026-02-30T00:00:00Z",
        1774688400,
        1774688400000,
        "a\nb",
        "\x00",
        "é" * 300,
    ),
    *([], {}, [[]], [None], [[[[[[[[[[]]]]]]]]]], {"a": {"a": {"a": {}}}}, ["direction=IN"], ...),
]


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """A body in which some values are others: odd ones, or those of another place."""
    maker = draw(st.sampled_from(IN_JSON))
    whole = values(maker)
    for path in draw(st.lists(st.sampled_from(PATHS[maker]), min_size=1, max_size=4)):
        other = draw(st.sampled_from(ODD) | st.sampled_from(PATHS[maker]).map(lambda at: found(maker, at)))
        try:
            within = whole
            for step in path[:-1]:
                within = within[step]
            if other is ...:
                del within[path[-1]]
            else:
                within[path[-1]] = deepcopy(other)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier one took this place away
    return maker, json.dumps(whole).encode()


def found(maker: str, path: tuple[str | int, ...]) -> Any:
    value = values(maker)
    for step in path:
        value = value[step]
    return value


@given(mutated())
def test_a_body_with_odd_values_gives_a_report_or_says_why_not(one: tuple[str, bytes]) -> None:
    maker, body = one
    told(ADAPTERS[maker], body)


@given(st.sampled_from(list(ADAPTERS)), st.integers(0, 3_000), st.integers(0, 40), st.binary(max_size=12))
def test_a_body_damaged_on_its_way_gives_a_report_or_says_why_not(
    maker: str, start: int, length: int, other: bytes
) -> None:
    body = payload(maker)
    told(ADAPTERS[maker], body[:start] + other + body[start + length :])


def test_a_report_of_too_many_counts_is_refused() -> None:
    whole = values("milesight")
    line = whole["line_periodic_data"][0]
    whole["line_periodic_data"] = [line | {"line_uuid": str(number)} for number in range(MOST_COUNTS + 1)]
    with pytest.raises(ReportError, match="more than 10,000 counts"):
        ADAPTERS["milesight"].read(json.dumps(whole).encode())
