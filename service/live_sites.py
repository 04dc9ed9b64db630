"""Live sites: the newest value of each site of an organization, and which of them changed, for the streams
of `GET /live/sites`.

All of them share one `LiveSites` for their organization. It keeps what is told of each site as it is printed,
looks again at the sites that changed, and hands every stream what differs. A stream that waits for its reader
keeps the last that is to be told of each site: never more than there are sites.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Hashable, Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from weakref import WeakSet, WeakValueDictionary

from contract.latest_sites import LatestKind
from service.broadcast import Broadcast, ChangedSites
from service.envelope import print_json
from service.latest_values import ListedSite, devices_offline, latest_of_site, listed_sites
from service.live_series import SHORTEST_INTERVAL
from service.store.protocol import Store
from service.thread_pools import BoundedThreadPool

DEVICES_AGE: Final = timedelta(minutes=1)
"""How often it is looked which devices fell silent: nothing tells of that."""
_FEW: Final = 50
"""Sites that the event loop looks at by itself: some microseconds each."""

Printed = dict[str, bytes | None]
"""By site id, the object of kind `site`; None: the site is not listed any more."""


class Form(NamedTuple):
    """How objects follow one another."""

    media_type: str
    before: bytes
    after: bytes
    beat: bytes

    def framed(self, objects: Collection[bytes]) -> bytes:
        return b"".join(self.before + one + self.after for one in objects)


class SiteReading(NamedTuple):
    """How an organization's sites are read."""

    store: Store
    organization_id: str
    clock: Callable[[], datetime]
    listening_since: datetime

    def all(self) -> dict[str, ListedSite]:
        """Blocks."""
        return listed_sites(self.store, self.organization_id, self.clock(), self.listening_since)

    def at_once(self, site_id: str, known: ListedSite | None) -> ListedSite | None:
        """What memory holds of the site; raises LookupError where only the store can tell."""
        record = self.store.catalogue.find_at_once(site_id)
        if record is None:
            raise LookupError(site_id)
        if record.site.organization_id != self.organization_id or record.site.archived:
            return None
        if known is not None and known.record == record:
            return known
        raise LookupError(site_id)

    def one(self, site_id: str, known: ListedSite | None) -> ListedSite | None:
        """The site as it is listed; None: it is not. Blocks."""
        try:
            return self.at_once(site_id, known)
        except LookupError:
            record = self.store.catalogue.find(site_id)
        if record is None or record.site.archived or record.site.organization_id != self.organization_id:
            return None
        lines = self.store.sensors.of_site(site_id)
        return ListedSite(record, devices_offline(record, lines, self.clock(), self.listening_since))


class LiveSites:
    """The sites of one organization. What blocks runs in `pool`."""

    def __init__(self, changes: ChangedSites, reading: SiteReading, pool: BoundedThreadPool) -> None:
        self._changes = changes
        self._reading = reading
        self._pool = pool
        self._lock = asyncio.Lock()
        self._listed: dict[str, ListedSite] = {}
        self._readers: WeakSet[SitesReader] = WeakSet()
        self._read_at: float | None = None
        self._devices_at = 0.0
        """When all sites and their devices were read last."""
        self.printed: dict[str, bytes] = {}
        """What is told of each site that is listed."""

    def add(self, reader: SitesReader) -> None:
        """Hand this reader all that changes from now on."""
        self._readers.add(reader)

    async def catch_up(self) -> None:
        """Look at what changed since the last look. What fails is tried again by the next call."""
        async with self._lock:
            changed, is_due = self._changes.take(), self.is_due
            if not (changed or is_due):
                return
            try:
                listed, printed = await (self._all() if is_due else self._some(changed))
            except BaseException:
                self._changes.note(changed)
                raise
            self._merge(listed, printed)
            now = asyncio.get_running_loop().time()
            self._read_at, self._devices_at = now, now if is_due else self._devices_at

    def rest(self) -> float:
        """Seconds until it is time to look again: all streams wait for the same look."""
        if self._read_at is None:
            return 0.0
        return max(self._read_at + SHORTEST_INTERVAL - asyncio.get_running_loop().time(), 0.0)

    @property
    def is_due(self) -> bool:
        """Whether all sites are to be read, which no change asks for."""
        age = asyncio.get_running_loop().time() - self._devices_at
        return self._read_at is None or age >= DEVICES_AGE.total_seconds()

    async def _all(self) -> tuple[dict[str, ListedSite | None], Printed]:
        return await self._pool.run_patiently(self._reading.organization_id, self._read_all)

    async def _some(self, changed: Collection[str]) -> tuple[dict[str, ListedSite | None], Printed]:
        if len(changed) <= _FEW:
            try:
                return self._read(changed, self._reading.at_once)
            except LookupError:
                pass
        read = self._reading.one
        return await self._pool.run_patiently(self._reading.organization_id, self._read, changed, read)

    def _read_all(self) -> tuple[dict[str, ListedSite | None], Printed]:
        listed: dict[str, ListedSite | None] = dict.fromkeys(self._listed)
        listed |= self._reading.all()
        return listed, self._print(listed)

    def _read(
        self, changed: Collection[str], read: Callable[[str, ListedSite | None], ListedSite | None]
    ) -> tuple[dict[str, ListedSite | None], Printed]:
        listed = {site_id: read(site_id, self._listed.get(site_id)) for site_id in changed}
        return listed, self._print(listed)

    def _print(self, listed: Mapping[str, ListedSite | None]) -> Printed:
        metrics = self._reading.store.metrics
        return {
            site_id: None if site is None else print_json(latest_of_site(metrics, site))
            for site_id, site in listed.items()
        }

    def _merge(self, listed: Mapping[str, ListedSite | None], printed: Printed) -> None:
        changed = {site_id: text for site_id, text in printed.items() if self.printed.get(site_id) != text}
        for site_id, site in listed.items():
            text = printed[site_id]
            if site is None or text is None:
                self._listed.pop(site_id, None)
                self.printed.pop(site_id, None)
            else:
                self._listed[site_id], self.printed[site_id] = site, text
        if changed:
            for reader in self._readers:
                reader.take(changed)


