from __future__ import annotations

import threading
from typing import Any, cast

import pytest

from service.store.archive_protocol import Archive
from service.store.archive_reach import ArchiveReach, Work
from service.store.errors import ArchiveAwayError

SITES = [f"site-{number}" for number in range(8)]


class Reached(ArchiveReach):
    """Of an archive in which nothing can be done of some sites."""

    def __init__(self, *away: str) -> None:
        super().__init__(cast(Archive, None))
        self.away, self.asked = set(away), list[str]()

    def work(self, stop: threading.Event | None = None, **more: Any) -> int:
        def done(site_id: str) -> int:
            self.asked.append(site_id)
            if site_id in self.away:
                raise ArchiveAwayError(f"{site_id} is away")
            return 1

        return self.of_each(more.get("work", Work.SHIP), SITES, done, stop or threading.Event())


def test_what_fails_of_one_site_leaves_the_others_be_and_is_told() -> None:
    reach = Reached("site-2", "site-5")
    assert reach.work() == len(SITES) - 2
    assert sorted(reach.asked) == SITES
    assert "is away" in str(reach.trouble())


def test_where_nothing_can_be_done_of_several_in_a_row_the_others_come_first_the_next_time() -> None:
    reach = Reached(*SITES)
    for _ in range(3):
        assert reach.work() == 0
    assert len(reach.asked) == 9
    assert sorted(set(reach.asked)) == SITES


@pytest.mark.parametrize("work", [Work.TAKE_LATE, Work.SHIP])
def test_it_is_well_again_once_the_same_work_was_done(work: Work) -> None:
    reach = Reached("site-1")
    reach.work()
    reach.away.clear()
    reach.work(work=work)
    assert (reach.trouble() is None) is (work is Work.SHIP)


def test_it_ends_soon_where_it_is_to_stop() -> None:
    reach, stop = Reached(), threading.Event()
    stop.set()
    assert reach.work(stop) == 0
    assert reach.asked == []
