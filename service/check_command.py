"""`check`: holds what is derived from counts against the counts."""

from __future__ import annotations

from typing import Annotated

import typer

from contract.minutes import minute_start
from service.console import DataDir, fail, number_of, opened_store, say, settings_with
from service.store.checked import Difference


def check(
    repair: Annotated[
        bool, typer.Option("--repair", help="Make what is wrong again from the counts.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Hold all that is derived from counts against them, while a server runs, too.

    Without --repair it changes nothing.
    """
    with opened_store(settings_with(data_dir)) as store:
        found = list(store.metrics.check())
        wrong = [site for site in found if site.differences]
        for site in wrong:
            for one in site.differences:
                say(f"{site.site_id}, {_said(one)}")
        if wrong and not repair:
            fail("The counts themselves are whole: `python -m service check --repair` makes the rest again.")
        for site in wrong:
            store.metrics.repair(site.site_id)
            say(f"Made again what follows from the counts of {site.site_id}.")
    rows = sum(site.rows for site in found)
    if not wrong:
        say(f"All {rows:,} rows of {number_of(len(found), 'site')} follow from the counts.")


def _said(one: Difference) -> str:
    rows = f"{one.series}: {number_of(one.rows, 'row')} of {one.table}"
    if one.first is None:
        return f"{rows} too many or too few."
    return f"{rows} not as the counts say, the first of {minute_start(one.first).isoformat()}."
