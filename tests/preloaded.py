"""Imports what a service and a dashboard import, once for all that are forked from a process that did."""

from __future__ import annotations

import ast
import gc
import importlib
import inspect
import re
from functools import cache
from pathlib import Path
from unittest.mock import patch

from streamlit import file_util

from runtime import compressed_files
from tests.never_synced import never_synced

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

never_synced()

# What each process would work out anew at its start or its first visit, from files that do not change.
patch.object(compressed_files, "_compress", cache(compressed_files._compress)).start()
STATIC = Path(file_util.get_static_dir())
for name in re.findall(r'"\./(static/[^"]+\.(?:js|css))"', (STATIC / "index.html").read_text()):
    compressed_files._compress(STATIC / name)
inspect.stack()  # reads the sources that Streamlit has read when it looks whether it is typed in line by line

# A process of its own would not have all of this: its collector shall not walk through it.
gc.collect()
gc.freeze()
