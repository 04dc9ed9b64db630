from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from service.sensors.exports import EXPORTS
from service.sensors.told_count import ReportError, ToldCount

EXPORT = EXPORTS["hikvision-search"]
SERIAL = "DS-2CD6825G0"
AROUND = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<CountingStatisticsResult version="2.0" xmlns="http://www.hikvision.com/ver20/XMLSchema">'
    "<responseStatus>true</responseStatus><responseStatusStrg>{status}</responseStatusStrg>"
    "<numOfMatches>{number}</numOfMatches><matchList>{matches}</matchList></CountingStatisticsResult>"
)


def match(hour: int, enter: int, leave: int, *, spanned: bool = True, offset: str = "") -> str:
    day = "2026-11-21T"
    times = (
        f"<startTime>{day}{hour:02}:00:00{offset}</startTime><endTime>{day}{hour:02}:59:59{offset}</endTime>"
    )
    span = f"<timeSpan>{times}</timeSpan>" if spanned else times
    return (
        f"<matchElement>{span}<enterCount>{enter}</enterCount><exitCount>{leave}</exitCount></matchElement>"
    )


def told(*matches: str, status: str = "OK") -> list[ToldCount]:
    body = AROUND.format(status=status, number=len(matches), matches="".join(matches))
    return list(EXPORT.read(body.encode(), SERIAL, ZoneInfo("Europe/Zurich")).counts)


@pytest.mark.parametrize("spanned", [True, False])
def test_a_match_is_an_interval_in_the_zone_of_the_camera(*, spanned: bool) -> None:
    counts = told(match(10, 12, 7, spanned=spanned), match(11, 1, 2, spanned=spanned))
    assert [(one.serial, one.line, one.forward, one.backward, one.identity) for one in counts] == [
        (SERIAL, "search", 12, 7, "2026-11-21T09:00:00+00:00"),
        (SERIAL, "search", 1, 2, "2026-11-21T10:00:00+00:00"),
    ]


def test_an_offset_that_is_told_is_kept() -> None:
    [one] = told(match(10, 1, 0, offset="Z"))
    assert one.identity == "2026-11-21T10:00:00+00:00"


def test_nothing_is_nothing() -> None:
    assert told() == []
    assert told(status="NO MATCHES") == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            AROUND.format(status="Invalid Operation", number=0, matches=""),
            "the camera says 'Invalid Operation'",
        ),
        ("<ResponseStatus/>", "an element CountingStatisticsResult"),
        (
            AROUND.format(
                status="OK", number=1, matches="<matchElement><enterCount>1</enterCount></matchElement>"
            ),
            "exitCount: Field required",
        ),
        (
            AROUND.format(
                status="OK",
                number=1,
                matches="<matchElement><enterCount>1</enterCount><exitCount>1</exitCount></matchElement>",
            ),
            "timeSpan: Field required",
        ),
    ],
)
def test_what_is_no_answer_is_refused_in_words(body: str, reason: str) -> None:
    with pytest.raises(ReportError, match=reason):
        EXPORT.read(body.encode(), SERIAL, ZoneInfo("UTC"))
