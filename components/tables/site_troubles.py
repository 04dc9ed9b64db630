"""Which sites do not work, and what is wrong with each: the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import pandas as pd

from analysis.names import distinct_labels, one_line
from analysis.site_report import SiteReport
from components.number_format import Formats
from components.tables.site_states import WORDS, SiteState, states_of
from contract import SiteSummary
from gauge.levels import Thresholds

WORST_FIRST: Final = (
    SiteState.NOT_READ,
    SiteState.SILENT,
    SiteState.UNRELIABLE,
    SiteState.NEVER_COUNTED,
    SiteState.DEVICE_OFFLINE,
)
"""A site in none of these works."""
_MEANINGS: Final[Mapping[SiteState, str]] = {
    SiteState.SILENT: "Counts that usually come at this hour do not: its counter may be down.",
    SiteState.UNRELIABLE: "More people left than came: a door counts wrongly.",
    SiteState.NEVER_COUNTED: "No count has ever come from it.",
}


class SiteTrouble(NamedTuple):
    site: str
    """Its name; followed by the id where several share the name."""
    state: SiteState
    """The worst that it is in."""
    meaning: str
    measured_at: datetime | None
    """Start of its newest minute, UTC; None: not known, or there is none."""
    site_id: str = ""


def site_troubles(sites: Sequence[SiteSummary], reports: Mapping[str, SiteReport]) -> list[SiteTrouble]:
    """Those of `sites` that do not work; one that was not read yet is left out."""
    labels = distinct_labels({site.id: site.name for site in sites})
    states = states_of(reports, lambda _: Thresholds())
    found = [
        SiteTrouble(
            labels[site.id], worst, _meaning(worst, reports[site.id]), reports[site.id].measured_at, site.id
        )
        for site in sites
        if (worst := next((one for one in WORST_FIRST if one in states.get(site.id, ())), None))
    ]
    return sorted(found, key=_severity)


def troubles_table(troubles: Sequence[SiteTrouble]) -> pd.DataFrame:
    """Columns as the fields of `SiteTrouble` but the id, the state in words."""
    rows = [(one.site, WORDS[one.state].word, one.meaning, one.measured_at) for one in troubles]
    table = pd.DataFrame(rows, columns=list(SiteTrouble._fields[:-1]))
    return table.astype({"measured_at": "datetime64[us, UTC]"})


def troubles_words(troubles: Sequence[SiteTrouble], formats: Formats) -> str:
    """`no counts: 3, never counted: 20`: how many are in each state, the worst first."""
    often = Counter(one.state for one in troubles)
    return ", ".join(
        f"{WORDS[state].word.lower()}: {formats.number(often[state])}"
        for state in WORST_FIRST
        if often[state]
    )


def newest_count(reports: Mapping[str, SiteReport]) -> datetime | None:
    """Start of the newest minute of all sites, UTC; None: no count is known."""
    return max((one.measured_at for one in reports.values() if one.measured_at), default=None)


def _severity(trouble: SiteTrouble) -> tuple[int, float, str]:
    """The one of a kind whose counts ended first comes first."""
    since = trouble.measured_at.timestamp() if trouble.measured_at else 0.0
    return WORST_FIRST.index(trouble.state), since, trouble.site.casefold()


def _meaning(state: SiteState, report: SiteReport) -> str:
    offline = report.devices_offline
    devices = f"{offline} {'device is' if offline == 1 else 'devices are'} not online." if offline else ""
    return " ".join(filter(None, (one_line(report.failure), _MEANINGS.get(state), devices)))
