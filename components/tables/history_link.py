"""The parameters of a link that shows the same period of the past whenever it is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from analysis.comparison import Against, Comparison, step_back
from analysis.history_request import HistoryRequest
from analysis.time_range import Step, TimeRange, instant_of, naive_local

Parameters = Mapping[str, Sequence[str]]

LINKED: Final = (
    "site", "range", "from", "to", "metric", "zone", "passage", "compare", "compare_from", "granularity",
    "aggregation", "timezone", "hours", "estimates",
)  # fmt: skip
"""Parameters of the History page, in the order in which a link has them."""
DATES: Final = "dates"
"""The range whose ends stand in the link as `from` and `to`."""


def fixed_parameters(
    relative: Parameters,
    request: HistoryRequest,
    against: Against,
    step: Step | None,
) -> Parameters | None:
    """`relative` with the dates of its range and of what it is compared with, `step` earlier.

    None where a date cannot say it: an end lies in the second pass of an hour that the clocks repeat.
    """
    first, last = (naive_local(moment, request.timezone) for moment in request.range)
    if TimeRange(instant_of(first, request.timezone), instant_of(last, request.timezone)) != request.range:
        return None
    fixed = {
        **relative,
        "range": [DATES],
        "from": [first.isoformat(timespec="minutes")],
        "to": [last.isoformat(timespec="minutes")],
        "timezone": [request.timezone.key],
    }
    if step is None or step_back(against, request.range, None, request.timezone) == step:
        return fixed
    return {**fixed, "compare": [Comparison.DATE.id], "compare_from": [(first - step).date().isoformat()]}
