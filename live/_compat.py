"""The inner parts of uvicorn that the relay uses; what the dashboard uses besides: `runtime/_compat.py`."""

from __future__ import annotations

from typing import Any, Final

from starlette.types import Receive


def abort_connection(receive: Receive) -> bool:
    """Drop the connection of a response at once, with all that is still to be sent; False: cannot be done.

    A response that just ends is closed politely by uvicorn (0.54): what is buffered is sent first, and with
    a reader that takes nothing that never ends. ASGI has no word for giving up, so this reaches through
    `receive`, which is a method of uvicorn's own object: middleware wraps `send` and leaves `receive` alone.
    """
    transport = getattr(getattr(receive, "__self__", None), "transport", None)
    if transport is None:
        return False
    transport.abort()
    return True


_WRITTEN_WITH: Final = ("transport", "flow", "disconnected", "response_complete", "chunked_encoding")


def chunk(body: bytes) -> bytes:
    """`body` as uvicorn frames it; many responses may share one, which need it framed once."""
    return b"%x\r\n%b\r\n" % (len(body), body)


def responding_in_chunks(receive: Receive) -> Any:
    """The response of uvicorn's that `write_chunk` writes to, once it has begun; None: there is none such.

    `send` passes what is sent through every middleware, for each of thousands of screens, which took more
    time than the system's own sending of it. Like `abort_connection` this reaches through `receive`.
    """
    response: Any = getattr(receive, "__self__", None)
    known = all(hasattr(response, name) for name in _WRITTEN_WITH)
    return response if known and response.chunked_encoding else None


def write_chunk(response: Any, framed: bytes) -> bool:
    """Whether the network took it at once; where not, nothing was written, and `send` waits for its turn.

    Raises ConnectionError: the reader has asked for something else on the same connection, before its answer
    is over. uvicorn then tells neither that it has left nor, after an upgrade, that it takes nothing.
    """
    if response.disconnected or response.response_complete:
        return False
    newest: Any = getattr(response.transport.get_protocol(), "cycle", None)
    if newest is not response:
        raise ConnectionError("the connection is another request's")
    if response.flow.write_paused:
        return False
    response.transport.write(framed)
    return True
