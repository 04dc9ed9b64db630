"""What drawing a site's graph costs as the site grows, against what its size alone would make it cost.

    python -m benchmarks.site_graph                  25, 50, 100 and 200 zones with four passages each
    python -m benchmarks.site_graph --zones 25 400   other sizes

Counted is the processor time of this process from the site to the text that a browser gets: layout, figure
and JSON. The page draws only what is legible and lists the rest; here every size is drawn.
"""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime

from plotly.io import to_json

from components.figures.zone_graph import is_legible, zone_graph
from components.number_format import Formats
from components.tables.zone_values import ZoneValue
from components.theme import Thresholds
from tests.wide_site import wide_site

PASSAGES_A_ZONE = 4
ROUNDS = 5


def seconds(zones: int) -> float:
    """Of the fastest of a few rounds."""
    site = wide_site(zones, PASSAGES_A_ZONE * zones)
    values = {zone.id: ZoneValue(7, datetime.now(UTC)) for zone in site.zones}
    rounds = []
    for _ in range(ROUNDS):
        started = time.process_time()
        to_json(zone_graph(site, values, Thresholds(), theme="light", formats=Formats()), validate=False)
        rounds.append(time.process_time() - started)
    return min(rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--zones", type=int, nargs="+", default=[25, 50, 100, 200])
    sizes = parser.parse_args().zones
    seconds(sizes[0])
    first = seconds(sizes[0])
    for zones in sizes:
        taken = seconds(zones)
        drawn = "drawn" if is_legible(wide_site(zones, PASSAGES_A_ZONE * zones)) else "listed by the page"
        print(
            f"{zones:5} zones, {PASSAGES_A_ZONE * zones:5} passages   {1000 * taken:7.1f} ms   "
            f"{taken / first:6.1f} times the first, {zones / sizes[0]:5.1f} times its size   {drawn}"
        )


if __name__ == "__main__":
    main()