class SitesReader:
    """What one stream still has to tell. `site_ids`: the only ones that its key reads; None: all."""

    def __init__(self, sites: LiveSites, site_ids: frozenset[str] | None, form: Form) -> None:
        self._sites = sites
        self._site_ids = site_ids
        self._form = form
        self._waiting: Printed = {}
        self._has_begun = False
        sites.add(self)

    def take(self, changed: Mapping[str, bytes | None]) -> None:
        """Keep these for the next `news`, instead of what was to be told of the same sites before."""
        self._waiting |= {site_id: text for site_id, text in changed.items() if self._reads(site_id)}

    async def news(self) -> bytes:
        """What changed since the last call; the first call tells all sites, and that these are all."""
        await self._sites.catch_up()
        waiting, self._waiting = self._waiting, {}
        if self._has_begun:
            return self._form.framed([text or _gone(site_id) for site_id, text in waiting.items()])
        self._has_begun = True
        told = [text for site_id, text in self._sites.printed.items() if self._reads(site_id)]
        complete = print_json({"kind": LatestKind.COMPLETE, "sites": len(told)})
        return self._form.framed([*told, complete])

    def rest(self) -> float:
        """Seconds to wait before `news`: 0 when another stream's look has brought some."""
        return 0.0 if self._waiting else self._sites.rest()

    @property
    def is_due(self) -> bool:
        # What another stream's look has brought, which no commit told of, is this one's news, too.
        return bool(self._waiting) or self._sites.is_due

    def _reads(self, site_id: str) -> bool:
        return self._site_ids is None or site_id in self._site_ids


class LiveSitesPool:
    """What open streams share, by organization; it ends with the last stream that reads it."""

    def __init__(
        self,
        store: Store,
        broadcast: Broadcast,
        clock: Callable[[], datetime],
        listening_since: datetime,
        pool: BoundedThreadPool,
    ) -> None:
        self._store = store
        self._broadcast = broadcast
        self._clock = clock
        self._listening_since = listening_since
        self._pool = pool
        self._sites: WeakValueDictionary[Hashable, LiveSites] = WeakValueDictionary()

    async def reader(self, organization_id: str, site_ids: frozenset[str] | None, form: Form) -> SitesReader:
        """A reader of all that is committed from now on."""
        sites = self._sites.get(organization_id)
        if sites is None:
            reading = SiteReading(self._store, organization_id, self._clock, self._listening_since)
            sites = self._sites[organization_id] = LiveSites(self._broadcast.watch_all(), reading, self._pool)
        await sites.catch_up()
        return SitesReader(sites, site_ids, form)


def _gone(site_id: str) -> bytes:
    return print_json({"kind": LatestKind.GONE, "siteId": site_id})
