"""The gauge's own JavaScript, run without a browser by the Node that Playwright brings."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import playwright

import gauge
from components.live_gauge import page_script
from components.live_site import FOLDER, SCRIPTS

NODE = Path(playwright.__file__).parent / "driver" / "node"


def evaluated(expression: str, *arguments: Any) -> Any:
    """What `expression` is after the scripts that draw nothing by themselves; `given` are the `arguments`."""
    own = ((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)
    sources = page_script(gauge.place_script(), *own)
    script = (
        f"{sources}\nvar given = {json.dumps(arguments)};\n"
        f"process.stdout.write(JSON.stringify({expression}));"
    )
    # An argument of a command may have no more than 128 KiB.
    done = subprocess.run([str(NODE), "-"], input=script, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)
