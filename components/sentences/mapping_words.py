"""What is said of mappings: their fields, what is wrong with one and what to do, what one reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.names import LONGEST_NAME, one_line
from components.number_format import Formats
from contract.administration import MappingTried

KINDS: Final = {
    "interval": "Who crossed from one time to another",
    "cumulative": "Totals that run on",
    "event": "Each crossing by itself",
}
TIME_FORMATS: Final = {
    "iso": "ISO 8601; without an offset local to the site",
    "iso-utc": "ISO 8601; without an offset UTC",
    "seconds": "Seconds since 1970",
    "milliseconds": "Milliseconds since 1970",
}
FIELDS: Final = {
    "kind": "What it tells",
    "timeFormat": "How it writes times",
    "rows": "Rows",
    "serial": "Serial",
    "line": "Line",
    "start": "Begin",
    "end": "End",
    "intervalSeconds": "Seconds of an interval, where one end is told",
    "forward": "In",
    "backward": "Out",
    "identity": "Number of the count",
    "since": "Beginning of the total",
    "body": "What the counter sends",
}
"""By the name of the field; `body` is no field of a mapping."""
CHANGED_SINCE: Final = "Something has changed since it was tried. Try it again, then it can be kept."
_TO_DO: Final = {
    "finds nothing": "Compare the names with what the counter sends, letter by letter: what stands in a row "
    "begins with row, what stands once with body. Leave it empty where the counter does not tell it.",
    "cannot be read": "A name with other signs than letters, digits and _ stands in double quotes; a text of "
    "your own in single ones.",
    "has a part": "Take values out of what the counter sends, without making lists or objects of them.",
    "has too many parts": "Write it shorter.",
    "calls": "Use one of these, or none.",
    "an interval has two of": "Say where the one stands that is missing, or how long an interval is.",
    "In or Out should": "Say where one of them stands.",
    "should be an expression": "Say where it stands.",
    "Input should be a valid integer": "It has to find a whole number of people.",
    "Input should be a time": "Choose another way in which the counter writes times.",
    "Input should be": "Choose another value.",
    "Invalid JSON": "Paste the whole of one report, as the counter sends it.",
}
"""How a fault begins, and what is done about it."""


_FIELDS_IN_FAULTS: Final = {
    "an interval has two of these: start, end, seconds of the interval": (
        f"an interval has two of these: {FIELDS['start']}, {FIELDS['end']}, seconds of an interval"
    ),
    "forward or backward should be an expression": (
        f"{FIELDS['forward']} or {FIELDS['backward']} should be told"
    ),
}
"""Faults that name fields as programs call them, as the page does."""


def fault_words(field: str, fault: str, row: int | None) -> tuple[str, str]:
    """`In, row 2`, and `finds nothing. Compare ...`."""
    where = FIELDS.get(field, one_line(field, LONGEST_NAME))
    fault = fault.removesuffix(".")
    fault = _FIELDS_IN_FAULTS.get(fault, fault)
    to_do = next((words for begin, words in _TO_DO.items() if fault.startswith(begin)), "")
    return (where if row is None else f"{where}, row {row}"), f"{fault}. {to_do}".strip()


def tried_words(tried: MappingTried, formats: Formats) -> str:
    """How much it would count, such as `2 counts would be read: 7 in, 1 out`."""
    if not tried.total:
        return "Nothing would be counted: there is no row in what the counter sends."
    shown = len(tried.counts)
    number = formats.number(tried.total)
    many = f"{number} counts" if tried.total != 1 else "1 count"
    more = f" The first {formats.number(shown)} are shown." if shown < tried.total else ""
    came, went = (sum(getattr(one, way) for one in tried.counts) for way in ("forward", "backward"))
    sums = f": {formats.number(came)} in, {formats.number(went)} out" if not more else ""
    return f"{many} would be read{sums}.{more}"


def total_words(kind: str) -> str:
    """What is to be known of numbers of this kind; empty for others."""
    if kind != "cumulative":
        return ""
    return "Of totals that run on, what they grow by from one report to the next is counted."


def kept_words(name: str, service: str) -> str:
    """`service` is its address."""
    return (
        f"“{name}” is kept. Let the counter post to {service}/ingest/{name} with a key of scope ingest: it "
        "then appears here, to be placed."
    )


def removed_words(name: str) -> str:
    return f"“{name}” is removed: what counters post under it is refused. What was counted stays."


def name_fault(name: str, kept: Mapping[str, object]) -> str:
    """Why a new mapping cannot be called so; empty: it can, as far as it is known here."""
    if not name:
        return "Say what it is to be called: the name stands in the address to which the counter posts."
    if name in kept:
        return "A mapping of this name is kept already: choose it above to change it."
    return ""
