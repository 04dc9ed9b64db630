from __future__ import annotations

from datetime import UTC, datetime

import pytest

from service.sensors.adapters.hikvision import HIKVISION
from service.sensors.told_count import Kind, ReportError, ToldCount
from tests.service.sensors.adapters.payload_files import payload

SERIAL = "24:28:fd:00:00:11"


def alert(*changes: tuple[str, str]) -> bytes:
    """The body, each first text of which is exchanged for the second."""
    text = payload("hikvision").decode()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text.encode()


REAL_TIME = (
    ("<statisticalMethods>timeRange", "<statisticalMethods>realTime"),
    ("TimeRange>", "Unused>"),
)


def test_a_time_range_is_an_interval_of_the_channel() -> None:
    start, end = (datetime(2026, 3, 28, 9, minute, tzinfo=UTC) for minute in (0, 15))
    assert HIKVISION.read(payload("hikvision")).counts == (
        ToldCount(SERIAL, "1", Kind.INTERVAL, start, end, 14, 9, "2026-03-28T09:00:00+00:00"),
    )


def test_real_time_is_a_running_total_of_a_line_of_its_own() -> None:
    moment = datetime(2026, 3, 28, 9, 15, 1, tzinfo=UTC)
    assert HIKVISION.read(alert(*REAL_TIME)).counts == (
        ToldCount(
            SERIAL, "1 realTime", Kind.CUMULATIVE, None, moment, 14, 9, "2026-03-28T09:15:01+00:00 14 9"
        ),
    )


def test_a_running_total_has_the_time_at_which_it_was_read_rather_than_sent() -> None:
    read = "<RealTime><time>2026-03-28T17:14:59+08:00</time></RealTime><enter>"
    [told] = HIKVISION.read(alert(*REAL_TIME, ("<enter>14", read + "14"))).counts
    assert told.end == datetime(2026, 3, 28, 9, 14, 59, tzinfo=UTC)


def test_two_totals_of_one_second_are_two_counts() -> None:
    one, two = (HIKVISION.read(alert(*REAL_TIME, ("<enter>14", f"<enter>{n}"))).counts[0] for n in (14, 15))
    assert one.identity != two.identity


@pytest.mark.parametrize(
    "changes",
    [
        ("http://www.isapi.org/ver20/XMLSchema", "urn:psialliance-org"),
        (' xmlns="http://www.isapi.org/ver20/XMLSchema"', ""),
        ("<isDataRetransmission>false", "<isDataRetransmission>true"),
        ("<pass>55</pass>", "<regionsID>1</regionsID>"),
        ("2026-03-28T17:15:01+08:00", "2026-03-28T19:00:00+08:00"),
    ],
)
def test_either_namespace_and_a_later_attempt_tell_the_same_count(changes: tuple[str, str]) -> None:
    assert HIKVISION.read(alert(changes)) == HIKVISION.read(payload("hikvision"))


def test_a_second_region_of_a_channel_is_a_line_of_its_own() -> None:
    [told] = HIKVISION.read(alert(("<pass>55</pass>", "<regionsID>2</regionsID>"))).counts
    assert told.line == "1/2"


def test_a_time_without_an_offset_is_local_to_the_site() -> None:
    [told] = HIKVISION.read(alert(("+08:00", ""))).counts
    assert (told.start, told.identity) == (datetime(2026, 3, 28, 17), "2026-03-28T17:00:00")  # noqa: DTZ001


def test_a_heartbeat_counts_nothing_whatever_else_it_lacks() -> None:
    heartbeat = b"<EventNotificationAlert><eventType>videoloss</eventType></EventNotificationAlert>"
    report = HIKVISION.read(heartbeat)
    assert (report.counts, report.left_out) == ((), ("alerts of the type videoloss",))


def test_a_method_that_is_not_known_counts_nothing_and_is_named() -> None:
    report = HIKVISION.read(alert(("<statisticalMethods>timeRange", "<statisticalMethods>daily")))
    assert (report.counts, report.left_out) == ((), ("counts by the method daily",))


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"", "body: Invalid XML"),
        (b"<EventNotificationAlert/>", "eventType"),
        (b"<html><body/></html>", "body: Input should be an element EventNotificationAlert"),
        (alert(("macAddress", "mac")), "macAddress"),
        (alert(("<enter>14", "<enter>-14")), "peopleCounting.enter"),
        (alert(("<enter>14", "<enter>" + "9" * 5_000)), "peopleCounting.enter"),
        (alert(("<enter>14", "<enter>1</enter><enter>14")), "peopleCounting.enter"),
        (alert(("<exit>9", "<exit>9000000")), "line 1: more than 1,000,000 people"),
        (alert(("TimeRange>", "Unused>")), "peopleCounting: TimeRange: Field required"),
        (alert(*REAL_TIME, ("dateTime", "date")), "dateTime: Field required"),
        (alert(("17:15:00", "16:15:00")), "line 1: the interval"),
        (alert(("T17:00:00", "T25:00:00")), "peopleCounting.TimeRange.startTime: Input is not a date"),
        (alert(("?>", '?><!DOCTYPE a [<!ENTITY b "c">]>')), "body: has a document type"),
        (alert(("?>", '?><!DOCTYPE a SYSTEM "http://192.0.2.1/a.dtd">')), "body: has a document type"),
        (alert(("?>", "?><!DOCTYPE a>")), "body: has a document type"),
        (alert(("Camera 01", "&camera;")), "body: Invalid XML"),
        (alert(('"UTF-8"', '"no such encoding"')), "body: Invalid XML"),
        (b"<a>" * 60, "body: more than 10,000 elements, or deeper than 50"),
        (b"<a>" + b"<b/>" * 10_000 + b"</a>", "body: more than 10,000 elements"),
    ],
)
def test_what_would_be_counted_wrongly_is_refused_by_name(body: bytes, named: str) -> None:
    with pytest.raises(ReportError, match=named):
        HIKVISION.read(body)
