"""What is said of people inside as somebody sets them by hand: what was done, and the records of today."""

from __future__ import annotations

from datetime import tzinfo
from typing import Final

from analysis.names import LONGEST_NAME, one_line
from components.number_format import Formats
from contract.administration import CorrectionTold, DoneBy

LONGEST_REASON: Final = 200
WITHOUT_NUMBER: Final = "Say how many are inside: nobody is 0."
WITHOUT_REASON: Final = "Say why in a few words, such as “we counted”: it stands on the charts."
WHAT_IT_IS: Final = (
    "From this minute on so many are inside the zone, and counts go on from there until the daily reset. "
    "What was counted stays as it is, and so do other zones. Who set it, when and why is kept, and "
    "charts have a mark."
)


def set_words(made: CorrectionTold, zone: str, timezone: tzinfo, formats: Formats) -> str:
    """What was done: `Hall is set to 12 from 14:05 on, before it was 17`."""
    at = formats.moment(made.timestamp.astimezone(timezone))
    set_to = f"{one_line(zone, LONGEST_NAME)} is set to {formats.number(made.visitors_inside)} from {at} on"
    return f"{set_to}{_before(made, formats)}."


def record_words(one: CorrectionTold, zone: str, timezone: tzinfo, formats: Formats) -> str:
    """`14:05: Hall set to 12, before it was 17: we counted. By Ana.`, and who took it back."""
    at = formats.moment(one.timestamp.astimezone(timezone))
    people = f"set to {formats.number(one.visitors_inside)}{_before(one, formats)}"
    reason = one_line(one.reason, LONGEST_REASON).removesuffix(".")
    said = f"{at}: {one_line(zone, LONGEST_NAME)} {people}: {reason}. By {_who(one.made)}."
    if one.withdrawn is None:
        return said
    back = formats.moment(one.withdrawn.at.astimezone(timezone))
    return f"{said} Taken back at {back} by {_who(one.withdrawn)}."


def above_capacity_words(inside: int, capacity: float, zone: str, formats: Formats) -> str:
    """A number may be higher than a capacity: people do come in."""
    return (
        f"{formats.number(inside)} are more than {one_line(zone, LONGEST_NAME)} holds by its capacity, "
        f"{formats.number(capacity)}. If it is right, press “Set it all the same”."
    )


def meanwhile_words(other: CorrectionTold, zone: str, timezone: tzinfo, formats: Formats) -> str:
    """Somebody else was first."""
    record = record_words(other, zone, timezone, formats)
    return f"Somebody was first: {record} Nothing of yours is set yet. If yours is right, press again."


def taken_back_words(one: CorrectionTold, zone: str, formats: Formats) -> str:
    number = formats.number(one.visitors_inside)
    return f"{one_line(zone, LONGEST_NAME)} set to {number} is taken back: it is again as it is without."


def _before(one: CorrectionTold, formats: Formats) -> str:
    was = one.visitors_inside_before
    return ", nothing was counted before" if was is None else f", before it was {formats.number(was)}"


def _who(done: DoneBy) -> str:
    return one_line(done.acting_for or f"the key {done.key_name}", LONGEST_NAME)
