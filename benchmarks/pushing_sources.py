"""Counters that send one report after another: over HTTP each until it is acknowledged, or to a broker."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Final

import httpx

from benchmarks.acknowledged import Acknowledged
from benchmarks.mounted_counters import PATIENCE
from benchmarks.simulated_counters import MINUTE, Sent, SimulatedCounter
from tests.running_mosquitto import RunningMosquitto

PAUSE: Final = 0.05
"""Seconds until a counter tries again, and between two reports that nobody answers."""
MOST_REPORTS: Final = 28 * 24 * 60


class Source(threading.Thread):
    """Sends one report after another until it is told to stop, and then ends the one it is at."""

    def __init__(self, counter: SimulatedCounter, means: str, oracle: Acknowledged, start: datetime) -> None:
        super().__init__(name=counter.serial)
        self.counter, self.means = counter, means
        self._oracle, self._start = oracle, start
        self.stop = threading.Event()
        self.acknowledged = self.again = self.known = 0
        self._fault: BaseException | None = None

    def run(self) -> None:
        try:
            self.send_all()
        except BaseException as error:  # noqa: BLE001 - raised where the thread is joined
            self._fault = error

    def send_all(self) -> None:
        raise NotImplementedError

    def end(self) -> None:
        """Return when the report that it is at is acknowledged. Raises what it failed for."""
        self.stop.set()
        self.join()
        if self._fault:
            raise self._fault

    def next_sent(self) -> Iterator[Sent]:
        for index in range(MOST_REPORTS):
            if self.stop.is_set():
                return
            yield self.counter.next_report(self._start + index * MINUTE, 1)

    def note(self, sent: Sent) -> None:
        self._oracle.add(self.counter, sent)
        self.acknowledged += 1


class HttpSource(Source):
    def post_to(self, address: str, key: str) -> None:
        self._address, self._key = address, key
        self.start()

    def send_all(self) -> None:
        with httpx.Client(
            base_url=self._address, headers={"x-api-key": self._key}, timeout=PATIENCE
        ) as client:
            for sent in self.next_sent():
                self._send(client, sent)
                self.note(sent)

    def _send(self, client: httpx.Client, sent: Sent) -> None:
        is_again = False
        while True:
            try:
                answer = client.post(sent.path, content=sent.body, headers=sent.headers)
            except httpx.TransportError:
                pass
            else:
                if answer.status_code == httpx.codes.OK:
                    self.known += is_again and bool(answer.json()["data"].get("duplicate"))
                    return
                assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE, answer.text
            is_again = True
            self.again += 1
            time.sleep(PAUSE)


class MqttSource(Source):
    def publish_to(self, broker: RunningMosquitto) -> None:
        self._broker = broker
        self.start()

    def send_all(self) -> None:
        with self._broker.counter(name=self.counter.serial) as client:
            for sent in self.next_sent():
                client.report(f"headroom/{self.counter.way}/{self.counter.serial}", sent.body)
                self.note(sent)
                time.sleep(PAUSE)
