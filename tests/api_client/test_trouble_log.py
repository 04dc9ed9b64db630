"""What goes wrong each time somebody asks is told at times, and with how often it came meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from structlog.testing import capture_logs

from api_client.trouble_log import TroubleLog


@dataclass
class HandClock:
    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_the_same_trouble_is_told_once_an_hour_with_how_often_it_came_meanwhile() -> None:
    clock = HandClock()
    log = TroubleLog("walls", clock)
    with capture_logs() as lines:
        for _ in range(1000):
            log.warning("no hours", site="shop")
        clock.seconds = 3599.0
        log.warning("no hours", site="shop")
        clock.seconds = 3600.0
        log.warning("no hours", site="shop")
    assert lines == [
        {"event": "no hours", "site": "shop", "log_level": "warning"},
        {"event": "no hours", "site": "shop", "log_level": "warning", "times_since_told": 1000},
    ]


def test_another_place_another_reason_and_another_trouble_are_told_at_once() -> None:
    log = TroubleLog("walls", HandClock())
    with capture_logs() as lines:
        for event in ("no hours", "no notes"):
            for site in ("shop", "kiosk"):
                for reason in ("damaged", "no room"):
                    log.warning(event, site=site, reason=reason)
    assert len(lines) == 8


def test_an_answer_of_another_request_is_the_same_trouble() -> None:
    log = TroubleLog("walls", HandClock())
    with capture_logs() as lines:
        for number in range(100):
            log.warning("no curve", reason="refused", request_id=f"r-{number}")
    assert [line["request_id"] for line in lines] == ["r-0"]


def test_of_ever_new_reasons_some_are_told_an_hour_and_not_all_are_remembered() -> None:
    clock = HandClock()
    log = TroubleLog("walls", clock, most=10)
    with capture_logs() as lines:
        for hour in range(3):
            clock.seconds = hour * 3600.0
            for number in range(1000):
                log.warning("no curve", reason=f"port {hour} {number}")
    assert len(lines) == 30
    assert len(log._told) == 10
