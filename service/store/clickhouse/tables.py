"""The tables of an archive: those of series, with the site to which a row belongs.

A row takes the place of one of the same series and minute by a later `shipment`; with `gone` it says that
there is none any more. ClickHouse merges them when it has time, and whoever reads asks for the last
(`FINAL`). In a cluster each shard has the rows of some sites, in as many copies as it has replicas, and
`Distributed` tables are what is written to and read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlalchemy import Table

from service.store.archived_rows import OWNERS

_YEAR: Final = 525_600
"""Minutes of a part, so that decades are some dozens of parts."""


def tables_made(database: str, cluster: str | None) -> Iterator[str]:
    """Statements that make what is not there."""
    everywhere = f" ON CLUSTER {quoted(cluster)}" if cluster else ""
    yield f"CREATE DATABASE IF NOT EXISTS {quoted(database)}{everywhere}"
    for table in OWNERS:
        name = f"{quoted(database)}.{quoted(table.name)}"
        if not cluster:
            yield f"CREATE TABLE IF NOT EXISTS {name} ({_columns(table)}) ENGINE = {_engine('')}"
            continue
        local = f"{quoted(database)}.{quoted(table.name + '_local')}"
        path = f"'/clickhouse/tables/{{shard}}/{database}/{table.name}', '{{replica}}'"
        engine = _engine("Replicated", path)
        yield f"CREATE TABLE IF NOT EXISTS {local}{everywhere} ({_columns(table)}) ENGINE = {engine}"
        spread = f"{quoted(cluster)}, {quoted(database)}, {quoted(table.name + '_local')}, cityHash64(site)"
        yield (
            f"CREATE TABLE IF NOT EXISTS {name}{everywhere} ({_columns(table)})"
            f" ENGINE = Distributed({spread})"
        )


def _engine(kind: str, *parameters: str) -> str:
    given = ", ".join((*parameters, "shipment"))
    order = f"PARTITION BY intDiv(minute, {_YEAR}) ORDER BY (site, number, minute)"
    return f"{kind}ReplacingMergeTree({given}) {order}"


def _columns(table: Table) -> str:
    numbers = ", ".join(
        f"{quoted(name)} Int64 CODEC({'DoubleDelta' if name == 'minute' else 'T64'}, ZSTD(1))"
        for name in table.c.keys()  # noqa: SIM118 -- no dict
    )
    return f"site String CODEC(ZSTD(1)), {numbers}, shipment Int64 CODEC(ZSTD(1)), gone UInt8 CODEC(ZSTD(1))"


def quoted(name: str) -> str:
    """As the name of a table or column."""
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"
