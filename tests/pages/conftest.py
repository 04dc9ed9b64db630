"""What the tests of the analysis pages share: a service that has counted, and no memory between tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages.analysis import Counted, configure, counted_site


@pytest.fixture(scope="session")
def kept_by_tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dashboard")


@pytest.fixture(autouse=True)
def own_data_dir(kept_by_tests: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a developer's own dashboard keeps is neither read nor changed."""
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(kept_by_tests))


@pytest.fixture(scope="session")
def counting(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[Counted]:
    data_dir: Path = tmp_path_factory.mktemp("counted")
    for counted in counted_site(data_dir):
        lasting.add(counted.service.process.pid)
        yield counted


@pytest.fixture
def counted(counting: Counted, monkeypatch: pytest.MonkeyPatch) -> Counted:
    """The dashboard is set up to read the service."""
    configure(counting, monkeypatch)
    return counting
