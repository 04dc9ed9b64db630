"""The past of the small site whose counter stopped, written straight into its store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from live.cadence import spans_to_ask
from live.clock import local_zone
from tests.small_site import SITE, SmallSite, store_counts

MINUTE = timedelta(minutes=1)
INSIDE = 95


def store_stopped(site: SmallSite, ago: int, *, still_counting: tuple[str, ...] = ()) -> datetime:
    """Every minute of both doors, up to `ago` minutes ago, when INSIDE are inside; the start of the last one.

    Of past days what a feed asks for. Doors that are `still_counting` go on to the present minute.
    """
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    newest = now - ago * MINUTE
    spans = spans_to_ask(newest, newest, local_zone(SITE.timezone or ""))
    past = [minute for span in spans for minute in _minutes(span.start, span.end)]
    came_in = newest - 20 * MINUTE
    today = [*_minutes(came_in, now)]
    store_counts(
        site.data_dir,
        [
            (minute, door, INSIDE if (minute, door) == (came_in, "entrance") else 0, 0)
            for door in ("entrance", "terrace")
            for minute in [*past, *(minute for minute in today if minute <= newest or door in still_counting)]
        ],
    )
    return newest


def _minutes(start: datetime, end: datetime) -> Iterator[datetime]:
    while start < end:
        yield start
        start += MINUTE
