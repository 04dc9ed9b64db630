"""What holds for all tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Each service and dashboard that a test starts would compile the project anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A busy machine draws examples slowly; that is no fault of a test, nor of what it tests.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
