"""Where the service keeps everything: how it is opened, and copied.

What may be asked of it is in `protocol`, what it raises in `errors`. Everything else here is the store of
today, one SQLite file; nothing outside this package knows that.
"""

from service.store.backup import back_up, restore
from service.store.protocol import Store
from service.store.store import open_store
from service.store.store_file import store_url

__all__ = ["Store", "back_up", "open_store", "restore", "store_url"]
