"""How often Trust names the right door, a wrong one or none, on sites drawn at random.

    python -m benchmarks.blamed_doors               300 sites
    python -m benchmarks.blamed_doors --sites 1000  more of them

Each counter misses one to five people in a hundred, each way another part. Of each site are judged: as it is,
and with each of its doors exchanged in turn, and with one that misses 10 to 70 % one way. Beside it stands
what the sums of days tell alone (`blames`), the named alternative. Right and wrong are of the door that
is named, as exchanged or as one that misses people; "balanced" is a door whose zones end their days within
2 % though it is exchanged.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from analysis.day_course import all_blames
from analysis.door_blame import Blame, Evidence, Way, blames
from tests.analysis.chance_site import drawn, evidence_of, ordinarily_missed
from tests.analysis.visited_site import visited

DAYS: Final = 14
_EVENLY: Final = 0.02
Judge = Callable[[Evidence], list[Blame]]
JUDGES: Final[Mapping[str, Judge]] = {"by sums of days": blames, "and by their course": all_blames}
SITES: Final = {"visited": visited, "passed through": drawn}


def verdict(found: list[Blame], culprit: Way | None) -> str:
    """What is said of a site of which `culprit` errs, and of which no door does where it is None."""
    named = [one for one in found if one.is_named]
    if any(one.ways != (culprit,) for one in named):
        return "wrong"
    if named:
        return "right"
    return "cannot tell" if found else "nothing said"


def _ends_evenly(evidence: Evidence, zone: str) -> bool:
    came = float(np.nansum(evidence.zones[zone].came))
    return abs(float(evidence.residues(zone).sum())) <= _EVENLY * came


def judged(number: int, kind: str) -> Counter[tuple[str, str, str]]:
    """What, by whom, which verdict -> how often."""
    told: Counter[tuple[str, str, str]] = Counter()
    for seed in range(number):
        site, chance = SITES[kind](seed, days=DAYS), np.random.default_rng(seed)
        missed = ordinarily_missed(site, chance)

        def note(what: str, culprit: Way | None, evidence: Evidence) -> None:
            for name, judge in JUDGES.items():
                told[what, name, verdict(judge(evidence), culprit)] += 1

        note("healthy", None, evidence_of(site.counted(missed=missed, chance=chance), DAYS))
        for way in site.ways:
            evidence = evidence_of(site.counted(swapped=frozenset({way}), missed=missed, chance=chance), DAYS)
            where = "outer" if way.other_id is None else "inner"
            is_balanced = all(_ends_evenly(evidence, zone) for zone in way.ends if zone in evidence.zones)
            note(f"{where} door exchanged{', balanced' if is_balanced else ''}", way, evidence)
        culprit = site.ways[int(chance.integers(len(site.ways)))]
        part = float(chance.uniform(0.1, 0.7))
        faulty = missed | {(culprit, bool(chance.random() < 0.5)): part}
        note("one way missed", culprit, evidence_of(site.counted(missed=faulty, chance=chance), DAYS))
    return told


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sites", type=int, default=300, help="how many of each kind")
    number = parser.parse_args().sites
    verdicts = ("right", "wrong", "cannot tell", "nothing said")
    for kind in SITES:
        told = judged(number, kind)
        print(f"\n{number} sites that are {kind}")
        print(f"{'':34}{'':22}" + "".join(f"{one:>15}" for one in verdicts))
        for what in sorted({what for what, _, _ in told}):
            for name in JUDGES:
                row = "".join(f"{told[what, name, one]:15}" for one in verdicts)
                print(f"{what:34}{name:22}{row}")


if __name__ == "__main__":
    main()
