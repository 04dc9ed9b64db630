"""What laying out a site's graph costs as the site grows, against what its size alone would make it cost.

    python -m benchmarks.site_graph                  5, 10, 20 and 30 zones with 1.5 passages each, and 200
    python -m benchmarks.site_graph --zones 25 400   other sizes

Counted is the processor time of this process from the site to all that a browser gets, for every width. The
page draws only what is legible and lists the rest.
"""

from __future__ import annotations

import argparse
import time

from analysis.zone_graph import zone_graph
from tests.wide_site import wide_site

ROUNDS = 5


def seconds(zones: int) -> float:
    """Of the fastest of a few rounds."""
    site = wide_site(zones, 3 * zones // 2)
    rounds = []
    for _ in range(ROUNDS):
        zone_graph.cache_clear()
        started = time.process_time()
        zone_graph(site)
        rounds.append(time.process_time() - started)
    return min(rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--zones", type=int, nargs="+", default=[5, 10, 20, 30, 200])
    sizes = parser.parse_args().zones
    seconds(sizes[0])
    first = seconds(sizes[0])
    for zones in sizes:
        taken = seconds(zones)
        drawn = "drawn" if zone_graph(wide_site(zones, 3 * zones // 2)).drawings else "listed by the page"
        print(
            f"{zones:5} zones, {3 * zones // 2:5} passages   {1000 * taken:7.1f} ms   "
            f"{taken / first:6.1f} times the first, {zones / sizes[0]:5.1f} times its size   {drawn}"
        )


if __name__ == "__main__":
    main()
