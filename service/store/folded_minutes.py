"""Until when a site has quarters alone, and what can be answered of that time.

Before that minute, which is a daily reset, rows of minutes may be there or not: nobody reads them any more.
"""

from __future__ import annotations

from typing import Final
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, bindparam, select

from contract import Granularity
from contract.buckets import bucket_start, next_bucket_start
from contract.minutes import minute_ceiling, minute_number, minute_start
from service.store.bucket_keys import minute_range
from service.store.bucket_query import Reduction, extreme_of
from service.store.prepared import Prepared
from service.store.schema import FOLDED_SITES, ZONE_QUARTERS
from service.store.zone_series import QUARTER

NEVER: Final = -(2**62)

_UNTIL: Final = Prepared(select(FOLDED_SITES.c.until).where(FOLDED_SITES.c.site_id == bindparam("site_id")))


def folded_until(connection: Connection, site_id: str) -> int:
    """The first minute of the site that is not folded, since the epoch, UTC; `NEVER`: none is."""
    row = _UNTIL.run(connection, site_id=site_id).fetchone()
    return row[0] if row else NEVER


def answerable(
    start: int, end: int, until: int, reduction: Reduction, timezone: ZoneInfo, *, is_one_zone: bool
) -> tuple[int, int]:
    """The minutes of [start, end) of whose buckets values can be told, `start` lying before `until`.

    Whole buckets are left out that would lack minutes which are folded.
    """
    granularity = reduction.granularity
    if (
        not _is_of_quarters(reduction, is_one_zone=is_one_zone)
        or not minute_range(start, end, granularity, timezone).fits_quarters
    ):
        return _from_bucket(until, granularity, timezone), end
    if end < until and end % QUARTER:
        end = minute_number(minute_ceiling(bucket_start(minute_start(end), granularity, timezone)))
    return (_from_bucket(start, granularity, timezone) if start % QUARTER else start), end


def _is_of_quarters(reduction: Reduction, *, is_one_zone: bool) -> bool:
    """Whether quarters have all that is asked: of one zone extremes, too, of a sum no more than sums."""
    if not is_one_zone:
        return not reduction.needs_each_minute
    extremes = filter(extreme_of, reduction.column_names())
    return reduction.granularity is not Granularity.MINUTE and all(
        name in ZONE_QUARTERS.c for name in extremes
    )


def _from_bucket(minute: int, granularity: Granularity, timezone: ZoneInfo) -> int:
    """The first minute of the first bucket that begins at the minute or later."""
    instant = minute_start(minute)
    begin = bucket_start(instant, granularity, timezone)
    if begin != instant:
        begin = next_bucket_start(begin, granularity, timezone)
    return minute_number(minute_ceiling(begin))
