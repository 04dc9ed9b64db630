"""The report of a day: a part of History, before a real service."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.pages.analysis import Counted, text_of


def test_the_report_of_yesterday_tells_what_history_tells_of_that_day(counted: Counted) -> None:
    test = counted.as_it_opens("history", ["folded-print"], site="corner-shop", range="yesterday")
    headline = text_of(test).split("came in")[0].rsplit("\n", 1)[-1]
    test.button[-1].click().run()
    assert not test.exception
    assert "The report is ready." in text_of(test)
    _, file, count, failed = test.session_state["day-report"]
    assert (count, failed) == (1, 0)
    assert f"{headline}came in" in file.decode()


def test_a_report_of_another_day_is_made_anew(counted: Counted) -> None:
    test = counted.as_it_opens("history", ["folded-print"], site="corner-shop")
    test.button[-1].click().run()
    assert "The report is ready." in text_of(test)
    test.date_input[-1].set_value((datetime.now(UTC) - timedelta(days=9)).date()).run()
    assert "The report is ready." not in text_of(test)
    test.button[-1].click().run()
    assert "No counts are stored of this day." in test.session_state["day-report"][1].decode()
