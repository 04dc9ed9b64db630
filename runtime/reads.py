"""Reads for pages, cached for a moment: sites, one site, metrics, several queries at once.

What a page reads of sites is what whoever looks at it may see (`person_of_page`); caches are of everybody.
Where the service does not tell its sites now, pages go on with those it told last (`told_or_last`). No error
is cached, but for the pause that it asks for. How full a site is: `occupancies`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from math import inf
from time import monotonic
from typing import Final, NamedTuple, TypeVar

from api_client import ApiClientError, MetricsAnswer, NotFound
from contract import MetricPoint, MetricsQuery, Site, SiteSummary
from runtime.answers import Answers, lacking
from runtime.background import abandonment, counting, waited, waits
from runtime.cache import Cache
from runtime.cooldown import Cooldown
from runtime.person_of_page import sees, visible
from runtime.resources import get_client
from runtime.told_answer import ToldAnswer, told_answer
from runtime.told_or_last import Told, forget_refused, told_or_last
from runtime.turns import Turns
from runtime.upstream import Account, get_upstream

_SITES_AGE: Final = timedelta(seconds=30)
_SITE_AGE: Final = timedelta(seconds=60)
_MOST_QUERIES: Final = 2_000
"""A bound on memory; the oldest answers leave first."""
_MOST_POINTS: Final = 240_000
"""Likewise, of all answers together: some 75 MB. A year by the hour of eight zones has 195,000."""
_WAIT: Final = 1.0
"""Seconds for which an open page lacks a list that it had."""
_WHICH_SITES: Final = "which sites there are"
_AT_ONCE: Final = 6
"""Requests under way together for one page."""
_OF_A_SERVICE: Final = 12
"""Likewise for all pages, by `read_answers`."""
_SPARE: Final = 4
"""Of these, for pages that have none under way."""

Key = TypeVar("Key")
AskedOf = tuple[Account, str]
"""Of whom, and which query, as JSON."""


class ReportedSites(NamedTuple):
    sites: list[SiteSummary]
    reported_at: datetime
    """UTC."""
    is_last: bool = False
    """Whether it failed when it was asked again, so that these are those of before."""
    pause_until: datetime | None = None
    """Until when it is not asked again, since it asked for that, UTC."""


class KnownSites(NamedTuple):
    names: Mapping[str, str]
    """By id."""
    are_reported: bool
    """Whether the service tells any now."""


_sites: Final = Cache[Account, tuple[SiteSummary, ...]](_SITES_AGE, most=_MOST_QUERIES, keeps_old=True)
_last_sites: Final[dict[Account, ReportedSites]] = {}
"""The sites as they were reported last."""
_failing: Final[set[Account]] = set()
"""Accounts whose last query for the sites failed."""
_heard_again: Final[dict[Account, float]] = {}
"""When such a query worked for the first time after one that failed, in monotonic seconds."""
_zones: Final[dict[tuple[Account, str], dict[str, str]]] = {}
"""Zones of each site, as they were reported last: id -> name."""
_cooldowns: Final[defaultdict[Account, Cooldown]] = defaultdict(lambda: Cooldown(after=1))
"""Pauses that services ask for when they are asked for their sites; nobody asks them meanwhile."""
_site: Final = Cache[tuple[Account, str], Site](_SITE_AGE, most=_MOST_QUERIES, keeps_old=True)
_metrics: Final = Cache[AskedOf, ToldAnswer](
    lambda told: told.age, most=_MOST_POINTS, weigh=lambda told: told.weight
)


def read_sites(linked: Collection[str] = ()) -> list[SiteSummary]:
    """All sites the key can read and the person see, at most 30 s old, or those told last where the service
    fails or takes longer than a moment: if there were any, with all `linked` ids that the person may see, as
    one may have been added since.

    Raises ApiClientError where it told none such, or refuses the key.
    """
    account = get_upstream().account

    def has_linked(sites: tuple[SiteSummary, ...]) -> bool:
        # Of others it is not to be told, either, whether they are there.
        return bool(sites) and {site.id for site in sites}.issuperset(one for one in linked if sees(one))

    ask = partial(_ask_for_sites, account)
    return visible(told_or_last(_sites, account, ask, _WHICH_SITES, is_enough=has_linked).value)


def read_sites_now() -> list[SiteSummary]:
    """The same, never older than 30 s. Raises ApiClientError: without asking, what came last, as long as the
    service asks for a pause.
    """
    return visible(read_every_site())


def read_every_site() -> Sequence[SiteSummary]:
    """`read_sites_now`, whoever asks: not to be shown."""
    account = get_upstream().account
    return waited(lambda: _sites.get(account, lambda: _ask_for_sites(account)), _WHICH_SITES)


def heard_again_at() -> float:
    """When the service told its sites for the first time after it had failed to, in monotonic seconds; less
    than any moment: it never did.
    """
    return _heard_again.get(get_upstream().account, -inf)


def has_reported_sites() -> bool:
    """Whether the service in use has ever reported its sites."""
    return get_upstream().account in _last_sites


def reported_sites() -> ReportedSites:
    """`read_sites`, or the sites of before where the service fails or takes longer than a moment.

    Raises ApiClientError where it never did, or refuses the key.
    """
    reported = _reported_sites()
    return reported._replace(sites=visible(reported.sites))


def _reported_sites() -> ReportedSites:
    account = get_upstream().account
    before = _last_sites.get(account)
    if before is None:
        read_every_site()
        return _last_sites[account]
    try:
        _sites.begin(account, lambda: _ask_for_sites(account)).result(_WAIT)
    except (TimeoutError, CancelledError):
        return _as_of_last(account, before, is_last=account in _failing)
    except ApiClientError as error:
        if error.is_lasting:
            raise
        return _as_of_last(account, before, is_last=True)
    return _last_sites[account]


def _as_of_last(account: Account, before: ReportedSites, *, is_last: bool) -> ReportedSites:
    pause = _cooldowns[account].pause
    return before._replace(is_last=is_last, pause_until=pause.until if pause else None)


def _ask_for_sites(account: Account) -> tuple[SiteSummary, ...]:
    cooldown = _cooldowns[account]
    if pause := cooldown.pause:
        raise pause.not_asked()
    try:
        sites = tuple(get_client().sites())
    except ApiClientError as error:
        cooldown.failed(error, is_of_service=False)  # only what it asks for counts
        _failing.add(account)
        forget_refused(_sites, account, error)
        raise
    if account in _failing:
        _failing.discard(account)
        _heard_again[account] = monotonic()
    _last_sites[account] = ReportedSites(list(sites), datetime.now(UTC))
    return sites


def read_site(site_id: str, linked: Collection[str] = ()) -> Site:
    """One site with its topology, at most 60 s old, or as it was told last, as for `read_sites`, by its zones
    and passages. Raises ApiClientError, also where the person may not see it: as for a site that is none.
    """
    return told_site(site_id, linked).value


def told_site(site_id: str, linked: Collection[str] = ()) -> Told[Site]:
    """`read_site`, and how old it is where the service does not tell it now. Raises likewise."""
    if not sees(site_id):
        raise NotFound("You may not see this site here.", code="SITE_NOT_FOUND")
    asked = get_upstream().account, site_id
    ask, what = partial(_ask_for_site, *asked), "which zones and doors there are"
    return told_or_last(_site, asked, ask, what, is_enough=lambda site: site.place_ids.issuperset(linked))


def _ask_for_site(account: Account, site_id: str) -> Site:
    try:
        site = get_client().site(site_id)
    except ApiClientError as error:
        forget_refused(_site, (account, site_id), error)
        raise
    _zones[account, site_id] = {zone.id: zone.name for zone in site.zones}
    return site


def forget_sites() -> None:
    """Somebody has changed some here: pages ask for them anew, and do not go on with those of before."""
    _sites.forget()
    _site.forget()


def known_sites() -> KnownSites:
    """Names of all sites; after a moment the last known ones, if there are any."""
    account, are_reported = get_upstream().account, False
    try:
        are_reported = bool(_sites.begin(account, lambda: _ask_for_sites(account)).result(_WAIT))
    except (TimeoutError, CancelledError):
        # A long list takes its time.
        are_reported = account in _last_sites and account not in _failing and bool(_last_sites[account].sites)
    except ApiClientError:
        pass
    reported = _last_sites.get(account)
    sites = visible(reported.sites) if reported else ()
    return KnownSites({site.id: site.name for site in sites}, are_reported)


def zones_of(site_id: str) -> dict[str, str]:
    """Id -> name. Raises ApiClientError."""
    return {zone.id: zone.name for zone in read_site(site_id).zones}


def last_zones(site_id: str) -> dict[str, str]:
    """Id -> name, as the service reported them last, and none where it was never asked; asks nothing."""
    return _zones.get((get_upstream().account, site_id), {}) if sees(site_id) else {}


def read_metrics(query: MetricsQuery) -> MetricsAnswer:
    """The answer to a batch query, at most 20 s old; where its range is over and has counts, as long as
    that is believed (`analysis/belief.py`). Raises ApiClientError.
    """
    return _metrics.get(_asked(query), lambda: _ask_for_metrics(query)).answer


def known_answer(asked: AskedOf) -> MetricsAnswer | None:
    """What `read_metrics` gives without asking; None: it would ask."""
    told = _metrics.known(asked)
    return told.answer if told else None


def _asked(query: MetricsQuery) -> AskedOf:
    return get_upstream().account, query.model_dump_json()


def oldest_of(queries: Iterable[MetricsQuery]) -> timedelta:
    """How long ago the first of them was asked whose answer is remembered."""
    return max((_metrics.age(_asked(query)) for query in queries), default=timedelta())


def read_metrics_anew(query: MetricsQuery) -> MetricsAnswer:
    """The answer of now, for whoever waits for minutes that come late. Raises ApiClientError."""
    return get_client().metrics(query)


def _ask_for_metrics(query: MetricsQuery) -> ToldAnswer:
    client = get_client()
    asked_at = client.service_time
    return told_answer(query, client.metrics(query), asked_at)


def forget_answers(site_id: str | None) -> None:
    """What was counted is asked for anew, of this site alone where one is named."""
    account = get_upstream().account

    def is_meant(asked: AskedOf) -> bool:
        return asked[0] == account and site_id in (None, json.loads(asked[1])["site_id"])

    _metrics.forget(is_meant)


_turns: Final[dict[Account, Turns]] = {}


def read_points(queries: Mapping[Key, MetricsQuery], /) -> dict[Key, Sequence[MetricPoint]]:
    """`read_answers` without those that fail, for what can do without them."""
    return read_answers(queries).points


@waits("what was counted")
def read_answers(
    queries: Mapping[Key, MetricsQuery],
    *,
    read: Callable[[MetricsQuery], MetricsAnswer] = read_metrics,
    takes_part: bool = False,
) -> Answers[Key]:
    """The answer to each query as `read` gives it: unless another is given, as old as `read_metrics` allows.

    An answer that lacks days which the service cannot read now fails, unless the caller `takes_part` of one
    and says so. What fails for one leaves the others be. However many pages ask, a service gets a few
    questions at once, and what is known waits for no turn. Raises CancelledError, and asks no more, once
    nobody waits for what is read in the background.
    """
    if not queries:
        return Answers({}, {})
    is_abandoned, answered, page = abandonment(), counting(len(queries)), object()
    turns = _turns.setdefault(get_upstream().account, Turns(_OF_A_SERVICE, spare=_SPARE))

    def attempt(query: MetricsQuery) -> MetricsAnswer | ApiClientError:
        if is_abandoned():
            raise CancelledError
        if read is read_metrics and (known := known_answer(_asked(query))):
            return known
        try:
            with turns.turn(page, is_abandoned):
                return read(query)
        except ApiClientError as error:
            return error

    def counted(query: MetricsQuery) -> MetricsAnswer | ApiClientError:
        outcome = attempt(query)
        # An archive that is away is asked no more of, but for a shorter range.
        answered(not isinstance(outcome, ApiClientError) or getattr(outcome, "held_from", None) is not None)
        return outcome if takes_part or isinstance(outcome, ApiClientError) else lacking(outcome) or outcome

    with ThreadPoolExecutor(min(_AT_ONCE, len(queries)), thread_name_prefix="answers") as pool:
        outcomes = dict(zip(queries, pool.map(counted, queries.values()), strict=True))
    return Answers(
        {key: outcome for key, outcome in outcomes.items() if isinstance(outcome, MetricsAnswer)},
        {key: outcome for key, outcome in outcomes.items() if isinstance(outcome, ApiClientError)},
    )
