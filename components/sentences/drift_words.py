"""Why the number inside cannot be trusted, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from analysis.bucket_table import Completeness
from analysis.drift import Drift
from analysis.history_data import HistoryData
from analysis.names import LONGEST_NAME, one_line
from analysis.peak_search import FoundPeak
from analysis.subject import Subject
from analysis.time_range import TimeRange
from analysis.untrusted import just_begun_part, unchecked_part
from components.number_format import Formats
from components.sentences.coverage_words import portion
from components.sentences.range_words import range_text

_MEANS: Final = " Averages and the time inside rest on all that is shown."


def drift_reason(drift: Drift, timezone: ZoneInfo, formats: Formats, *, day: date | None = None) -> str:
    """A clause without a stop: `by 17:20, 118 more people had left than come since 04:00`.

    Times of `day` have no date.
    """

    def at(moment: datetime) -> str:
        return _moment(moment, timezone, formats, day)

    people = formats.number(drift.people)
    if drift.until and drift.unleft > drift.unentered:
        if not drift.is_reset_seen and drift.busy_until:
            last = f"the last count before it began again, at {at(drift.busy_until)}"
            return f"{people} people were still counted inside at {last}"
        return f"{people} people were still counted inside when the count began again at {at(drift.until)}"
    least = "at least " if drift.judged < drift.minutes else ""
    by = "" if drift.unentered_at is None else f"by {at(drift.unentered_at)}, "
    return f"{by}{least}{people} more people had left than come since {at(drift.since)}"


def drift_time(
    drift: Drift, start: datetime, timezone: ZoneInfo, formats: Formats, *, day: date | None = None
) -> str:
    """When the number inside means nothing: `until 04:00` of a range from `start`, `from 04:00 to 22:30`.

    Times of `day` have no date.
    """
    end = drift.busy_until if drift.until else None
    if drift.since < start and end:
        return f"until {_moment(end, timezone, formats, day)}"
    since = f"from {_moment(drift.since, timezone, formats, day)}"
    to = "" if end is None else _moment(end, timezone, formats, drift.since.astimezone(timezone).date())
    return f"{since} to {to}" if to else since


def checked_parts(peaks: Mapping[Subject, FoundPeak]) -> dict[str, TimeRange | None]:
    """Label -> the part of a range that was searched for a drift, None for none of it.

    Without zones of which a drift was found beside it, which is said elsewhere.
    """
    return {
        zone.label: peak.checked
        for zone, peak in peaks.items()
        if peak.checked is not None or not peak.is_somewhere_spoilt
    }


def checked_words(
    checked: Mapping[str, TimeRange | None],
    range_: TimeRange,
    timezone: ZoneInfo,
    formats: Formats,
    *,
    alone: bool,
    says_means: bool = True,
) -> list[str]:
    """Which part of a range was searched for a drift, of each zone; empty where all of it was.

    `checked` is that part by the label of a zone, None where nothing is known of any; `alone` where the page
    shows no other zone, and `says_means` where it says what rests on the whole range.
    """
    zones: dict[TimeRange | None, list[str]] = {}
    for label, part in checked.items():
        if part != range_:
            zones.setdefault(part, []).append(label)
    unknown = zones.pop(None, [])
    said = [
        f"{'' if alone else f'of {_listed(labels)} '}from {range_text(part, timezone, formats)}"
        for part, labels in zones.items()
        if part is not None
    ]
    sentences = []
    if said:
        only = f"The number inside was checked only around the fullest minute{',' if alone else ':'}"
        sentences.append(f"{only} {'; '.join(said)}.{_MEANS if says_means else ''}")
    if unknown:
        of = "" if alone else f" of {_listed(unknown)}"
        sentences.append(f"The number inside{of} could not be checked against who came and who left.")
    return sentences


def unchecked_words(data: HistoryData, formats: Formats) -> list[str]:
    """Of how many rows nobody knows whether they mean anything, where of others the hours tell it."""
    said = []
    for label in data.labels:
        if label not in data.checked_by_hours or not data.unchecked.get(label):
            continue
        if not (part := unchecked_part(data, label)).present:
            continue
        of = "" if len(data.labels) == 1 else f" of {one_line(label, LONGEST_NAME)}"
        rows = portion(part, data.granularity, formats)
        said.append(
            f"In {rows} the number inside{of} could not be checked against who came and who left,"
            f" {_why_unchecked(part, just_begun_part(data, label))}."
        )
    return said


def _why_unchecked(part: Completeness, just_begun: Completeness) -> str:
    missing, began = "as entrances or exits of that day are missing", "counting had just begun"
    if not just_begun.present:
        return missing
    return f"as {began}" if just_begun.present == part.present else f"{missing}, or {began}"


def _listed(labels: Sequence[str]) -> str:
    return f"{', '.join(labels[:-1])} and {labels[-1]}" if len(labels) > 1 else labels[0]


def _moment(moment: datetime, timezone: ZoneInfo, formats: Formats, day: date | None) -> str:
    local = moment.astimezone(timezone)
    return formats.time(local) if local.date() == day else formats.dated(local)
