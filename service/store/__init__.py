"""Where the service keeps everything.

What may be asked of a store is in `protocol`, what it raises in `errors`: a store of another kind keeps to
these two, in a package of its own. Everything else here is the store in one SQLite file. Nothing outside this
package knows that, but for `service/open_store.py` and what copies the file.
"""
