"""Where the service keeps everything: one SQLite file behind three small protocols."""

from service.store.backup import BackupError, back_up, restore
from service.store.catalogue import PassageTakenError
from service.store.data_folder import FILE_NAME
from service.store.errors import (
    StoreAccessError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreMissingError,
    StoreVersionError,
)
from service.store.keys import KeyNameError, UnknownOrganizationError, is_control
from service.store.protocol import (
    DEFAULT_DAILY_RESET_HOUR,
    Bucket,
    BucketQuery,
    CountBatch,
    CountSeries,
    IdempotencyConflictError,
    KeyRecord,
    KeyRing,
    KeyScope,
    MetricStore,
    Organization,
    PassageCount,
    SiteCatalogue,
    SiteRecord,
    UnknownPassageError,
    WriteMode,
)
from service.store.store import Store, open_store
from service.store.stored_topology import UnknownSiteError

__all__ = [
    "DEFAULT_DAILY_RESET_HOUR",
    "FILE_NAME",
    "BackupError",
    "Bucket",
    "BucketQuery",
    "CountBatch",
    "CountSeries",
    "IdempotencyConflictError",
    "KeyNameError",
    "KeyRecord",
    "KeyRing",
    "KeyScope",
    "MetricStore",
    "Organization",
    "PassageCount",
    "PassageTakenError",
    "SiteCatalogue",
    "SiteRecord",
    "Store",
    "StoreAccessError",
    "StoreBusyError",
    "StoreDamagedError",
    "StoreError",
    "StoreFullError",
    "StoreMissingError",
    "StoreVersionError",
    "UnknownOrganizationError",
    "UnknownPassageError",
    "UnknownSiteError",
    "WriteMode",
    "back_up",
    "is_control",
    "open_store",
    "restore",
]
