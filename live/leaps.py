"""Minutes at which the number inside is another than who came and left would make it: it was set. Pure.

Somebody set it by hand, took that back, or the count began anew; which of these, a stream of points does not
tell. Whoever has to know asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from contract import MetricKey
from live.snapshot import Reading


def newest_leap(readings: Sequence[Reading]) -> datetime | None:
    """Over minutes without a reading the number inside stays as it is. Where levels alone are told, as by
    a camera, nothing follows from anything, and no minute is such a one.
    """
    for later, earlier in pairwise(reversed(readings)):
        if MetricKey.ENTRANCES in earlier.values and _is_leap(earlier, later):
            return later.measured_at
    return None


def _is_leap(earlier: Reading, later: Reading) -> bool:
    inside, was = later.values.get(MetricKey.VISITORS_INSIDE), earlier.values.get(MetricKey.VISITORS_INSIDE)
    came, went = (later.values.get(key, 0) for key in (MetricKey.ENTRANCES, MetricKey.EXITS))
    return inside is not None and was is not None and inside != max(was + came - went, 0)
