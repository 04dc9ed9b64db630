"""People inside all sites: what the sum leaves out, and why."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

PANEL = """
from datetime import UTC, datetime

from analysis.site_report import SiteReport
from components.number_format import Formats
from components.panels.site_list import total_note
from components.tables.site_states import progress_of
from contract import SiteSummary

now = datetime.now(UTC)
sites = [SiteSummary(id=f"s{{number}}", name="Shop") for number in range(100)]
read, failed, silent = {counts}
good = SiteReport(now, inside=10, measured_at=now)
reports = dict.fromkeys([site.id for site in sites[:read]], good)
reports |= dict.fromkeys([site.id for site in sites[read:read + failed]], SiteReport(now, failure="No."))
gone = good._replace(silent_since=now)
reports |= dict.fromkeys([site.id for site in sites[:{streamed}]], good._replace(is_of_stream=True))
reports |= dict.fromkeys([site.id for site in sites[read + failed:read + failed + silent]], gone)
progress = progress_of(sites, reports, is_cut_off={is_cut_off})
total_note(sites, reports, progress, Formats(now=now))
"""


def told_of(counts: tuple[int, int, int], *, streamed: int = 0, is_cut_off: bool = False) -> str:
    script = PANEL.format(counts=counts, streamed=streamed, is_cut_off=is_cut_off)
    (shown,) = AppTest.from_string(script).run().markdown
    return shown.value.replace("\\", "")


def test_a_sum_that_nobody_can_renew_is_one_of_before() -> None:
    told = told_of((100, 0, 0), is_cut_off=True)
    assert "**" not in told
    assert "1,000 people were inside in 100 of 100 sites, as of " in told
    assert told.endswith("No newer numbers are known.")


def test_a_sum_says_which_of_its_numbers_are_those_of_live_cards() -> None:
    assert "live card" not in told_of((100, 0, 0))
    assert "1 site does not answer; its number is that of its live card." in told_of((100, 0, 0), streamed=1)
    assert "3 sites do not answer; their numbers are" in told_of((100, 0, 0), streamed=3)


@pytest.mark.parametrize(
    ("counts", "bold", "missing"),
    [
        ((9, 0, 0), "90 people inside so far", " Not counted: 91 are not read yet."),
        ((9, 40, 1), "90 people inside so far", "50 are not read yet, 40 could not be read, 1 has no number"),
        ((98, 2, 0), "980 people inside", " Not counted: 2 could not be read."),
        ((98, 0, 2), "980 people inside", " Not counted: 2 have no number that holds now."),
        ((100, 0, 0), "1,000 people inside", ""),
    ],
)
def test_a_sum_of_all_sites_says_what_it_leaves_out(
    counts: tuple[int, int, int], bold: str, missing: str
) -> None:
    told = told_of(counts)
    assert told.startswith(f"**{bold}** in {counts[0]} of 100 sites, as of ")
    assert missing in told
    assert bool(missing) == ("Not counted" in told)
