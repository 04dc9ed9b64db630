"""Where the service keeps everything.

What may be asked of a store is in `protocol`, what it raises in `errors`. `sql_store` keeps to these two with
SQL that runs on a `Database`: a SQLite file (`sqlite/`) or a database of PostgreSQL (`postgresql/`). Nothing
outside this package knows which, but for `service/open_store.py` and what copies the file.
"""
