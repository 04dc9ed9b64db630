"""`python -m runtime.service_moved FROM TO`: what is kept of a service's sites is of its address, and this
takes it along to another one, as when one service becomes several behind a proxy.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Final

from keeping import Place, SharedDatabase
from keeping.moving import MoveError, hand_over
from runtime.migrate_store import KEPT, tables_of
from runtime.settings import get_settings
from runtime.upstream import EMBEDDED, digest_of_service

_USAGE: Final = f"""usage: python -m runtime.service_moved FROM TO
Takes thresholds, opening hours, notes, targets and what else is kept of a service's sites along when the
service has another address. FROM and TO are what HEADROOM_BASE_URL was and is; {EMBEDDED}: the service that
the dashboard starts by itself. It works on what the dashboard's settings name (HEADROOM_DATA_DIR,
HEADROOM_DASHBOARD_STORE), also while dashboards run. What is kept of TO already is not replaced.
"""
_OWNER: Final = "service"
"""The column by which something is kept of a service."""


def main(arguments: list[str]) -> int:
    """The exit code."""
    if len(arguments) != 2 or any(one.startswith("-") for one in arguments):  # noqa: PLR2004 - FROM and TO
        sys.stderr.write(_USAGE)
        return 2
    try:
        with ExitStack() as stack:
            for line in _handed_over(_place(stack), *map(digest_of_service, arguments)):
                sys.stdout.write(f"{line}\n")
    except (MoveError, OSError, ValueError) as error:
        sys.stderr.write(f"Not done, or not all of it. {error}\n")
        return 1
    return 0


def _place(stack: ExitStack) -> Place:
    settings = get_settings()
    if settings.dashboard_store is None:
        return settings.data_dir
    return stack.enter_context(closing(SharedDatabase(settings.dashboard_store.get_secret_value())))


def _handed_over(place: Place, old: str, new: str) -> Iterator[str]:
    """Raises MoveError, where nothing is kept of the old one, too."""
    total = 0
    for kept in KEPT:
        if not any(_OWNER in table.columns for table in kept.tables.sorted_tables):
            continue
        moved, left = hand_over(tables_of(place, kept), kept.tables, _OWNER, old, new)
        stayed = f"; {left} stay with the old address, as the new one has its own" if left else ""
        yield f"{kept.what}: {moved} moved{stayed}."
        total += moved + left
    if not total:
        raise MoveError(
            f"Nothing is kept of the first address: give what HEADROOM_BASE_URL was, or {EMBEDDED} where"
            " there was none; and the dashboard's own HEADROOM_DATA_DIR or HEADROOM_DASHBOARD_STORE."
        )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
