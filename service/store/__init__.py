"""Where the service keeps everything: what may be asked (`protocol`), what is raised (`errors`).

Everything else here is the store of today, one SQLite file; nothing outside this package knows that.
"""

from service.store.backup import back_up, restore
from service.store.errors import (
    BackupError,
    IdempotencyConflictError,
    KeyNameError,
    PassageTakenError,
    StoreAccessError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreMissingError,
    StoreUrlError,
    StoreVersionError,
    UnknownOrganizationError,
    UnknownPassageError,
    UnknownSiteError,
)
from service.store.keys import is_control
from service.store.protocol import (
    DEFAULT_DAILY_RESET_HOUR,
    Bucket,
    BucketQuery,
    CountBatch,
    CountSeries,
    KeyRecord,
    KeyRing,
    KeyScope,
    MetricStore,
    Numbers,
    Organization,
    PassageCount,
    SiteCatalogue,
    SiteRecord,
    Store,
    WriteMode,
)
from service.store.store import open_store
from service.store.store_file import store_url

__all__ = [
    "DEFAULT_DAILY_RESET_HOUR",
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
    "Numbers",
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
    "StoreUrlError",
    "StoreVersionError",
    "UnknownOrganizationError",
    "UnknownPassageError",
    "UnknownSiteError",
    "WriteMode",
    "back_up",
    "is_control",
    "open_store",
    "restore",
    "store_url",
]
