"""What an adapter declares of its maker's counters beside reading what they send."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from service.sensors.told_count import Kind, Report


class Form(StrEnum):
    """As what a body comes."""

    JSON = "application/json"
    XML = "application/xml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """`POST /ingest/{maker}`, and what MQTT and pulled files call the same."""

    maker: str
    """In an address: lower case letters, digits and hyphens."""
    title: str
    """Maker and models, for people."""
    kinds: frozenset[Kind]
    """All that its reports may have."""
    form: Form
    forward: str
    """What the maker calls the direction that is taken for forward, for people: `in`, `fw`."""
    has_lines: bool
    """Whether one counter may count several lines, each at a passage of its own."""
    read: Callable[[bytes], Report]
    """Pure: the same body gives the same report. What it does not know is left out; raises ReportError where
    nothing can be read, or where a part would be counted wrongly."""
    is_mapped: bool = False
    """Whether it reads as a person wrote, which takes as long as that says: never in an event loop."""
