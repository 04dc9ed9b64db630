"""What is said of a site's devices."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from contract import Device, Site, Zone


def show(statuses: tuple[str, ...], hours_ago: int | None) -> None:
    from datetime import timedelta  # noqa: PLC0415 - it runs the body alone

    from components.panels.site_facts import devices_panel  # noqa: PLC0415 - as above
    from tests.components.panels.test_site_facts import site_of  # noqa: PLC0415 - as above

    devices_panel(site_of(statuses), None if hours_ago is None else timedelta(hours=hours_ago))


def site_of(statuses: tuple[str, ...]) -> Site:
    devices = tuple(Device(id=str(n), name=f"D{n}", status=status) for n, status in enumerate(statuses))
    return Site(id="s", name="S", zones=(Zone(id="z", name="Z", devices=devices),))


def said_of(*statuses: str, hours_ago: int | None = None) -> list[str]:
    """By the panel, of devices with these statuses, told so long ago."""
    test = AppTest.from_function(show, args=(statuses, hours_ago), default_timeout=60).run()
    assert not test.exception
    return [one.value.replace("\\", "") for one in (*test.warning, *test.info, *test.success)]


@pytest.mark.parametrize(
    ("statuses", "said"),
    [
        (("Online", "online"), "All 2 devices are online."),
        (("Online", "Maintenance"), "1 of 2 devices is not online."),
        (("Online", ""), "The service tells no status of 1 of 2 devices."),
        (("Offline", ""), "1 of 2 devices is not online. The service tells no status of 1 of 2 devices."),
        (("",), "The service tells no status of 1 of 1 device."),
    ],
)
def test_a_device_without_a_status_is_not_said_to_be_off(statuses: tuple[str, ...], said: str) -> None:
    assert said_of(*statuses) == [said]


def test_devices_that_are_not_told_now_are_said_to_be_as_of_when_they_were() -> None:
    for statuses in (("Online",), ("Offline",), ("",)):
        [now], [then] = said_of(*statuses), said_of(*statuses, hours_ago=3)
        assert then.startswith("As of ")
        assert then.endswith(now)
