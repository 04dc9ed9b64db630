"""A cluster on this machine.

python -m benchmarks.cluster                     put up, counted at and shown until Ctrl-C: `make cluster`
python -m benchmarks.cluster kills               each part killed ten times, and what that costs
python -m benchmarks.cluster kills --rounds 1 --sites 20 --only "service 1" NATS
"""

from __future__ import annotations

import argparse
import signal
import tempfile
import threading
import webbrowser
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from benchmarks.cluster.load import COUNTERS, loaded
from benchmarks.cluster.parts import Cluster, running_cluster
from benchmarks.cluster.rounds import survive, table


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=("show", "kills"), default="show")
    parser.add_argument("--sites", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=10, help="of each part")
    parser.add_argument("--only", nargs="+", default=[], help="names of parts that are killed")
    parser.add_argument("--seed", type=int, default=11)
    asked = parser.parse_args()
    if asked.sites < COUNTERS:
        parser.error(f"--sites: {COUNTERS} at least, one for each counter that posts")
    # `make` and a closed terminal end it as Ctrl-C does: with all that it has started.
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.default_int_handler)
    # Ended while it is put up, or shown: all that was started goes with the block.
    with (
        suppress(KeyboardInterrupt),
        tempfile.TemporaryDirectory(prefix="headroom-cluster-", ignore_cleanup_errors=True) as folder,
        running_cluster(Path(folder), sites=asked.sites, tell=_tell) as cluster,
    ):
        if asked.what == "show":
            _show(cluster, asked.seed)
        else:
            parts = tuple(part for part in cluster.parts if not asked.only or part.name in asked.only)
            found, compared = survive(
                replace(cluster, parts=parts), rounds=asked.rounds, seed=asked.seed, tell=_tell
            )
            print(table(found, compared))


def _show(cluster: Cluster, seed: int) -> None:
    with loaded(cluster, seed):
        _tell(f"The dashboard: {cluster.dashboards_url}")
        _tell(f"The API:       {cluster.services_url}/v3, key {cluster.chain.read_key}")
        _tell("Ctrl-C ends all of it.")
        webbrowser.open(cluster.dashboards_url)
        threading.Event().wait()


def _tell(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
