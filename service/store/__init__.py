"""Where the service keeps everything: one SQLite file behind three small protocols."""

from service.store.catalogue import PassageTakenError
from service.store.database import StoreBusyError, StoreVersionError
from service.store.keys import UnknownOrganizationError
from service.store.protocol import (
    DEFAULT_DAILY_RESET_HOUR,
    Bucket,
    BucketQuery,
    CountBatch,
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
from service.store.store import FILE_NAME, Store, open_store
from service.store.stored_topology import UnknownSiteError

__all__ = [
    "DEFAULT_DAILY_RESET_HOUR",
    "FILE_NAME",
    "Bucket",
    "BucketQuery",
    "CountBatch",
    "IdempotencyConflictError",
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
    "StoreBusyError",
    "StoreVersionError",
    "UnknownOrganizationError",
    "UnknownPassageError",
    "UnknownSiteError",
    "WriteMode",
    "open_store",
]
