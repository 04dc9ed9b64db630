"""What runs at each change, and what may wait for `make soak`: others of many that show the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def in_the_soak(*values: object) -> list[Any]:
    """As parameters of a test, or of a fixture."""
    return [pytest.param(value, marks=pytest.mark.soak) for value in values]


def mostly_in_the_soak(values: Iterable[object], *kept: object) -> list[Any]:
    """All of them in their order; those that are not `kept` in the soak."""
    return [value if value in kept else in_the_soak(value)[0] for value in values]
