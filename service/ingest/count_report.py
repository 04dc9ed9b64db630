"""Handing in counts: the way by which a route, a worker or a command gets counts into the store.

Who hands them in has read and checked them (`count_time` says which minutes and numbers may be), and hears
what became of them: stored, stored before, or refused by an error; nothing of a refused report is stored. In
the event loop that is `CountWriter.store`, which gathers reports that wait; in a thread or a command it is
`store_report`, `store_series` for columns, and `import_series` for those of a file beside a running service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from service.ingest.count_batch import MAXIMUM_DETAILS
from service.store.errors import FoldedCountsError, IdempotencyConflictError, UnknownPassageError
from service.store.protocol import CountBatch, CountSeries, SiteCatalogue, Store, WriteMode

_IDS_AT_ONCE: Final = 500
"""Passages that are looked up together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountReport(CountBatch):
    """A batch, by whom it is handed in and how it is to be stored."""

    organization_id: str | None
    """Only passages of its sites are known to the report; None: those of all, for what the operator runs."""
    mode: WriteMode = WriteMode.ADD


Outcome = bool | Exception
"""Whether it was stored (False: a duplicate), or why it is refused."""


def store_report(store: Store, report: CountReport) -> bool:
    """True once the counts are on disk; False when they came before under their idempotency key.

    Raises UnknownPassageError, FoldedCountsError, IdempotencyConflictError, StoreError.
    """
    [outcome] = store_reports(store, [report])
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def store_series(store: Store, series: Iterable[CountSeries]) -> None:
    """Columns of passages of all organizations, all or none. Raises UnknownPassageError, StoreError."""
    store.metrics.append_series(series)


def import_series(store: Store, series: Iterable[CountSeries], progress: Callable[[int], None]) -> None:
    """`store_series` in many short transactions, see `CountImports.store`: sensors come in between."""
    store.imports.store(series, progress)


def store_reports(store: Store, reports: Sequence[CountReport]) -> list[Outcome]:
    """What became of each; those that add up and are not refused are in one transaction."""
    if len(reports) > 1 and any(report.mode is not WriteMode.ADD for report in reports):
        return _store_each(store, reports)
    try:
        return _store_together(store, reports)
    except (UnknownPassageError, FoldedCountsError) as error:
        # A passage that was removed since it was looked up, or folded minutes; only the reports that name
        # them are refused.
        return [error] if len(reports) == 1 else _store_each(store, reports)
    except Exception as error:  # noqa: BLE001 - each who waits raises it as its own
        return [error] * len(reports)


def _store_each(store: Store, reports: Sequence[CountReport]) -> list[Outcome]:
    return [outcome for report in reports for outcome in store_reports(store, [report])]


def _store_together(store: Store, reports: Sequence[CountReport]) -> list[Outcome]:
    owners = _owners(store.catalogue, reports)
    refusals = [_unknown_passages(report, owners) for report in reports]
    accepted = [report for report, refused in zip(reports, refusals, strict=True) if refused is None]
    stored = iter(_append(store, accepted))
    return [next(stored) if refused is None else refused for refused in refusals]


def _append(store: Store, reports: Sequence[CountReport]) -> Sequence[bool | IdempotencyConflictError]:
    """Several that add up, or one of any mode."""
    if len(reports) == 1 and reports[0].mode is not WriteMode.ADD:
        [report] = reports
        return [store.metrics.append(report.counts, report.mode, idempotency=report.idempotency)]
    return store.metrics.append_all(reports) if reports else []


def _unknown_passages(report: CountReport, owners: Mapping[str, str | None]) -> UnknownPassageError | None:
    known = report.organization_id
    unknown = {count.passage_id for count in report.counts if owners.get(count.passage_id, known) != known}
    return UnknownPassageError(unknown) if unknown else None


def _owners(catalogue: SiteCatalogue, reports: Sequence[CountReport]) -> Mapping[str, str | None]:
    """Passages of organizations' reports -> the organization whose each is, None where there is no such.

    In the order of the counts; of a single report no more than a refusal names.
    """
    bound = [report for report in reports if report.organization_id is not None]
    asked = dict.fromkeys(count.passage_id for report in bound for count in report.counts)
    enough = MAXIMUM_DETAILS if len(reports) == 1 else len(asked)
    sites: dict[str, str | None] = {}
    unknown, remaining = 0, iter(asked)
    while unknown < enough and (some := list(islice(remaining, _IDS_AT_ONCE))):
        found = catalogue.site_ids_of_passages(some)
        unknown += len(some) - len(found)
        sites |= {passage_id: found.get(passage_id) for passage_id in some}
    records = {site_id: catalogue.find(site_id) for site_id in set(sites.values()) if site_id}
    organizations = {site_id: record.site.organization_id for site_id, record in records.items() if record}
    return {passage_id: organizations.get(site_id or "") for passage_id, site_id in sites.items()}
