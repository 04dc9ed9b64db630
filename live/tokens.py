"""What a browser may open: a signed, expiring list of feeds. The API key never leaves the server."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from itsdangerous import BadData, BadSignature, URLSafeSerializer

from live.snapshot import CrossingsKey, FeedKey

LIFETIME: Final = 24 * 3600
"""In seconds. Each connection hands out a fresh token, so that a page that stays open does not run out."""
LONGEST_RENEWED: Final = 7 * 24 * 3600
"""In seconds, from the page that was granted the first token: however often it is renewed, it ends then.
Screens on a wall last for months, by a link that can be revoked and needs no token."""
_AHEAD: Final = 300
"""In seconds, by which the clock of another dashboard behind the same address may be ahead."""
_BORN_STEP: Final = 3600
"""In seconds: pages that were opened in the same hour share their tokens."""
_KEPT: Final = 1024
_PURPOSE: Final = "headroom live stream"
_INVALID: Final = "This is no valid token for a live view. Reload the page."
_FOREIGN: Final = (
    "This live view was signed with another HEADROOM_SECRET. Reload the page; if that does not help, the"
    " Connection page says which dashboards differ."
)


class TokenError(ValueError):
    """The text is no token of ours; nothing may be read with it."""


class TokenForeignError(TokenError):
    """It was signed with another secret than this dashboard's, or changed since."""


class TokenExpiredError(TokenError):
    """The token was ours and is too old; the page that made it makes a new one when it is reloaded."""


class GrantedFeed(NamedTuple):
    key: FeedKey
    timezone: str
    """IANA name of the site's zone: it decides which minutes are today's."""


class GrantedPassages(NamedTuple):
    """Who crosses the passages of a site."""

    key: CrossingsKey
    timezone: str


@dataclass(frozen=True, slots=True)
class StreamGrant:
    feeds: tuple[GrantedFeed, ...]
    passages: tuple[GrantedPassages, ...] = ()
    is_listed: bool = False
    """Whether the feeds are seen in a list of sites, for which the stream of all sites is enough."""

    @property
    def everything(self) -> tuple[GrantedFeed | GrantedPassages, ...]:
        return *self.feeds, *self.passages


class StreamSigner:
    """Signs and reads grants. Whoever knows `secret` can grant; replicas must share it.

    `clock` gives epoch seconds. A token says when it was issued and when the first of its line was.
    """

    def __init__(self, secret: str, *, clock: Callable[[], float] = time.time) -> None:
        self._serializer = URLSafeSerializer(secret, salt=_PURPOSE)
        self._clock = clock
        self._signed = lru_cache(maxsize=_KEPT)(self._sign)

    def sign(self, grant: StreamGrant) -> str:
        """The first token of a page. One token serves all who come within a minute: signing is a quarter
        of what a connect costs.
        """
        return self._signed(grant, int(self._clock()) // _BORN_STEP * _BORN_STEP, self._this_minute())

    def read(self, token: str) -> StreamGrant:
        """Raises TokenExpiredError, TokenForeignError, TokenError."""
        return self._read(token)[0]

    def renewed(self, token: str) -> tuple[StreamGrant, str]:
        """What the token grants, and a fresh one for the same page. Raises as `read` does."""
        grant, born = self._read(token)
        return grant, self._signed(grant, born, self._this_minute())

    def _this_minute(self) -> int:
        return int(self._clock()) // 60 * 60

    def _sign(self, grant: StreamGrant, born: int, issued: int) -> str:
        feeds = [[feed.key.site_id, list(feed.key.zone_ids), feed.timezone] for feed in grant.feeds]
        # In the same list, so that a dashboard of before, behind the same address, refuses them alone.
        passages = [[one.key.site_id, None, one.timezone] for one in grant.passages]
        # Only where it is needed, so that a dashboard of before, behind the same address, reads all others.
        listed = [True] if grant.is_listed else []
        return str(self._serializer.dumps([born, issued, feeds + passages, *listed]))

    def _read(self, token: str) -> tuple[StreamGrant, int]:
        try:
            born, issued, feeds, *listed = self._serializer.loads(token)
            granted = StreamGrant(
                tuple(
                    GrantedFeed(FeedKey(site, tuple(zones)), timezone)
                    for site, zones, timezone in feeds
                    if zones is not None
                ),
                tuple(
                    GrantedPassages(CrossingsKey(site), timezone)
                    for site, zones, timezone in feeds
                    if zones is None
                ),
                is_listed=bool(listed),
            )
            age, in_all = self._clock() - issued, self._clock() - born
        except BadSignature as error:
            raise (TokenForeignError(_FOREIGN) if error.payload else TokenError(_INVALID)) from error
        except (BadData, TypeError, ValueError) as error:  # of another version, where it is signed by us
            raise TokenError(_INVALID) from error
        if not -_AHEAD <= age <= LIFETIME or in_all > LONGEST_RENEWED:
            raise TokenExpiredError("This view has expired. Reload the page.")
        return granted, born
