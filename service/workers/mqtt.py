"""Counters that report by way of a broker, over MQTT: what it sends is acknowledged once it is on disk.

Until then the broker keeps it, whatever happens here, and sends it again over the next connection. So nothing
is lost that reached the broker; and what was stored but not acknowledged is known when it comes again.

Messages are taken one by one, in the order in which they come: running totals need it. While the store fails,
the first of them waits and is tried again. One that nothing can be read of would come for ever, so it is
acknowledged all the same; the log says why, once for each topic.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import structlog

from contract import shortened
from service.application_state import ApplicationState
from service.counter_feed import CounterFeed
from service.counter_topics import MAKER, maker_of, reading_of
from service.kept_mapping import adapter_of
from service.mqtt_settings import MqttSettings
from service.sensors.told_count import ReportError
from service.store.errors import StoreError, WaitingListFullError
from service.taken_report import take_report
from service.thread_pools import PoolFullError
from service.workers.broker_connection import IN_FLIGHT, BrokerConnection, Delivery

_MOST_HELD: Final = IN_FLIGHT // 2
"""Messages of lines that cannot keep more: all others come through what is left of the window."""
_HELD_FOR: Final = 5.0
"""Seconds until they are tried again."""
_SHORTEST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 30.0
"""Seconds between two attempts to store a message, which double; and to find the organization."""
_MOST_TOPICS: Final = 1_000
"""Of which it is remembered that the log has said why nothing is read of them."""


class MqttWorker:
    """A session with a broker."""

    name = "mqtt"
    unready = None

    def __init__(self, settings: MqttSettings) -> None:
        self._settings = settings
        self._log = structlog.get_logger("service.workers.mqtt")
        self._waiting: asyncio.Queue[Delivery] = asyncio.Queue()
        self._held: list[Delivery] = []
        self._turn = asyncio.Lock()
        self._said: dict[str, str] = {}
        """Topic -> why the last message of it told nothing."""

    async def start(self, state: ApplicationState) -> None:
        self._state = state
        self._feed = CounterFeed(since=state.clock())
        state.feeds[self.name] = self._feed
        largest = state.settings.ingest_body_limit
        self._connection = BrokerConnection(self._settings, largest, state.clock, self)
        self._task = asyncio.create_task(self._run(), name=self.name)

    async def stop(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    def connected(self, *, is_resumed: bool) -> None:
        self._feed.connected(self._state.clock())
        session = "resumed" if is_resumed else "new: what came before is not in it"
        self._log.info("broker connected", broker=self._settings.broker, session=session)

    def disconnected(self, reason: str) -> None:
        self._held.clear()
        self._feed.held = 0
        if self._feed.disconnected(reason, self._state.clock()):
            self._log.warning(
                "broker not connected, trying again", broker=self._settings.broker, reason=reason
            )

    def subscribed(self, faults: str) -> None:
        told = f"topics are not read as they have to be, at least once: {faults}" if faults else ""
        if self._feed.subscribed(told):
            self._log.error("broker refuses topics", broker=self._settings.broker, reason=faults)

    def arrived(self, delivery: Delivery) -> None:
        self._waiting.put_nowait(delivery)

    async def _run(self) -> None:
        try:
            await self._find_organization()
            self._say_unknown()
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._connection.last())
                tasks.create_task(self._take_all())
                tasks.create_task(self._try_held())
        except Exception:  # noqa: BLE001 - the worker's edge: the service serves on
            self._log.exception("reading from the broker has ended")
            self.disconnected("reading from it has ended; the log says why")

    async def _find_organization(self) -> None:
        """Return when the store has it: what came before could be kept for nobody."""
        own = self._settings.organization
        for pause in _pauses():
            with suppress(StoreError):  # the store's own log line says why, once
                known = await asyncio.to_thread(self._state.store.catalogue.organizations)
                if own in {one.id for one in known}:
                    return
                self.disconnected(f"there is no organization {own!r} yet: import its sites")
            await asyncio.sleep(pause)

    def _say_unknown(self) -> None:
        """At the start: of a slip in a rule messages would tell only as they are lost."""
        for rule in self._settings.topics:
            if rule.maker == MAKER:
                continue
            try:
                adapter_of(self._state.store.mappings, self._settings.organization, rule.maker)
            except (ReportError, StoreError) as error:
                self._log.warning("nothing can be read yet", topics=rule.topic_filter, reason=str(error))

    async def _take_all(self) -> None:
        while True:
            delivery = await self._waiting.get()
            await self._take(delivery)
            self._connection.let_go(delivery)

    async def _take(self, delivery: Delivery) -> None:
        """Until it is stored, refused or held, or comes again over another connection."""
        async with self._turn:
            await self._take_in_turn(delivery)

    async def _take_in_turn(self, delivery: Delivery) -> None:
        own, rules, topic = self._settings.organization, self._settings.topics, delivery.topic
        for pause in _pauses():
            if not self._connection.is_current(delivery):
                return
            try:
                adapter = adapter_of(self._state.store.mappings, own, maker_of(rules, topic))
                await take_report(
                    self._state,
                    own,
                    adapter.maker,
                    reading_of(adapter, topic),
                    body=delivery.payload,
                    arrived=delivery.arrived,
                    is_mapped=adapter.is_mapped,
                )
            except ReportError as error:
                self._refuse(delivery, str(error))
            except WaitingListFullError as error:
                self._hold(delivery, str(error))
            except (StoreError, PoolFullError) as error:
                self._tell_stored(str(error))
                await asyncio.sleep(pause)
                continue
            except Exception:  # noqa: BLE001 - one message must not keep out all others
                self._log.exception("broker message not understood", topic=shortened(topic))
                self._refuse(delivery, "it could not be taken; the traceback above says where")
            else:
                self._tell_stored("")
                self._said.pop(shortened(topic), None)
                self._feed.taken += 1
                self._done(delivery)
            return

    def _refuse(self, delivery: Delivery, reason: str) -> None:
        self._feed.refused += 1
        self._say("report refused", delivery, reason)
        self._done(delivery)

    def _done(self, delivery: Delivery) -> None:
        self._connection.acknowledge(delivery)
        if delivery in self._held:
            self._held.remove(delivery)
            self._feed.held = len(self._held)

    def _say(self, event: str, delivery: Delivery, reason: str) -> None:
        topic = shortened(delivery.topic)
        if self._said.pop(topic, None) != reason:
            self._log.warning(event, topic=topic, reason=reason)
        self._said[topic] = reason
        if len(self._said) > _MOST_TOPICS:
            del self._said[next(iter(self._said))]

    def _hold(self, delivery: Delivery, reason: str) -> None:
        """Leave it with the broker, as far as that leaves room for others."""
        if delivery in self._held:
            return
        if not delivery.is_kept or len(self._held) >= _MOST_HELD:
            self._refuse(delivery, reason)
            return
        self._say("report left with the broker", delivery, reason)
        self._held.append(delivery)
        self._feed.held = len(self._held)

    async def _try_held(self) -> None:
        while True:
            await asyncio.sleep(_HELD_FOR)
            for delivery in tuple(self._held):
                await self._take(delivery)

    def _tell_stored(self, trouble: str) -> None:
        if trouble and not self._feed.not_stored:
            self._log.warning("reports not stored, trying again", reason=trouble)
        elif self._feed.not_stored and not trouble:
            self._log.info("reports stored again")
        self._feed.not_stored = "reports cannot be stored; the log says why" if trouble else ""


def _pauses() -> Iterator[float]:
    """Seconds, without end."""
    pause = _SHORTEST_PAUSE
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE)
