"""What a line of a chart is about: the whole site, a zone or a passage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from analysis.names import LONGEST_NAME, distinct_labels, marked, one_line
from contract import METRICS, MetricKey, MetricsFilter, Passage, Site, SiteSummary, Zone


class SubjectKind(StrEnum):
    SITE = "site"
    ZONE = "zone"
    PASSAGE = "passage"


class Subject(NamedTuple):
    """The site, a zone or a passage, as a chart and its legend have it."""

    kind: SubjectKind
    id: str
    """Of the site, the zone or the passage."""
    label: str
    """Its name; followed by the id where several share the name."""
    capacity: float | None = None
    """People it may hold; None: not reported."""
    between: tuple[str, str] | None = None
    """Of a passage without the outside on either side: the zones that its entrances go from and to."""

    def metrics(self, asked: Sequence[MetricKey]) -> tuple[MetricKey, ...]:
        """Those of `asked` that it has."""
        if self.kind is not SubjectKind.PASSAGE:
            return tuple(asked)
        return tuple(key for key in asked if METRICS[key].is_of_passages)

    @property
    def filter(self) -> MetricsFilter | None:
        if self.kind is SubjectKind.ZONE:
            return MetricsFilter(zone_ids=(self.id,))
        if self.kind is SubjectKind.PASSAGE:
            return MetricsFilter(passage_ids=(self.id,))
        return None


def whole_site(site: SiteSummary) -> Subject:
    """The site's top zone, whichever that is: its capacity is known only from an answer."""
    return Subject(SubjectKind.SITE, site.id, one_line(site.name, LONGEST_NAME) or site.id)


def subjects_of(site: Site, zone_ids: Sequence[str], passage_ids: Sequence[str]) -> list[Subject]:
    """The chosen zones and passages, each with a label of its own; the whole site where none is chosen."""
    chosen = zone_subjects(site, zone_ids) + passage_subjects(site, passage_ids)
    often = Counter(subject.label for subject in chosen)
    named = [
        subject if often[subject.label] == 1 else subject._replace(label=marked(subject.label, subject.kind))
        for subject in chosen
    ]
    return named or [whole_site(site)]


def zone_subjects(site: Site, ids: Sequence[str]) -> list[Subject]:
    """The zones with these ids, in the order of the ids; unknown ids are left out."""
    labels = labels_of(site.zones)
    by_id = {zone.id: zone for zone in site.zones}
    return [
        Subject(SubjectKind.ZONE, id_, labels[id_], by_id[id_].capacity or None)
        for id_ in ids
        if id_ in by_id
    ]


def passage_subjects(site: Site, ids: Sequence[str]) -> list[Subject]:
    labels, zones = labels_of(site.passages), labels_of(site.zones)
    by_id = {passage.id: passage for passage in site.passages}
    return [
        Subject(SubjectKind.PASSAGE, id_, labels[id_], between=_between(by_id[id_], zones))
        for id_ in ids
        if id_ in by_id
    ]


def _between(passage: Passage, zones: Mapping[str, str]) -> tuple[str, str] | None:
    first, last = (zones.get(id_ or "") for id_ in (passage.from_zone_id, passage.to_zone_id))
    return (first, last) if first and last else None


def labels_of(things: Sequence[Zone] | Sequence[Passage]) -> dict[str, str]:
    """Id -> a label that no other of them has."""
    return distinct_labels({thing.id: thing.name for thing in things})
