from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from service.store.topology import reset_minutes


def minute(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) // 60


def texts(minutes: list[int]) -> list[str]:
    return [datetime.fromtimestamp(value * 60, UTC).strftime("%Y-%m-%dT%H:%M") for value in minutes]


@pytest.mark.parametrize(
    ("timezone", "hour", "first", "last", "expected"),
    [
        ("Etc/UTC", 4, "2025-06-02T10:00", "2025-06-02T10:00", ["2025-06-02T04:00", "2025-06-03T04:00"]),
        ("Etc/UTC", 4, "2025-06-02T04:00", "2025-06-03T03:59", ["2025-06-02T04:00", "2025-06-03T04:00"]),
        (
            "Etc/UTC",
            4,
            "2025-06-02T03:59",
            "2025-06-03T04:00",
            ["2025-06-01T04:00", "2025-06-02T04:00", "2025-06-03T04:00", "2025-06-04T04:00"],
        ),
        # 23 hours from reset to reset when the clocks go forward, 25 when they go back
        (
            "Europe/Zurich",
            4,
            "2025-03-29T12:00",
            "2025-03-30T12:00",
            ["2025-03-29T03:00", "2025-03-30T02:00", "2025-03-31T02:00"],
        ),
        (
            "Europe/Zurich",
            4,
            "2025-10-25T12:00",
            "2025-10-26T12:00",
            ["2025-10-25T02:00", "2025-10-26T03:00", "2025-10-27T03:00"],
        ),
        # the skipped hour resets at the change, the repeated one the first time
        (
            "Europe/Zurich",
            2,
            "2025-03-30T01:00",
            "2025-03-30T01:00",
            ["2025-03-30T01:00", "2025-03-31T00:00"],
        ),
        # also where the change is not on that hour, or skips two of them
        (
            "Pacific/Chatham",
            3,
            "2026-09-26T14:00",
            "2026-09-26T14:00",
            ["2026-09-26T14:00", "2026-09-27T13:15"],
        ),
        (
            "Antarctica/Troll",
            2,
            "2026-03-29T01:00",
            "2026-03-29T01:00",
            ["2026-03-29T01:00", "2026-03-30T00:00"],
        ),
        (
            "Europe/Zurich",
            2,
            "2025-10-26T01:30",
            "2025-10-26T01:30",
            ["2025-10-26T00:00", "2025-10-27T01:00"],
        ),
        (
            "Asia/Kathmandu",
            0,
            "2025-06-02T18:15",
            "2025-06-02T18:15",
            ["2025-06-02T18:15", "2025-06-03T18:15"],
        ),
        (
            "Pacific/Kiritimati",
            4,
            "2025-06-02T13:59",
            "2025-06-02T13:59",
            ["2025-06-01T14:00", "2025-06-02T14:00"],
        ),
        (
            "Pacific/Pago_Pago",
            23,
            "2025-06-02T09:59",
            "2025-06-02T09:59",
            ["2025-06-01T10:00", "2025-06-02T10:00"],
        ),
    ],
)
def test_resets_reach_from_the_one_before_to_the_one_after(
    timezone: str, hour: int, first: str, last: str, expected: list[str]
) -> None:
    assert texts(reset_minutes(minute(first), minute(last), ZoneInfo(timezone), hour)) == expected
