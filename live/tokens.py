"""What a browser may open: a signed, expiring list of feeds. The API key never leaves the server."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from itsdangerous import BadData, SignatureExpired, URLSafeTimedSerializer

from live.snapshot import FeedKey

LIFETIME: Final = 24 * 3600
"""In seconds. Each connection hands out a fresh token, so that a screen that stays open never runs out."""
_KEPT: Final = 1024
_PURPOSE: Final = "headroom live stream"


class TokenError(ValueError):
    """The text is no token of ours; nothing may be read with it."""


class TokenExpiredError(TokenError):
    """The token was ours and is too old; the page that made it makes a new one when it is reloaded."""


class GrantedFeed(NamedTuple):
    key: FeedKey
    timezone: str
    """IANA name of the site's zone: it decides which minutes are today's."""


@dataclass(frozen=True, slots=True)
class StreamGrant:
    feeds: tuple[GrantedFeed, ...]


class StreamSigner:
    """Signs and reads grants. Whoever knows `secret` can grant; replicas must share it."""

    def __init__(self, secret: str, *, lifetime: int = LIFETIME) -> None:
        self._serializer = URLSafeTimedSerializer(secret, salt=_PURPOSE)
        self._lifetime = lifetime
        self._signed = lru_cache(maxsize=_KEPT)(self._sign)

    def sign(self, grant: StreamGrant) -> str:
        """One token serves all who come within a minute: signing is a quarter of what a connect costs."""
        return self._signed(grant, int(time.monotonic()) // 60)

    def _sign(self, grant: StreamGrant, _minute: int) -> str:
        feeds = [[feed.key.site_id, list(feed.key.zone_ids), feed.timezone] for feed in grant.feeds]
        return str(self._serializer.dumps(feeds))

    def read(self, token: str) -> StreamGrant:
        """Raises TokenExpiredError, TokenError."""
        try:
            feeds = self._serializer.loads(token, max_age=self._lifetime)
        except SignatureExpired as error:
            raise TokenExpiredError("This view has expired. Reload the page.") from error
        except BadData as error:
            raise TokenError("This is no valid token for a live view. Reload the page.") from error
        return StreamGrant(
            tuple(GrantedFeed(FeedKey(site, tuple(zones)), timezone) for site, zones, timezone in feeds)
        )
