"""Imports what a service and a dashboard import, once for all that are forked from a process that did."""

from __future__ import annotations

import ast
import gc
import importlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ("service.cli", "streamlit.web.cli")
SCRIPTS = ("app.py", "dashboard.py", "pages/*.py")


def _imported(script: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(script.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found


MODULES = {*COMMANDS}.union(*(_imported(script) for pattern in SCRIPTS for script in ROOT.glob(pattern)))
for module in sorted(MODULES):
    importlib.import_module(module)
# A process of its own would not have all of this: its collector shall not walk through it.
gc.collect()
gc.freeze()
