"""Whether a replay has brought all of today."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest

from api_client import FUTURE
from contract import MetricKey
from live import FeedKey, Reading, Snapshot
from live.events import ReplayEnded
from live.proof import REREAD, is_whole

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
OPENED = NOON


def known(minutes_ago: Iterable[int], **fields: object) -> Snapshot:
    minutes = [Reading(NOON - back * MINUTE, {MetricKey.VISITORS_INSIDE: 5}) for back in minutes_ago]
    return Snapshot(FeedKey("site"), readings=tuple(minutes), **fields)  # type: ignore[arg-type]


def test_a_replay_up_to_the_newest_minute_is_whole() -> None:
    assert is_whole(known(range(120, -1, -1)), ReplayEnded(NOON, OPENED))
    assert is_whole(known(range(120, -1, -1)), ReplayEnded(NOON - REREAD, OPENED))


def test_a_replay_behind_the_newest_minute_is_not_whole_though_no_minute_seems_to_lack() -> None:
    """Those after it came by other means, and may be of a stream that went on half-way."""
    assert not is_whole(known(range(120, -1, -1)), ReplayEnded(NOON - REREAD - MINUTE, OPENED))


@pytest.mark.parametrize(
    "snapshot",
    [
        known(()),
        known((3, 2, 1, 0)),
        known([*range(120, 60, -1), *range(44, -1, -1)]),
        known(range(120, -1, -1), skipped={FUTURE: 1}),
    ],
    ids=["without a minute", "only what came live", "with a gap", "with minutes of the future"],
)
def test_a_replay_that_may_lack_minutes_is_not_whole(snapshot: Snapshot) -> None:
    assert not is_whole(snapshot, ReplayEnded(NOON, OPENED))
