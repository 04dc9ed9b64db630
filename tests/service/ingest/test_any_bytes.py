"""Whatever bytes come, what reads them gives what it reads or refuses them in its own words."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.counter_topics import TopicRuleError, maker_of, read_rules, reading_of
from service.exception_handlers import ServiceError
from service.ingest.count_batch import read_count_batch
from service.ingest.count_csv import CountFileError
from service.ingest.count_file import Absent, read_count_file
from service.ingest.level_batch import read_level_batch
from service.ingest.site_document import SiteFaultsError, read_site_document
from service.ingest.site_file import SiteFileError, read_site_file
from service.request_body import parse_json
from service.sensors.adapters.generic import generic_adapter, try_mapping
from service.sensors.adapters.terabee import TERABEE
from service.sensors.mapping import Mapping as CounterMapping
from service.sensors.told_count import Kind, ReportError
from tests.damaged import ANY_BYTES, damaged, refusal
from tests.small_site import SITE, count

NOW = datetime(2026, 3, 28, 10, tzinfo=UTC)
LATELY = datetime(2026, 3, 28, 9, 15, tzinfo=UTC)
ODD = (
    b"null",
    b"[]",
    b"{}",
    b"-1",
    b"1e400",
    b"NaN",
    b'"\\ud800"',
    b"9" * 400,
    b'""',
    b"\x00",
    b"\xff",
    b'"',
)

COUNTS = json.dumps([count(LATELY), count(LATELY, 2, 1, "archway")]).encode()
LEVEL = {"timestamp": LATELY.isoformat(), "siteId": "shop", "zoneId": "hall", "visitorsInside": 3}
LEVELS = json.dumps([LEVEL]).encode()
LONE_SITE = json.dumps(SITE.model_dump(mode="json", by_alias=True) | {"topZoneId": "shop"}).encode()
SITES = b'{"organizations": [{"id": "corner", "name": "Corner", "sites": [' + LONE_SITE + b"]}]}"
CSV = b"""timestamp,passageId,forward,backward
2026-03-28T08:00:00Z,door,1,2
2026-03-28T08:05:00+00:00,door,0,0
2026-03-28T08:10:00Z,"door, left",3,1
"""
FIELDS = st.sampled_from(sorted(CounterMapping.model_fields))
WORDS = ("a", "a.b", "rows[*]", "[", "@", "a || b", "length(@)", "`1`", "interval", "event", "")
VALUES = st.sampled_from(WORDS) | st.none() | st.booleans() | st.integers() | st.text(max_size=20)
MAPPED = CounterMapping(kind=Kind.EVENT, serial="a", end="b", forward="c", identity="b || a")
ROW = b'{"a": "S-1", "b": "2026-03-28T09:15:00Z", "c": 3}'
LATEST = b"9999-12-31T23:59:59-14:00"
CSV_PIECES = (
    b"\r",
    b'"',
    b";",
    b"\t",
    b"\xef\xbb\xbf",
    b"\x1f\x8b",
    b"\n\n",
    b"9999-12-31T23:59:59-14:00",
    b"1e9",
)


def refused_in_words(work: Callable[[], object], *kinds: type[Exception]) -> bool:
    return refusal(work, *kinds) != ""


@pytest.mark.parametrize("read", [read_count_batch, read_level_batch])
@given(body=ANY_BYTES | damaged(COUNTS, LEVELS, pieces=ODD), limit=st.sampled_from((1, 100)))
def test_a_body_of_counts_or_levels(
    read: Callable[[bytes, datetime, int], list[Any]], body: bytes, limit: int
) -> None:
    assert refused_in_words(lambda: read(body, NOW, limit), ServiceError)


@given(ANY_BYTES | damaged(SITES, LONE_SITE, pieces=ODD))
def test_a_file_of_sites(content: bytes) -> None:
    assert refused_in_words(lambda: read_site_file(content), SiteFileError)


@given(ANY_BYTES | damaged(LONE_SITE, pieces=ODD))
def test_a_site_as_an_administrator_sends_it(body: bytes) -> None:
    def read() -> object:
        return read_site_document(parse_json(body), SITE.id, SITE.organization_id or "")

    assert refused_in_words(read, ServiceError, SiteFaultsError)


@given(
    ANY_BYTES | damaged(CSV, gzip.compress(CSV), pieces=CSV_PIECES),
    st.sampled_from((None, 1, 5, 1440)),
    st.sampled_from(Absent),
)
@example(gzip.compress(CSV)[:-9], 5, Absent.MISSING)
def test_a_file_of_counts(content: bytes, interval: int | None, absent: Absent) -> None:
    def sites(ids: Collection[str]) -> Mapping[str, str]:
        return {one: "shop" for one in ids if "door" in one}

    with TemporaryDirectory() as folder:
        path = Path(folder) / "counts.csv"
        path.write_bytes(content)

        def read() -> None:
            with closing(read_count_file(path, interval, NOW, sites, absent=absent)) as counts:
                assert sum(len(series.minutes) for series in counts.series()) >= counts.rows

        # The last three: what was packed is damaged, which the command says.
        assert refused_in_words(read, CountFileError, EOFError, OSError, zlib.error)


@given(st.text(max_size=80) | st.text("a/+#={}maker-3d,", max_size=40), st.text("a/b+#\x00é", max_size=20))
def test_rules_of_topics_and_topics(rules: str, topic: str) -> None:
    def read() -> None:
        maker_of(read_rules(rules), topic)
        reading_of(TERABEE, topic)(b"online")

    assert refused_in_words(read, TopicRuleError, ReportError)


@given(st.dictionaries(FIELDS, VALUES, max_size=8), ANY_BYTES | damaged(ROW, pieces=ODD))
def test_a_mapping_that_is_tried_on_a_body(fields: dict[str, Any], body: bytes) -> None:
    tried = try_mapping(fields, body)
    assert not isinstance(tried, dict) or all(tried.values())


@given(ANY_BYTES | damaged(ROW, b"[" + ROW + b"]", pieces=ODD))
def test_a_body_that_a_mapping_reads(body: bytes) -> None:
    assert refused_in_words(lambda: generic_adapter(MAPPED).read(body), ReportError)
