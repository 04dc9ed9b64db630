"""Where the dashboard keeps what is its own: files in its data folder, or a database that several share.

What is kept is told by those who keep it, as tables (`screens/store.py`, `runtime/preference_store.py` and
the others); here is how one reads and writes them.
"""

from keeping.place import Place, Tables, tables_at
from keeping.postgresql import SharedDatabase, told_fault
from keeping.reach import DatabaseAwayError, Reached, is_away
from keeping.shared_tables import SharedTables

__all__ = [
    "DatabaseAwayError",
    "Place",
    "Reached",
    "SharedDatabase",
    "SharedTables",
    "Tables",
    "is_away",
    "tables_at",
    "told_fault",
]
