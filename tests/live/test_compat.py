"""The inner part of uvicorn that the relay uses, as it is installed: this fails when it moves."""

from __future__ import annotations

import inspect
from unittest.mock import MagicMock

import pytest
from uvicorn.protocols.http import h11_impl, httptools_impl

from live._compat import abort_connection


class Transport:
    def __init__(self) -> None:
        self.is_aborted = False

    def abort(self) -> None:
        self.is_aborted = True


@pytest.mark.parametrize("protocol", [h11_impl, httptools_impl], ids=["h11", "httptools"])
def test_a_connection_is_found_behind_what_receives_for_it(protocol: object) -> None:
    kind = protocol.RequestResponseCycle  # type: ignore[attr-defined]
    transport = Transport()
    arguments = dict.fromkeys(inspect.signature(kind).parameters, MagicMock()) | {"transport": transport}
    assert abort_connection(kind(**arguments).receive)
    assert transport.is_aborted


def test_what_belongs_to_no_server_is_left_to_end_politely() -> None:
    async def receive() -> dict[str, object]:
        return {}

    assert not abort_connection(receive)
