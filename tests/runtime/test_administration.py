"""Who may administer: whoever opens the dashboard on its own machine, and nobody from elsewhere."""

from __future__ import annotations

import pytest

from runtime.administration import is_on_this_machine


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "localhost"])
@pytest.mark.parametrize("host", ["127.0.0.1:8501", "localhost:8501", "[::1]:8501", "a.localhost"])
def test_whoever_opens_it_on_its_own_machine_may_administer(address: str, host: str) -> None:
    assert is_on_this_machine(address, {"Host": host})


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        (None, {"Host": "localhost:8501"}),
        ("0.0.0.0", {"Host": "localhost:8501"}),
        ("192.168.1.5", {"Host": "192.168.1.5:8501"}),
        ("127.0.0.1", {"Host": "headroom.example.org"}),
        ("127.0.0.1", {"Host": "192.168.1.5:8501"}),
        ("127.0.0.1", {"Host": "localhost", "X-Forwarded-For": "192.168.1.7"}),
        ("127.0.0.1", {"host": "localhost", "forwarded": "for=192.168.1.7"}),
        ("127.0.0.1", {"Host": "local host"}),
    ],
)
def test_from_elsewhere_or_by_a_proxy_nobody_may(address: str | None, headers: dict[str, str]) -> None:
    assert not is_on_this_machine(address, headers)
