"""The keys with which a dashboard reads and administers the service beside it, kept in the data folder."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from service.clock import present
from service.store.protocol import KeyScope, Organization, Store

DEMO_ORGANIZATION: Final = Organization("demo", "Headroom demo")
OWN_ORGANIZATION: Final = Organization("own", "My organization")
"""Of an installation without the demo's data, until somebody names it."""
FILE_NAME: Final = "dashboard.key"
ADMIN_FILE_NAME: Final = "administrator.key"


def dashboard_key(store: Store, data_dir: Path, owner: Organization = DEMO_ORGANIZATION) -> str:
    """The secret of the key that reads; made, and written where only the owner may read it, when there is
    none of this organization that works. Raises OSError, StoreError.
    """
    return _kept_key(store, data_dir / FILE_NAME, owner, "dashboard", KeyScope.READ)


def administrator_key(store: Store, data_dir: Path, owner: Organization = DEMO_ORGANIZATION) -> str:
    """The secret of the key that administers; kept as `dashboard_key` is, and raises the same."""
    return _kept_key(store, data_dir / ADMIN_FILE_NAME, owner, "dashboard's administration", KeyScope.ADMIN)


def _kept_key(store: Store, path: Path, owner: Organization, name: str, scope: KeyScope) -> str:
    secret = _read(path)
    record = store.keys.verify(secret)
    is_its = record is not None and record.organization_id == owner.id and record.scope is scope
    if record is not None and is_its and record.opens(present()):
        with suppress(PermissionError):
            path.chmod(0o600)
        return secret
    if owner.id not in {organization.id for organization in store.catalogue.organizations()}:
        store.catalogue.save(owner, [])
    _, secret = store.keys.create(owner.id, name, scope)
    _write(path, secret)
    return secret


def _read(path: Path) -> str:
    """What the file holds, empty where it is not there; other bytes than a key's are no key that works."""
    try:
        return path.read_bytes().decode("ascii", errors="replace").strip()
    except FileNotFoundError:
        return ""


def _write(path: Path, secret: str) -> None:
    """Write another file and rename it: a reader finds this key whole, or another that works."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{secret}\n")
            file.flush()
            os.fsync(descriptor)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
