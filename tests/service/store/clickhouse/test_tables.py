"""The tables of a cluster, as today's engine reads what makes them: no test starts what replicas want."""

from __future__ import annotations

import re

import httpx

from service.store.archived_rows import OWNERS
from service.store.clickhouse.tables import tables_made
from tests.running_clickhouse import RunningClickHouse


def explained(clickhouse: RunningClickHouse, statement: str) -> str:
    """Which parts the engine finds in it."""
    address = f"http://127.0.0.1:{clickhouse.port}/"
    answer = httpx.post(address, content=f"EXPLAIN AST {statement}", timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.text


def test_rows_of_a_site_are_on_the_replicas_of_one_shard_below_a_table_of_all_shards(
    clickhouse: RunningClickHouse,
) -> None:
    of_database, *of_tables = tables_made("years", "shops")
    assert "CreateQuery" in explained(clickhouse, of_database)
    assert len(of_tables) == 2 * len(OWNERS)
    for statement in of_tables:
        assert " ON CLUSTER `shops` " in statement
        told = explained(clickhouse, statement)
        engine = re.search(r"Storage definition .*\n\s+Function (\w+)", told)
        assert engine, told
        is_local = "_local` ON CLUSTER" in statement
        assert engine[1] == ("ReplicatedReplacingMergeTree" if is_local else "Distributed")
        if is_local:
            assert "Literal \\'{replica}\\'" in told
            assert "{shard}/years/" in told
        else:
            assert "Function cityHash64" in told
            assert "Identifier site" in told
