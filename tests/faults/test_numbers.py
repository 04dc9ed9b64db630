from __future__ import annotations

import re
from pathlib import Path

FAULTS = set(range(1, 37))
"""Sockets and streams 1-23, service and relay 24-28, dashboard and browser 29-36."""


def test_every_fault_has_a_test_that_carries_its_number() -> None:
    texts = [file.read_text(encoding="utf-8") for file in Path(__file__).parent.glob("test_*.py")]
    names = [name for text in texts for name in re.findall(r"def test_fault_(\d\d)_\w+", text)]
    assert {int(name) for name in names} == FAULTS
