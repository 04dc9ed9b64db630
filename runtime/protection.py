"""The middleware between browsers and everything that the dashboard serves."""

from __future__ import annotations

from starlette.middleware import Middleware

from runtime.host_check import HostCheck
from runtime.security_headers import SecurityHeaders
from runtime.settings import Settings


def protection(settings: Settings) -> list[Middleware]:
    """The outermost first, so that refusals carry the headers, too."""
    return [
        Middleware(SecurityHeaders, embedders=settings.embed_origins),
        Middleware(HostCheck, configured=settings.hosts),
    ]
