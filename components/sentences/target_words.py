"""How far along the target of a month is, in sentences."""

from __future__ import annotations

from typing import Final

from analysis.targets import Share, TargetProgress
from components.number_format import Formats
from components.sentences.league_words import minutes_words
from components.sentences.rhythm_words import named_days

_ALL: Final = 100


def target_words(found: TargetProgress, month: str, formats: Formats) -> str:
    """`month` as it is written."""
    target = formats.number(found.target)
    if not found.is_begun:
        return f"{month} has not begun. Its target is {target}."
    if found.counted is None:
        return f"Nobody knows how many of {target} came in {month}: no entrances are stored."
    counted, part = formats.number(found.counted), formats.percent(found.percent)
    when = f", as of {formats.dated(found.until)}" if found.until else ""
    said = [
        f"{counted} of {target} came in {'during' if found.is_over else 'so far in'} {month} ({part}){when}."
    ]
    if found.since is not None:
        said.append(
            f"Counting began on {formats.day(found.since)}: whoever came before is not in the number."
        )
    if found.missing:
        is_compared = not found.is_over and found.is_nearly_all
        said.append(_missing(found.missing, formats, is_compared=is_compared))
    if found.is_over:
        said.append(_end(found, formats))
    elif not found.is_nearly_all:
        said.append("Whether that is ahead or behind cannot be told.")
    elif found.expected is not None:
        said += _present(found, formats)
    else:
        said.append("The weeks before have no counts that tell how many should have come by now.")
    if not found.is_nearly_all:
        minutes = minutes_words(found.minutes, formats)
        said.append(f"Counted in {minutes}: whoever came in the others is missing in the number.")
    return " ".join(said)


def _missing(share: Share, formats: Formats, *, is_compared: bool) -> str:
    """Which days lack counts, and how much of a month comes then: a part of its people, not of minutes."""
    those = "in neither of the numbers" if is_compared else "not in the number"
    part = formats.part(_ALL * share.missing)
    about = part if part.startswith("under") else f"about {part}"
    return (
        f"Counts are missing of {named_days(share.days, formats)}, of hours in which {about} of a month's"
        f" people come: they are {those}."
    )


def _end(found: TargetProgress, formats: Formats) -> str:
    difference = (found.counted or 0) - found.target
    if difference >= 0:
        return f"The target was reached, with {formats.number(difference)} above it."
    if found.is_nearly_all and found.since is None and found.missing is None:
        return f"The target was missed by {formats.number(-difference)}."
    return f"{formats.number(-difference)} fewer than the target are counted."


def _present(found: TargetProgress, formats: Formats) -> list[str]:
    expected = round(found.expected or 0)
    difference = round((found.counted or 0) - expected)
    where = f"{formats.number(abs(difference))} {'ahead' if difference > 0 else 'behind'}"
    by_now = "by now" if found.since is None else "since then"
    by_now = f"{by_now} in the hours that are counted" if found.missing else by_now
    part = f"{formats.number(expected)} should have come {by_now} ({formats.part(_ALL * (found.share or 0))})"
    where = where if difference else "exactly so many did"
    said = [f"By the hours of the last four weeks {part}: {where}."]
    if found.at_this_rate is not None:
        whole = "the whole month" if found.since is None and found.missing is None else "a whole month"
        said.append(f"At this rate {formats.number(found.at_this_rate)} come in {whole}.")
    return said
