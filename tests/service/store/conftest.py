from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.store import archive_spans


@pytest.fixture(autouse=True, scope="session")
def _single_days_are_archived() -> Iterator[None]:
    """Tests have few of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive_spans, "FEWEST_DAYS", 1)
        yield
