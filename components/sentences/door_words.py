"""Which door brings people, and the ways through the zones, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from analysis.door_hours import DoorHours
from analysis.entrances import Place
from analysis.names import LONGEST_NAME, one_line
from analysis.zone_ways import Direction, Stream
from components.number_format import Formats
from components.sentences.coverage_words import portion
from components.sentences.rhythm_words import hours_text
from contract import Granularity

OUTSIDE: Final = "Outside"
_MOST_LEADS: Final = 3
_TWO: Final = 2
_COUNTED: Final = "Of the passages with counts, "


def door_hours_words(found: DoorHours, formats: Formats) -> str:
    """`Most came in by North: 62 % of 3,412 people. South brings more than any other from 08:00 to 10:00`."""
    first = found.doors[0]
    if not found.everybody:
        return "Nobody came in by any of these doors."
    part = formats.part(100 * found.total(first) / found.everybody)
    said = f"Most came in by {_name(first.label)}: {part} of {formats.number(found.everybody)} people."
    others = [lead for lead in found.leads() if lead[0] != first]
    longest = sorted(others, key=lambda lead: lead[1] - lead[2])[:_MOST_LEADS]
    when: dict[Place, list[str]] = {}
    for door, begin, end in sorted(longest, key=lambda lead: lead[1]):
        when.setdefault(door, []).append(f"from {hours_text(begin, end, formats)}")
    for door, times in when.items():
        said += f" {_name(door.label)} brings more than any other {' and '.join(times)}."
    return said


def shade_words(found: DoorHours, formats: Formats) -> str:
    """What the colours of the map tell: on paper and in a picture nothing else does."""
    strongest = formats.part(found.largest_share)
    return f"Share of all who came in at that time of the day; the strongest colour is {strongest}."


def counted_by_all(found: DoorHours, formats: Formats) -> str:
    """On how many hours the shares rest."""
    every = f"{'Both' if len(found.doors) == _TWO else f'All {len(found.doors)}'} doors"
    said = f"{every} have counts in {portion(found.hours, Granularity.HOUR, formats)}"
    if found.hours.is_complete:
        return f"{said}."
    return f"{said}; the others are left out, since a door has no or fewer counts in them."


def share_words(found: DoorHours, place: int, hour: int, formats: Formats) -> str:
    """`North, 08:00 to 09:00: 62 % of 340 who came in`, of the door at that place."""
    door = found.doors[place]
    when = f"{_name(door.label)}, {hours_text(hour, hour + 1, formats)}"
    share = found.share(door, hour)
    if share is None:
        return f"{when}: {'nobody came in' if (door, hour) in found.came else 'no counts'}"
    return f"{when}: {formats.part(share)} of {formats.number(found.of_hour(hour))} who came in"


def stream_words(stream: Stream, names: Mapping[str, str], formats: Formats) -> str:
    """`North door, Outside – Hall: 340 people`."""
    ends = f"{zone_name(stream.start, names)} – {zone_name(stream.end, names)}"
    return f"{_name(stream.way.label)}, {ends}: {formats.number(stream.people)}"


def ways_words(
    streams: Sequence[Stream],
    direction: Direction,
    names: Mapping[str, str],
    formats: Formats,
    *,
    are_all: bool,
) -> str:
    """The widest of them, whichever comes first. Unless they `are_all`, another may be wider."""
    where = "inwards" if direction is Direction.IN else "outwards"
    most = "Most" if are_all else f"{_COUNTED}most"
    widest = max(streams, key=lambda one: one.people, default=None)
    if widest is None or not widest.people:
        return f"Nobody crossed a passage {where}." if are_all else f"{_COUNTED}nobody crossed one {where}."
    return (
        f"{most} cross {_name(widest.way.label)} {where}, {formats.number(widest.people)}:"
        f" from {_ending(widest.start, names)} to {_ending(widest.end, names)}."
    )


def zone_name(zone_id: str | None, names: Mapping[str, str]) -> str:
    return OUTSIDE if zone_id is None else _name(names.get(zone_id, zone_id))


def _ending(zone_id: str | None, names: Mapping[str, str]) -> str:
    return "the outside" if zone_id is None else zone_name(zone_id, names)


def _name(text: str) -> str:
    return one_line(text, LONGEST_NAME)
