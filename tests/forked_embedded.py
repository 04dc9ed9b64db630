"""The service beside a dashboard in processes that are forked, for tests that are not about their start."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from tests.forked_process import ForkedChild


@pytest.fixture
def forked_embedded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`start_embedded` of this process forks the command that it would have an interpreter run."""
    forking = SimpleNamespace(
        Popen=ForkedChild, PIPE=subprocess.PIPE, TimeoutExpired=subprocess.TimeoutExpired
    )
    with monkeypatch.context() as patch:
        patch.setattr("service.embedded.subprocess", forking)
        yield
