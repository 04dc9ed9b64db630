from __future__ import annotations

from datetime import UTC, datetime, timedelta

from analysis.site_report import SiteReport
from components.number_format import Formats
from components.tables.site_troubles import newest_count, site_troubles, troubles_table, troubles_words
from contract import SiteSummary

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
FINE = SiteReport(NOW, 3, 10, NOW - timedelta(minutes=1))
OLD = NOW - timedelta(hours=2)
REPORTS = {
    "fine": FINE,
    "full": FINE._replace(inside=10),
    "device": FINE._replace(devices_offline=2),
    "never": SiteReport(NOW),
    "silent": FINE._replace(measured_at=OLD, silent_since=OLD, devices_offline=1),
    "longer": FINE._replace(measured_at=OLD - timedelta(days=1), silent_since=OLD),
    "wrong": FINE._replace(is_unreliable=True),
    "failed": SiteReport(NOW, failure="The service failed."),
}
SITES = [SiteSummary(id=id_, name=f"Shop {id_}") for id_ in [*REPORTS, "unread"]]


def test_sites_that_do_not_work_come_worst_first() -> None:
    found = site_troubles(SITES, REPORTS)
    assert [one.site.removeprefix("Shop ") for one in found] == [
        "failed", "longer", "silent", "wrong", "never", "device",
    ]  # fmt: skip
    assert found[0].meaning == "The service failed."
    assert found[2].meaning.endswith("may be down. 1 device is not online.")
    assert troubles_words(found, Formats()) == (
        "could not be read: 1, no counts: 2, unreliable: 1, never counted: 1, device not online: 1"
    )


def test_sites_of_one_name_are_told_apart_by_their_ids() -> None:
    twins = [SiteSummary(id=id_, name="Shop") for id_ in ("never", "failed")]
    assert [one.site for one in site_troubles(twins, REPORTS)] == ["Shop (failed)", "Shop (never)"]


def test_table_without_any_count_still_has_a_column_of_times() -> None:
    table = troubles_table(site_troubles(SITES[3:4], REPORTS))
    assert table["state"].tolist() == ["Never counted"]
    assert str(table["measured_at"].dtype).startswith("datetime64")


def test_newest_count_is_of_all_sites() -> None:
    assert newest_count(REPORTS) == NOW - timedelta(minutes=1)
    assert newest_count({"never": REPORTS["never"]}) is None
