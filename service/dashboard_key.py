"""The read key with which a dashboard reads the demo beside it, kept in the data folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from service.store import Store
from service.store.protocol import KeyScope, Organization

DEMO_ORGANIZATION: Final = Organization("demo", "Headroom demo")
FILE_NAME: Final = "dashboard.key"


def dashboard_key(store: Store, data_dir: Path) -> str:
    """The key's secret; made, and written where only the owner may read it, when there is none that works."""
    path = data_dir / FILE_NAME
    if path.exists():
        secret = path.read_text(encoding="ascii").strip()
        record = store.keys.verify(secret)
        if record is not None and record.revoked_at is None:
            return secret
    if DEMO_ORGANIZATION.id not in {organization.id for organization in store.catalogue.organizations()}:
        store.catalogue.save(DEMO_ORGANIZATION, [])
    _, secret = store.keys.create(DEMO_ORGANIZATION.id, "dashboard", KeyScope.READ)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secret + "\n")
    return secret
