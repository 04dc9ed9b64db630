from __future__ import annotations

import pytest

from service.counter_topics import TopicRuleError, maker_of, read_rules, reading_of
from service.sensors.adapters import ADAPTERS
from service.sensors.told_count import Report, ReportError, ToldStatus

DEFAULT = "headroom/{maker}/#"
TERABEE = b'{"count_in": 3, "count_out": 1, "timestamp": "2026-11-24T03:00:00Z", "device_id": "T1"}'


@pytest.mark.parametrize(
    ("rules", "filters"),
    [
        (DEFAULT, ["headroom/+/#"]),
        ("shop/+/axis=axis-3d", ["shop/+/axis"]),
        (" {maker} , a b/#=terabee,, ", ["+", "a b/#"]),
        ("a=b/#=terabee", ["a=b/#"]),
        ("/{maker}/", ["/+/"]),
    ],
)
def test_rules_are_filters_as_a_broker_takes_them(rules: str, filters: list[str]) -> None:
    assert [rule.topic_filter for rule in read_rules(rules)] == filters


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ("", "name at least one topic filter"),
        ("shop/#", "'shop/#' names no maker: make a level {maker}, or add =maker"),
        ("{maker}/{maker}", "names no maker"),
        ("{maker}/#=terabee", "names its maker twice"),
        (
            "shop/#=Acme",
            r"'Acme' is no maker \(known are axis-3d.*\), and the name of a mapping is 1 to 40 small",
        ),
        ("shop/#=", "'' is no maker"),
        ("shop/#=counts", "'counts' is no maker"),
        ("=terabee", "'' is no topic filter: it has to have 1 to 65,535 bytes"),
        ("a\0b=terabee", "it has to have 1 to 65,535 bytes, none of them 0"),
        ("ä" * 40_000 + "=terabee", "it has to have 1 to 65,535 bytes"),
        ("#/{maker}", "# has to be its last level, alone"),
        ("shop/a#=terabee", "# has to be its last level, alone"),
        ("shop/a+/b=terabee", r"\+ has to be a level alone"),
        ("shop-{maker}/#", "{maker} has to be a level alone"),
        ("$share/us/{maker}/#", "subscriptions that are shared"),
        ("a/#=terabee, a/#=irisys", "the filter 'a/#' stands there twice"),
        ("a/{maker}, a/+=irisys", r"the filter 'a/\+' stands there twice"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_reason(rules: str, reason: str) -> None:
    with pytest.raises(TopicRuleError, match=reason):
        read_rules(rules)


@pytest.mark.parametrize(
    ("rules", "topic", "maker"),
    [
        (DEFAULT, "headroom/terabee/T1/counts", "terabee"),
        (DEFAULT, "headroom/terabee", "terabee"),
        (DEFAULT, "headroom/xovis-5//", "xovis-5"),
        ("{maker}", "irisys", "irisys"),
        ("shop/+/axis=axis-3d", "shop/1/axis", "axis-3d"),
        ("shop/door/#=axis-3d, shop/#=terabee", "shop/door/1", "axis-3d"),
        ("shop/door/#=axis-3d, shop/#=terabee", "shop/2", "terabee"),
        ("#=hikvision", "any/thing", "hikvision"),
        (DEFAULT, "headroom/gym-doors/1", "gym-doors"),
        ("shop/#=gym-doors", "shop/1", "gym-doors"),
    ],
)
def test_the_first_rule_for_a_topic_says_the_maker(rules: str, topic: str, maker: str) -> None:
    assert maker_of(read_rules(rules), topic) == maker


@pytest.mark.parametrize(
    ("rules", "topic", "reason"),
    [
        (DEFAULT, "headroom", "no topic filter that is set is for this topic"),
        (DEFAULT, "headrooms/terabee/1", "no topic filter"),
        (DEFAULT, "", "no topic filter"),
        ("shop/+/axis=axis-3d", "shop/1/2/axis", "no topic filter"),
        ("shop/+/axis=axis-3d", "shop/1", "no topic filter"),
    ],
)
def test_a_topic_without_a_maker_is_refused(rules: str, topic: str, reason: str) -> None:
    with pytest.raises(ReportError, match=reason):
        maker_of(read_rules(rules), topic)


@pytest.mark.parametrize(
    ("payload", "is_online"),
    [(b"online", True), (b"offline", False), (b" Offline\r\n", False), (b"ONLINE", True)],
)
def test_a_word_under_status_tells_whether_a_counter_is_there(payload: bytes, is_online: bool) -> None:
    read = reading_of(ADAPTERS["terabee"], "headroom/terabee/T1/status")
    assert read(payload) == Report((), (ToldStatus("T1", is_online),))


def test_anything_else_under_status_is_a_report() -> None:
    read = reading_of(ADAPTERS["terabee"], "headroom/terabee/T1/status")
    assert [one.serial for one in read(TERABEE).counts] == ["T1"]
    with pytest.raises(ReportError, match="Invalid JSON"):
        read(b"gone")


def test_a_word_elsewhere_is_no_status() -> None:
    read = reading_of(ADAPTERS["terabee"], "headroom/terabee/T1/counts")
    with pytest.raises(ReportError, match="Invalid JSON"):
        read(b"offline")


@pytest.mark.parametrize("topic", ["headroom/terabee/status", "headroom/terabee//status"])
def test_a_status_without_a_serial_is_refused(topic: str) -> None:
    read = reading_of(ADAPTERS["terabee"], topic)
    with pytest.raises(ReportError, match="before status, the topic has no serial of a counter"):
        read(b"offline")
