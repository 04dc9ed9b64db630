"""Stores posted counts in a thread of its own; posts that wait together go into one transaction.

A transaction with one count takes about as long as one with a hundred of the same site: what is derived
from them is made once. So the longer the queue, the faster it moves.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Final

from contract import ErrorCode
from service.exception_handlers import refusal
from service.ingest.count_batch import MAXIMUM_DETAILS, unknown_passages
from service.store.errors import IdempotencyConflictError, UnknownPassageError
from service.store.protocol import CountBatch, SiteCatalogue, Store
from service.thread_pools import PoolFullError

_TOGETHER: Final = 5_000
"""Counts that one transaction may gather; a post with more has one of its own."""

_IDS_AT_ONCE: Final = 500
"""Passages that are looked up together."""


@dataclass(frozen=True, slots=True)
class Post:
    """The counts of one request."""

    organization_id: str
    """Of the key: only passages of its sites are known to it."""
    batch: CountBatch


Outcome = bool | Exception
"""Whether it was stored (False: a duplicate), or why it is refused."""


class CountWriter:
    """Belongs to the event loop. At most `waiting` posts wait for the one thread that writes."""

    def __init__(self, store: Store, waiting: int) -> None:
        self._store = store
        self._room = waiting
        self._waiting: deque[tuple[Post, asyncio.Future[bool]]] = deque()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="counts")
        self._writing: asyncio.Task[None] | None = None

    async def store(self, post: Post) -> bool:
        """True once the counts are on disk; False when they came before under their idempotency key.

        Raises ServiceError when they are refused, PoolFullError when too many posts wait, and what the
        store raises.
        """
        if len(self._waiting) >= self._room:
            raise PoolFullError("Nothing was stored; too many counts wait to be written: send it again.")
        outcome: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((post, outcome))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return await outcome

    def close(self) -> None:
        """Write nothing more; what has begun is finished in its thread."""
        self._waiting.clear()
        self._executor.shutdown(wait=False, cancel_futures=True)

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                group = list(self._next_group())
                posts = [post for post, _ in group]
                outcomes = await loop.run_in_executor(self._executor, store_posts, self._store, posts)
                for (_, waiter), outcome in zip(group, outcomes, strict=True):
                    _settle(waiter, outcome)
        finally:
            self._writing = None

    def _next_group(self) -> Iterator[tuple[Post, asyncio.Future[bool]]]:
        gathered = 0
        while self._waiting:
            size = len(self._waiting[0][0].batch.counts)
            if gathered and gathered + size > _TOGETHER:
                return
            gathered += max(size, 1)
            yield self._waiting.popleft()


def store_posts(store: Store, posts: Sequence[Post]) -> list[Outcome]:
    """What became of each post; all that are not refused are in one transaction."""
    try:
        return _store_together(store, posts)
    except UnknownPassageError as error:
        # A passage that was removed since it was looked up; only the posts that name it are refused.
        if len(posts) == 1:
            counts = posts[0].batch.counts
            known = {count.passage_id for count in counts} - error.passage_ids
            return [unknown_passages(counts, known) or error]
        return [outcome for post in posts for outcome in store_posts(store, [post])]
    except Exception as error:  # noqa: BLE001 - each waiting request raises it as its own
        return [error] * len(posts)


def _store_together(store: Store, posts: Sequence[Post]) -> list[Outcome]:
    # In the order of the counts, so that looking ends with the unknown ones that a refusal names.
    asked = dict.fromkeys(count.passage_id for post in posts for count in post.batch.counts)
    enough = MAXIMUM_DETAILS if len(posts) == 1 else len(asked)
    passages = _passages_by_organization(store.catalogue, asked, enough)
    refusals = [
        unknown_passages(post.batch.counts, passages.get(post.organization_id, frozenset())) for post in posts
    ]
    accepted = [post.batch for post, refused in zip(posts, refusals, strict=True) if refused is None]
    stored = iter(store.metrics.append_all(accepted) if accepted else [])
    return [_conflict(next(stored)) if refused is None else refused for refused in refusals]


def _conflict(outcome: bool | IdempotencyConflictError) -> Outcome:
    if isinstance(outcome, IdempotencyConflictError):
        message = "This Idempotency-Key came before with a different body; nothing was stored."
        return refusal(ErrorCode.IDEMPOTENCY_KEY_REUSED, message)
    return outcome


def _passages_by_organization(
    catalogue: SiteCatalogue, passage_ids: Collection[str], enough: int
) -> Mapping[str, Collection[str]]:
    """Those of the passages that exist, by the organization whose they are; until `enough` do not exist."""
    site_ids: dict[str, str] = {}
    looked, remaining = 0, iter(passage_ids)
    while looked - len(site_ids) < enough and (asked := list(islice(remaining, _IDS_AT_ONCE))):
        site_ids |= catalogue.site_ids_of_passages(asked)
        looked += len(asked)
    passages: defaultdict[str, set[str]] = defaultdict(set)
    sites = {site_id: catalogue.find(site_id) for site_id in set(site_ids.values())}
    for passage_id, site_id in site_ids.items():
        if record := sites[site_id]:
            passages[record.site.organization_id].add(passage_id)
    return passages


def _settle(waiter: asyncio.Future[bool], outcome: Outcome) -> None:
    if waiter.done():
        return
    if isinstance(outcome, Exception):
        waiter.set_exception(outcome)
    else:
        waiter.set_result(outcome)
