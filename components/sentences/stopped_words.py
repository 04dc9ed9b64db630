"""Which zones and doors have no counts any more, in sentences, and what a number inside then is without."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from analysis.trust_answer import TrustAnswer
from components.number_format import Formats
from components.sentences.trust_words import MOST_NAMED, listed, name_of

_MOST_STOPPED: Final = 3


def lacks_doors(answer: TrustAnswer) -> bool:
    """Whether a door to the outside has stopped while the site is counted: what adds up is then a part."""
    site = answer.zones[0].subject.label
    return any(one.is_outer for one in answer.stopped) and all(one.label != site for one in answer.stopped)


def stopped_words(answer: TrustAnswer, timezone: ZoneInfo, formats: Formats) -> list[str]:
    """Which zones and doors have no counts any more, together those since the same hour; empty: none."""
    names: dict[datetime, list[str]] = {}
    for one in answer.stopped:
        names.setdefault(one.since, []).append(name_of(one.label))
    said = [
        f"{listed(own[:MOST_NAMED], len(own) - MOST_NAMED)} {'have' if len(own) > 1 else 'has'} had no counts"
        f" since {formats.dated(since.astimezone(timezone))}."
        for since, own in list(names.items())[:_MOST_STOPPED]
    ]
    if more := sum(len(own) for own in list(names.values())[_MOST_STOPPED:]):
        said.append(f"And {formats.number(more)} more of the zones and doors have none.")
    if said:
        said.append("Counters have stopped, or it is closed: Site shows in which state its devices are.")
    if lacks_doors(answer):
        said.append("If it is not closed, who goes by there is missing from the number inside since then.")
    return said
