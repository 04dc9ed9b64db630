"""The inner part of uvicorn that the relay uses; what the dashboard uses besides: `runtime/_compat.py`."""

from __future__ import annotations

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
