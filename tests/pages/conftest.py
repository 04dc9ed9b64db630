"""What the tests of the analysis pages share: a service that has counted, and no memory between tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.administered import Administered, administered
from tests.pages.analysis import Counted, CountedLately, configure


@pytest.fixture(scope="session")
def kept_by_tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dashboard")


@pytest.fixture(autouse=True)
def own_data_dir(kept_by_tests: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a developer's own dashboard keeps is neither read nor changed."""
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(kept_by_tests))


@pytest.fixture(scope="session")
def counting(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[CountedLately]:
    lately = CountedLately(tmp_path_factory, lasting)
    yield lately
    lately.close()


@pytest.fixture
def counted(counting: CountedLately, monkeypatch: pytest.MonkeyPatch) -> Counted:
    """The dashboard is set up to read the service, which has counted until the hour that runs now."""
    counted = counting.until_this_hour()
    configure(counted, monkeypatch)
    return counted


@pytest.fixture(scope="module")
def managed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Administered]:
    with administered(tmp_path_factory.mktemp("managed")) as opened:
        yield opened


@pytest.fixture
def administering(managed: Administered, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dashboard is set up to administer that service."""
    for name, value in managed.environment.items():
        monkeypatch.setenv(name, value)
