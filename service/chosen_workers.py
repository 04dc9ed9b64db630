"""The workers that settings and options of `serve` ask for; libraries are loaded for these alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from service.mqtt_settings import read_mqtt_settings
from service.nats_settings import read_nats_settings
from service.workers.worker import Worker


def chosen_workers(*, demo: bool, pull: Path | None) -> list[Worker]:
    """In the order in which they are started. Raises SettingsError."""
    return [*_demo(is_asked=demo), *_broker(), *_pulled(pull), *_hints()]


def _demo(*, is_asked: bool) -> Iterator[Worker]:
    if is_asked:
        # Its libraries and recordings are no other command's business.
        from service.workers.demo import DemoWorker  # noqa: PLC0415

        yield DemoWorker()


def _broker() -> Iterator[Worker]:
    if settings := read_mqtt_settings():
        # Nor is its library anybody's who has no broker.
        from service.workers.mqtt import MqttWorker  # noqa: PLC0415
        from service.workers.zone_publisher import ZonePublisher  # noqa: PLC0415

        if settings.topics:
            yield MqttWorker(settings)
        if settings.publish:
            yield ZonePublisher(settings)


def _pulled(file: Path | None) -> Iterator[Worker]:
    if file:
        # Nor is a client of HTTP anybody's who pulls nothing.
        from service.pull_settings import read_pull_settings  # noqa: PLC0415
        from service.workers.pull import PullWorker  # noqa: PLC0415

        yield PullWorker(read_pull_settings(file))


def _hints() -> Iterator[Worker]:
    if settings := read_nats_settings():
        # Nor is a client of NATS anybody's who has one process.
        from service.workers.hints import HintWorker  # noqa: PLC0415

        yield HintWorker(settings)
