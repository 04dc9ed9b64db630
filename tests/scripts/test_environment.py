"""The environment of the project is made anew where its Python is gone, and says which it is not made of."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.running_service import ROOT


def test_an_environment_whose_python_is_gone_is_made_anew_and_a_named_one_that_does_not_do_is_told_of(
    tmp_path: Path,
) -> None:
    """As after an upgrade of the distribution. Nothing is required, so nothing is fetched."""
    project = tmp_path / "a project"
    for name in ("scripts/environment", "Makefile"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, project / name)
    for name in ("requirements.txt", "constraints.txt", ".venv/bin/pip", ".venv/run.stamp"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).touch(mode=0o755)
    python = project / ".venv/bin/python"
    python.symlink_to("/usr/bin/python-of-the-release-before")
    variables = os.environ | {"PYTHON": "/nowhere/python3", "PIP_NO_INDEX": "1"}
    made = subprocess.run(
        ["make", ".venv/run.stamp"], env=variables, cwd=project, check=False, capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    assert "PYTHON=/nowhere/python3 is no Python 3.11 or newer: another one is taken." in made.stderr
    subprocess.run([python, "-c", "import pip"], check=True)
    subprocess.run(["make", "--question", ".venv/run.stamp"], cwd=project, check=True)  # is it made?
