"""Schemas of PostgreSQL in which a store has been made: emptied after a test, and lent to the next.

To make the tables takes four times as long as all else that opens a store.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, LiteralString

import psycopg
from psycopg.sql import SQL, Identifier, Literal

from service.open_store import open_store
from tests.running_postgresql import postgresql_url, running_postgresql, schema_of

_LARGE: Final = 64 * 1024
"""Bytes of a table that takes longer to be emptied row by row."""

_FORM: Final[LiteralString] = """
SELECT md5(string_agg(line, E'\\n' ORDER BY line)) FROM (
  SELECT concat_ws(' ', c.relname, c.relkind, a.attname, a.atttypid, a.attnotnull, a.atthasdef) AS line
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = %(schema)s::regnamespace
  UNION ALL SELECT concat_ws(' ', conname, contype, convalidated) FROM pg_constraint
    WHERE connamespace = %(schema)s::regnamespace
  UNION ALL SELECT concat_ws(' ', c.relname, tgname, tgenabled)
    FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
    WHERE c.relnamespace = %(schema)s::regnamespace AND NOT tgisinternal
  UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = %(schema)s::regnamespace
) AS lines
"""
"""What a schema is made of, whatever stands in it."""

_AT_WORK: Final[LiteralString] = """
SELECT 1 FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND state <> 'idle'
  AND pid <> pg_backend_pid() LIMIT 1
"""
"""What a client that was killed has begun may still be stored."""

_EMPTIED: Final = SQL("""
DO $$
DECLARE one record;
BEGIN
  SET LOCAL lock_timeout = '2s';
  SET LOCAL session_replication_role = replica;  -- in any order, whatever refers to whatever
  FOR one IN SELECT oid::regclass AS name, pg_relation_size(oid) AS size FROM pg_class
    WHERE relnamespace = {schema}::regnamespace AND relkind = 'r' AND relname <> 'alembic_version'
  LOOP
    IF one.size > {large} THEN EXECUTE format('TRUNCATE %s CASCADE', one.name);
    ELSIF one.size > 0 THEN EXECUTE format('DELETE FROM %s', one.name);
    END IF;
  END LOOP;
  PERFORM setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
    FROM pg_sequences WHERE schemaname = {schema} AND last_value IS NOT NULL;
END $$
""")
_COPIED: Final = SQL("""
DO $$
DECLARE one record;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR one IN SELECT relname AS name FROM pg_class WHERE relnamespace = {original}::regnamespace
    AND relkind = 'r' AND relname <> 'alembic_version' AND pg_relation_size(oid) > 0
  LOOP
    EXECUTE format('INSERT INTO %I.%I SELECT * FROM %I.%I', {schema}, one.name, {original}, one.name);
  END LOOP;
  PERFORM setval(format('%I.%I', {schema}, sequencename)::regclass, last_value)
    FROM pg_sequences WHERE schemaname = {original} AND last_value IS NOT NULL;
END $$
""")

_free: Final[list[str]] = []
"""URLs of schemas that are as a new store is."""
_forms: Final[set[str]] = set()
"""What a new one is made of."""


@contextmanager
def lent_schema(folder: Path) -> Iterator[str]:
    """The URL of a store without anything in it, that nobody else has until the block ends; `folder` names it
    if it has to be made. One whose tables a test has changed, or left at work, is not lent again.
    """
    url = _free.pop() if _free else _made(folder)
    yield url
    schema = schema_of(url)
    with _connected() as connection:
        if _form(connection, schema) in _forms and not connection.execute(_AT_WORK).fetchone():
            connection.execute(_EMPTIED.format(schema=Literal(schema), large=Literal(_LARGE)))
            _free.append(url)


def copy_schema(original: str, url: str) -> None:
    """All of a store that nobody has open, into another without anything in it; by their URLs."""
    with _connected() as connection:
        connection.execute(
            _COPIED.format(schema=Literal(schema_of(url)), original=Literal(schema_of(original)))
        )


def _made(folder: Path) -> str:
    url = postgresql_url(folder)
    open_store(url).close()
    with _connected() as connection:
        _forms.add(_form(connection, schema_of(url)))
    return url


def _form(connection: psycopg.Connection, schema: str) -> str:
    version = SQL("SELECT version_num FROM {}").format(Identifier(schema, "alembic_version"))
    found = connection.execute(_FORM, {"schema": schema}).fetchone()
    return f"{found} of version {connection.execute(version).fetchall()}"


def _connected() -> psycopg.Connection:
    return psycopg.connect(running_postgresql().address, autocommit=True)
