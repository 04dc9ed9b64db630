"""An archive in ClickHouse: one server, or a cluster of shards."""
