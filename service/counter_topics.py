"""Which maker's counters report under which topics of a broker, and what a message under one tells.

A rule is a topic filter of MQTT. Either one of its levels is `{maker}`, and the topic says whose counter it
is, or the filter is followed by `=` and a maker: `headroom/{maker}/#, shop/+/axis/#=axis-3d`.

Beside reports a counter may tell whether it is there, best by its last will, which the broker sends when the
counter is gone: `online` or `offline` under a topic that ends with its serial and `status`, such as
`headroom/axis-3d/ACCC8E000001/status`.

A maker is an adapter's, or the name under which a mapping is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from contract import quoted
from service.kept_mapping import fault_of_name
from service.sensors.adapter import Adapter
from service.sensors.adapters import ADAPTERS
from service.sensors.told_count import Report, ReportError, ToldStatus

MAKER: Final = "{maker}"
STATUS: Final = "status"

_LONGEST: Final = 65_535
"""Bytes of a filter, by the protocol."""
_ONE: Final = "+"
_ALL_BELOW: Final = "#"
_WORDS: Final = {b"online": True, b"offline": False}


class TopicRuleError(ValueError):
    """What cannot be a rule; the message says why."""


class TopicRule(NamedTuple):
    levels: tuple[str, ...]
    maker: str
    """`{maker}`: as the topic says."""

    @property
    def topic_filter(self) -> str:
        """As a broker takes it."""
        return "/".join(_ONE if level == MAKER else level for level in self.levels)

    def maker_of(self, topic: str) -> str | None:
        """None where the rule is not for this topic."""
        told = topic.split("/")
        *above, last = self.levels
        if last == _ALL_BELOW:
            told, levels = told[: len(above)], above
        else:
            levels = [*above, last]
        if len(told) != len(levels):
            return None
        if not all(own in (_ONE, MAKER, level) for own, level in zip(levels, told, strict=True)):
            return None
        return told[levels.index(MAKER)] if self.maker == MAKER else self.maker


def read_rules(text: str) -> tuple[TopicRule, ...]:
    """The rules of a list with commas; the first that is for a topic holds. Raises TopicRuleError."""
    rules = tuple(_rule(part.strip()) for part in text.split(",") if part.strip())
    if not rules:
        raise TopicRuleError("name at least one topic filter")
    filters = [rule.topic_filter for rule in rules]
    if twice := {one for one in filters if filters.count(one) > 1}:
        raise TopicRuleError(f"the filter {quoted(min(twice))} stands there twice")
    return rules


def maker_of(rules: Iterable[TopicRule], topic: str) -> str:
    """Whether there is one of that name is not asked. Raises ReportError where no rule is for the topic."""
    maker = next((found for rule in rules if (found := rule.maker_of(topic)) is not None), None)
    if maker is None:
        raise ReportError("no topic filter that is set is for this topic")
    return maker


def reading_of(adapter: Adapter, topic: str) -> Callable[[bytes], Report]:
    """What reads messages of its counters under the topic, which is pure and raises ReportError."""
    *_, serial, last = ["", *topic.split("/")]
    if last != STATUS:
        return adapter.read

    def read(payload: bytes) -> Report:
        is_online = _WORDS.get(payload.strip().lower())
        if is_online is None:
            return adapter.read(payload)
        if not serial or serial == adapter.maker:
            raise ReportError(f"before {STATUS}, the topic has no serial of a counter")
        return Report((), (ToldStatus(serial, is_online),))

    return read


def _rule(text: str) -> TopicRule:
    named, equals, maker = text.rpartition("=")
    topic_filter = named.strip() if equals else text
    maker = maker.strip() if equals else MAKER
    levels = tuple(topic_filter.split("/"))
    if fault := _fault(topic_filter, levels):
        raise TopicRuleError(f"{quoted(topic_filter)} is no topic filter: {fault}")
    if equals and MAKER in levels:
        raise TopicRuleError(f"{quoted(text)} names its maker twice, by {MAKER} and after =")
    if equals and maker not in ADAPTERS and (fault := fault_of_name(maker)):
        known = f"known are {', '.join(ADAPTERS)}"
        raise TopicRuleError(f"{quoted(maker)} is no maker ({known}), and the name of a mapping {fault}")
    if not equals and levels.count(MAKER) != 1:
        raise TopicRuleError(f"{quoted(topic_filter)} names no maker: make a level {MAKER}, or add =maker")
    return TopicRule(levels, maker)


def _fault(topic_filter: str, levels: tuple[str, ...]) -> str:
    """Empty where it is a topic filter."""
    if not topic_filter or "\0" in topic_filter or len(topic_filter.encode()) > _LONGEST:
        return f"it has to have 1 to {_LONGEST:,} bytes, none of them 0"
    if topic_filter.startswith("$"):
        return "subscriptions that are shared, and topics of the broker itself, are not read"
    if _ALL_BELOW in "/".join(levels[:-1]) or (_ALL_BELOW in levels[-1] and levels[-1] != _ALL_BELOW):
        return f"{_ALL_BELOW} has to be its last level, alone"
    if any(_ONE in level and level != _ONE for level in levels):
        return f"{_ONE} has to be a level alone"
    if any(MAKER in level and level != MAKER for level in levels):
        return f"{MAKER} has to be a level alone"
    return ""
