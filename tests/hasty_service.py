"""`python -m tests.hasty_service ...`: the service, for tests that would mostly wait.

It pulls its sources more often than settings may ask for, and its clock goes ahead by the seconds that stand
in a file, if there is one. All else is as in `python -m service`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from runpy import run_module
from typing import Final
from unittest.mock import patch

from service import cli, pull_settings
from service.application import create_application
from service.clock import present
from service.pull_settings import PullSettings, read_pull_settings

PROGRAM: Final = "tests.hasty_service"
CLOCK: Final = "HASTY_SERVICE_CLOCK"
"""Environment variable: the file by whose seconds its clock goes ahead."""
HASTE: Final = 10
"""So many times as often."""


def set_ahead(file: Path, ahead: timedelta) -> None:
    written = file.with_suffix(".new")
    written.write_text(str(ahead.total_seconds()))
    written.rename(file)


def ahead_by(file: Path) -> datetime:
    """What its clock says."""
    return present() + timedelta(seconds=float(file.read_text()) if file.exists() else 0.0)


def _hasty(read: Callable[[Path], PullSettings], file: Path) -> PullSettings:
    settings = read(file)
    sources = (one.model_copy(update={"interval": one.interval / HASTE}) for one in settings.source)
    return settings.model_copy(update={"source": tuple(sources)})


if __name__ == "__main__":
    patch.object(pull_settings, "read_pull_settings", partial(_hasty, read_pull_settings)).start()
    if CLOCK in os.environ:
        clock = partial(ahead_by, Path(os.environ[CLOCK]))
        patch.object(cli, "create_application", partial(create_application, clock=clock)).start()
    run_module("service", run_name="__main__")
