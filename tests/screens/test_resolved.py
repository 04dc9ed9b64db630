"""What a link leads to is found once for those who ask together, and anew as soon as it may be another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from analysis.floor_plan import KeptPlan
from api_client import Client
from screens import Composition, ScreenStore, ShownBook, View, ViewKind
from screens.floor_plans import NO_PLANS
from screens.neutral import Circumstance
from screens.previews import PreviewSigner
from screens.resolved import STANDS, Refused, Resolved, Resolver
from tests.running_service import RunningService, free_port
from tests.screens.conftest import SITE_ID, number_screen
from tests.small_site import SmallSite

Later = Callable[[float], None]
ON_PLAN = Composition(name="Hall", views=(View(kind=ViewKind.FLOW, site_id=SITE_ID, on_plan=True),))


@dataclass
class Marks:
    """What tells one floor plan from another."""

    of: dict[str, str] = field(default_factory=dict)

    def __call__(self) -> Mapping[str, str]:
        return dict(self.of)


@dataclass
class Found:
    store: ScreenStore
    marks: Marks
    previews: PreviewSigner
    resolver: Resolver
    notes: list[ShownBook]
    """One each time that it was worked out what a link leads to."""

    async def of(self, token: str) -> Resolved:
        found = await self.resolver.resolved(token)
        assert isinstance(found, Resolved), found
        return found


def resolver_of(folder: Path, client: Client) -> Found:
    store, marks, previews, shown = ScreenStore(folder), Marks(), PreviewSigner("signs"), ShownBook()
    plans = NO_PLANS._replace(read_plan=lambda _site: KeptPlan(), changed_at=marks)
    notes: list[ShownBook] = []

    def noted() -> ShownBook:
        notes.append(shown)
        return shown

    resolver = Resolver(
        lambda: store, lambda: client, lambda: previews, noted, plans=plans, bundle_version="1"
    )
    return Found(store, marks, previews, resolver, notes)


@pytest.fixture
async def found(tmp_path: Path, service: RunningService, site: SmallSite) -> AsyncIterator[Found]:
    with Client(service.base_url, site.read_key) as client:
        made = resolver_of(tmp_path, client)
        yield made
        made.store.close()


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """Puts the clock by which what was found grows old forward by so many seconds; it goes by this alone."""
    now = [1000.0]

    def put_forward(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr("screens.resolved.time", SimpleNamespace(monotonic=lambda: now[0]))
    return put_forward


async def test_those_who_ask_together_share_what_is_found(found: Found) -> None:
    screen = found.store.create(number_screen())
    first, *others = await asyncio.gather(*(found.of(screen.token) for _ in range(20)))
    assert all(one is first for one in others)
    assert await found.of(screen.token) is first


async def test_a_draft_is_found_once_though_it_is_made_anew_at_each_look(found: Found) -> None:
    ticket = found.previews.draft_ticket(number_screen())
    assert ticket
    assert await found.of(ticket) is await found.of(ticket)


async def test_a_screen_that_was_changed_is_found_anew_at_once(found: Found) -> None:
    screen = found.store.create(number_screen())
    before = await found.of(screen.token)
    found.store.replace(screen.id, number_screen("Hall"))
    after = await found.of(screen.token)
    assert (before.screen.name, after.screen.name) == ("Door", "Hall")
    assert before.version != after.version


async def test_a_link_that_was_taken_away_leads_nowhere_at_once(found: Found) -> None:
    screen = found.store.create(number_screen())
    await found.of(screen.token)
    found.store.revoke(screen.id)
    assert await found.resolver.resolved(screen.token) == Refused(Circumstance.NOT_IN_USE)


async def test_another_floor_plan_is_noticed_at_once(found: Found) -> None:
    screen = found.store.create(ON_PLAN)
    found.marks.of = {SITE_ID: "monday"}
    before = await found.of(screen.token)
    assert await found.of(screen.token) is before
    found.marks.of = {SITE_ID: "tuesday"}
    after = await found.of(screen.token)
    assert (before.plans, after.plans) == ({SITE_ID: "monday"}, {SITE_ID: "tuesday"})


async def test_what_was_found_stands_for_a_moment(found: Found, later: Later) -> None:
    screen = found.store.create(number_screen())
    first = await found.of(screen.token)
    later(STANDS - 1)
    assert await found.of(screen.token) is first
    later(2)
    assert await found.of(screen.token) is not first


async def test_what_was_not_found_whole_stands_for_less(tmp_path: Path, later: Later) -> None:
    with Client(f"http://127.0.0.1:{free_port()}", "key", attempts=1) as client:
        found = resolver_of(tmp_path, client)
        screen = found.store.create(number_screen())
        refused = await found.resolver.resolved(screen.token)
        assert isinstance(refused, Refused)
        assert refused.circumstance is Circumstance.WAITING
        await found.resolver.resolved(screen.token)
        assert len(found.notes) == 1
        later(STANDS / 2)
        await found.resolver.resolved(screen.token)
        assert len(found.notes) == 2
        found.store.close()
