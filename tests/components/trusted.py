"""Answers of Trust, made by hand for sentences, figures and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

from analysis.bucket_table import Completeness
from analysis.consistency import Consistency
from analysis.door_blame import Blame, Turned, Way
from analysis.residue import DayBalance, disagreement
from analysis.silent_doors import Silence
from analysis.subject import Subject, SubjectKind
from analysis.trust_answer import Began, Stopped, TrustAnswer, ZoneTrust

FIRST = date(2026, 11, 16)
"""A Monday."""
ALL = Completeness(1440, 1440)
FRONT, BACK = Way("front", "Front door", "hall", None), Way("back", "Back door", "hall", None)
ARCH = Way("arch", "Archway", "cafe", "hall")
NAMES = {"hall": "Hall", "cafe": "Café"}


def day(came: float, went: float, *, number: int = 0, counted: Completeness = ALL) -> DayBalance:
    """The highest number inside is a fifth of who came in."""
    return DayBalance(
        FIRST + timedelta(days=number), came, went, abs(came - went), came / 5, counted, counted == ALL
    )


def zone(name: str, days: Sequence[DayBalance], agreement: Consistency | None = None) -> ZoneTrust:
    """The site is the one called so."""
    own = tuple(one._replace(date=FIRST + timedelta(days=number)) for number, one in enumerate(days))
    counted = Completeness(sum(one.counted.present for one in own), sum(one.counted.expected for one in own))
    subject = Subject(SubjectKind.SITE if name == "Shop" else SubjectKind.ZONE, name.lower(), name)
    return ZoneTrust(subject, own, disagreement(own), counted, agreement)


def trusted(
    *zones: ZoneTrust,
    blames: Sequence[Blame] = (),
    silences: Sequence[Silence] = (),
    ranked: Sequence[Turned] = (),
    unknown: Sequence[Subject] = (),
    unread: Sequence[Way] = (),
    empty: Sequence[Subject] = (),
    stopped: Sequence[Stopped] = (),
    since: datetime | None = None,
    late: Sequence[Began] = (),
    passages: Mapping[Way, Completeness] | None = None,
    checked: Sequence[str] = ("hall",),
    days_judged: int = 7,
) -> TrustAnswer:
    return TrustAnswer(
        zones or (zone("Shop", [day(1000, 1000)] * 7),),
        tuple(unknown),
        tuple(empty),
        tuple(stopped),
        since,
        tuple(late),
        4,
        tuple(blames),
        tuple(silences),
        tuple(ranked),
        passages or {},
        tuple(unread),
        NAMES,
        tuple(checked),
        days_judged,
    )
