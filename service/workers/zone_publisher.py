"""Publishes how many are inside each zone, over MQTT, for Home Assistant and whoever else reads it.

What the broker is to keep is worked out site by site when something of the site changes, or its numbers grow
old; once a second it is told what differs from what it was told over this connection. A broker that comes
back and a Home Assistant that begins are told all of it. That the service is there is said after the rest:
what the broker kept meanwhile is old until it was replaced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import structlog

from contract import DEFAULT_TIMEZONE, MetricKey, Zone, listed, quoted
from contract.minutes import MINUTE, minute_number, minute_start
from service.application_state import ApplicationState
from service.mqtt_settings import MqttSettings
from service.store.errors import StoreError
from service.store.protocol import SiteRecord
from service.store.topology import reset_minutes
from service.workers.publishing_link import STATUS_KEPT, Message, PublishingLink
from service.zone_feed import ZoneFeed
from service.zone_sensors import AVAILABLE, UNAVAILABLE, configurations, state_of, zone_id

_INTERVAL: Final = 1.0
"""Seconds between two messages of one topic, at least."""
_AT_ONCE: Final = 100
"""Messages until others have their turn, and after which it is waited: whoever reads must keep up."""
_BREATH: Final = 0.05
_SHORTEST_PAUSE: Final = 2.0
_LONGEST_PAUSE: Final = 60.0
"""Seconds between two readings of all sites: after a change, and without one that was heard of."""
_ALIVE_INTERVAL: Final = STATUS_KEPT / 3
_ANY_MINUTE: Final = 0
_FOR_EVER: Final = datetime.max.replace(tzinfo=UTC)
_NOTHING: Final = Message(b"")
_EXPIRES: Final = Message(b"", 0)
"""What was told before is left to the broker, which soon forgets it: emptied, it would be news to readers."""


class Told(NamedTuple):
    """All that the broker is to keep of a site."""

    messages: Mapping[str, Message]
    """By topic, in the order in which they are told."""
    old_at: datetime = _FOR_EVER
    """When the next number of it is old."""
    zones: int = 0
    unavailable: int = 0


class ZonePublisher:
    """A session with a broker."""

    name = "mqtt-out"
    unready = None

    def __init__(self, settings: MqttSettings) -> None:
        self._settings = settings
        self._topics = settings.published
        self._log = structlog.get_logger("service.workers.zone_publisher")
        self._sites: dict[str, SiteRecord] = {}
        self._told: dict[str, Told] = {}
        """Site id -> what the broker is to keep of it."""
        self._kept: dict[str, Message] = {}
        """The same of all sites, by topic."""
        self._unsent: dict[str, None] = {}
        """Topics of which the broker has not been told what it is to keep."""
        self._again: dict[str, None] = {}
        """Topics that are told once more after the next time."""
        self._changed: set[str] = set()
        """Sites."""
        self._are_sites_changed = True
        self._read_at: float | None = None
        self._alive_at = 0.0
        self._connection = 0
        """Which since the start."""

    async def start(self, state: ApplicationState) -> None:
        self._state = state
        self._loop = asyncio.get_running_loop()
        self._feed = ZoneFeed(since=state.clock())
        state.feeds[self.name] = self._feed
        self._link = PublishingLink(self._settings, self)
        self._remove_listener = state.store.metrics.add_listener(self._hear)
        self._task = asyncio.create_task(self._run(), name=self.name)

    async def stop(self) -> None:
        self._remove_listener()
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    def connected(self, *, is_resumed: bool) -> None:  # noqa: ARG002 - nothing of a session is kept
        self._feed.connected(self._state.clock())
        self._connection += 1
        self._log.info("broker connected", broker=self._settings.broker)
        self._tell_all()

    def disconnected(self, reason: str) -> None:
        if self._feed.disconnected(reason, self._state.clock()):
            self._log.warning(
                "broker not connected, trying again", broker=self._settings.broker, reason=reason
            )

    def subscribed(self, faults: str) -> None:
        told = f"what is published is not read back: {faults}" if faults else ""
        if self._feed.subscribed(told):
            self._log.error("broker refuses topics", broker=self._settings.broker, reason=faults)

    def left_behind(self, topic: str) -> None:
        # Before sites are read nobody knows what is to stay.
        if topic != self._topics.status and topic not in self._kept:
            self._unsent[topic] = None

    def home_assistant_began(self) -> None:
        self._tell_all()

    def _hear(self, first_minutes: Mapping[str, int]) -> None:
        """In whichever thread has committed."""
        with suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(self._note, dict(first_minutes))

    def _note(self, first_minutes: Mapping[str, int]) -> None:
        self._changed.update(first_minutes)
        if _ANY_MINUTE in first_minutes.values():
            self._are_sites_changed = True

    def _tell_all(self) -> None:
        self._unsent |= dict.fromkeys(self._kept)
        self._alive_at = 0.0

    async def _run(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._link.last())
                tasks.create_task(self._publish_all())
        except Exception:  # noqa: BLE001 - the worker's edge: the service serves on
            self._log.exception("publishing has ended")
            self.disconnected("publishing has ended; the log says why")

    async def _publish_all(self) -> None:
        while True:
            try:
                await self._read_sites()
            except StoreError:
                # The store's own log line says why, once. Numbers grow old meanwhile, and are told to be.
                self._feed.not_read = "sites cannot be read; the log says why"
            await self._look()
            if self._read_at is not None:
                await self._publish()
            await asyncio.sleep(_INTERVAL)

    async def _read_sites(self) -> None:
        now = self._loop.time()
        pause = _SHORTEST_PAUSE if self._are_sites_changed else _LONGEST_PAUSE
        if self._read_at is not None and now < self._read_at + pause:
            return
        wanted = self._settings.publish_sites
        self._are_sites_changed = False
        try:
            records = await asyncio.to_thread(self._records)
        except StoreError:
            self._are_sites_changed = True
            raise
        self._feed.not_read = ""
        if records is None:
            # Of a store that is not the right one nothing follows, least of all that zones are gone.
            self._feed.not_there = f"there is no organization {self._settings.organization!r} yet"
            return
        self._read_at = now
        there = {record.site.id: record for record in records if not record.site.archived}
        self._say_missing(sorted(set(wanted) - there.keys()))
        sites = {site_id: one for site_id, one in there.items() if not wanted or site_id in wanted}
        self._changed |= {site_id for site_id, one in sites.items() if self._sites.get(site_id) != one}
        for site_id in self._sites.keys() - sites.keys():
            self._replace(site_id, None)
        self._sites = sites

    def _records(self) -> list[SiteRecord] | None:
        """Of the organization; None where there is none. Blocks. Raises StoreError."""
        own, catalogue = self._settings.organization, self._state.store.catalogue
        is_known = own in {one.id for one in catalogue.organizations()}
        return catalogue.all_sites(own) if is_known else None

    def _say_missing(self, missing: list[str]) -> None:
        """Once, until others are missing."""
        told = f"no such sites: {listed([quoted(one) for one in missing])}" if missing else ""
        if told and told != self._feed.not_there:
            self._log.warning("sites that are to be published are not there", sites=missing)
        self._feed.not_there = told

    async def _look(self) -> None:
        """Work out again what the broker is to keep of sites that changed, or of which a number is old."""
        now = self._state.clock()
        self._changed |= {site_id for site_id, told in self._told.items() if told.old_at <= now}
        for number, site_id in enumerate(self._changed & self._sites.keys()):
            self._changed.discard(site_id)
            try:
                self._replace(site_id, self._worked_out(self._sites[site_id], now))
            except Exception:  # noqa: BLE001 - one site must not keep out all others
                self._log.exception("site not published", site=site_id)
                self._replace(site_id, _without_numbers(self._told.get(site_id)))
            if number % _AT_ONCE == _AT_ONCE - 1:
                await asyncio.sleep(0)
        self._feed.zones = sum(told.zones for told in self._told.values())
        self._feed.unavailable = sum(told.unavailable for told in self._told.values())

    def _replace(self, site_id: str, told: Told | None) -> None:
        before = self._told.pop(site_id, None)
        were, are = before.messages if before else {}, told.messages if told else {}
        if told:
            self._told[site_id] = told
        gone = were.keys() - are.keys()
        for topic in gone:
            del self._kept[topic]
        self._kept.update(are)
        differs = [topic for topic, message in are.items() if were.get(topic) != message]
        if not all(map(self._topics.is_read, differs)):
            # Home Assistant takes no number for young that came before a new configuration was taken in.
            self._again |= dict.fromkeys(filter(self._topics.is_read, are))
        # Configurations first: what is taken away is read by nobody any more.
        self._unsent |= dict.fromkeys([*differs, *sorted(gone, key=self._topics.is_read)])

    def _worked_out(self, record: SiteRecord, now: datetime) -> Told:
        site = record.site
        made = configurations(self._topics, site, self._settings.publish_silence)
        messages = {topic: Message(payload) for topic, payload in made.items()}
        next_old, unavailable = _FOR_EVER, 0
        for zone in site.zones:
            own = zone_id(site, zone)
            number, minute, old_at = self._number(record, zone)
            is_told = number is not None and old_at > now
            if number is not None and is_told:
                next_old = min(next_old, old_at)
                kept = max(int((old_at - minute).total_seconds()), 1)
                messages[self._topics.state(own)] = Message(state_of(zone, number, minute), kept)
            else:
                unavailable += 1
                messages[self._topics.state(own)] = _EXPIRES
            messages[self._topics.availability(own)] = Message(AVAILABLE if is_told else UNAVAILABLE)
        return Told(messages, next_old, len(site.zones), unavailable)

    def _number(self, record: SiteRecord, zone: Zone) -> tuple[int | float | None, datetime, datetime]:
        """How many are inside, of which minute that is, and from when on it is old."""
        newest = self._state.store.metrics.newest(
            record.site.id, zone_ids=(zone.id,), metrics=(MetricKey.VISITORS_INSIDE,)
        )
        if newest is None:
            return None, _FOR_EVER, _FOR_EVER
        minute, timezone = minute_number(newest.start), ZoneInfo(record.site.timezone or DEFAULT_TIMEZONE)
        # After a daily reset nothing is known of the new day until something is counted.
        reset = minute_start(reset_minutes(minute, minute, timezone, record.daily_reset_hour)[1])
        old_at = min(newest.start + MINUTE + self._settings.publish_silence, reset)
        return newest.values.get(MetricKey.VISITORS_INSIDE), newest.start, old_at

    async def _publish(self) -> None:
        """What the broker was not told, and then that the service is there."""
        connection = self._connection
        unsent, self._unsent, self._again = self._unsent, self._again, {}
        for number, topic in enumerate(unsent):
            if connection != self._connection or not self._feed.is_connected:
                return  # over the next connection all of it is told
            if (message := self._kept.get(topic, _NOTHING)) is not _EXPIRES:
                self._link.publish(topic, message)
            if number % _AT_ONCE == _AT_ONCE - 1:
                await asyncio.sleep(_BREATH)
        if self._feed.is_connected and self._loop.time() >= self._alive_at:
            self._link.tell_alive()
            self._alive_at = self._loop.time() + _ALIVE_INTERVAL


def _without_numbers(told: Told | None) -> Told:
    """The same sensors, none of them available."""
    before = told.messages if told else {}
    messages = {
        topic: Message(UNAVAILABLE) if message.payload == AVAILABLE else message
        for topic, message in before.items()
    }
    return Told(messages, zones=told.zones, unavailable=told.zones) if told else Told({})
