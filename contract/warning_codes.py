"""Codes of `meta.warnings` that this project's service sends: the specification shows no entry.

An entry has the fields of an error entry: `code`, `message`, and where there is something to list `details`.
"""

from __future__ import annotations

from enum import StrEnum


class WarningCode(StrEnum):
    """Part of the contract, unlike the messages."""

    AGGREGATION_IGNORED = "AGGREGATION_IGNORED"
    """An aggregation is asked for that a metric does not have."""
    PEOPLE_HIDDEN = "PEOPLE_HIDDEN"
    """visitorsInside forgot people at a daily reset, or stopped at 0 while more went out.

    `details` has for each reset of the range, as ISO 8601 at the site's offset, what the count that it ended
    hid: `17 left over, 12 exits found nobody inside`.
    """
    MINUTES_FOLDED = "MINUTES_FOLDED"
    """A part of the range is kept as quarters of an hour: what takes single minutes has no points there.

    `details.until` says up to when, as ISO 8601 at the site's offset.
    """
    ARCHIVE_AWAY = "ARCHIVE_AWAY"
    """Days of long ago lie in an archive that cannot be read for now: the range is answered without them.

    `details.from` says from when on there are points, as ISO 8601 at the site's offset.
    """
    LEVEL_SET = "LEVEL_SET"
    """visitorsInside of a zone was set by hand.

    `details` has each setting, a hundred at most: `hall at` and the minute, as ISO 8601 at the site's offset,
    and what it was set to and why: `set to 12: we counted`.
    """
    COPY_BEHIND = "COPY_BEHIND"
    """The answer is read from a copy of the store, which may lack what was stored in the last seconds.

    `details.seconds` says in how many, at most.
    """
    COUNTS_SPREAD = "COUNTS_SPREAD"
    """In some minutes nobody knows who of a sum of a longer stretch crossed: people are spread evenly.

    `details` has such stretches, a hundred at most: by passage and beginning, as ISO 8601 at the site's
    offset, until when they last.
    """
