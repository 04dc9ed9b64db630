"""The recordings on their whole way: files -> command line -> service -> HTTP -> client -> table."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pandas as pd

from analysis.bucket_table import bucket_table
from analysis.history_request import HistoryRequest
from analysis.subject import Subject, passage_subjects, whole_site, zone_subjects
from analysis.time_range import TimeRange
from api_client import Client
from contract import Aggregation, Granularity, MetricKey, Site
from contract.minutes import minute_number
from service.demo_data import HARDBRUECKE, SDU_ROOMS
from service.replay.rooms_replay import RoomDay, RoomsReplay, read_room_days
from service.replay.stop_recording import Recording
from service.replay.stop_replay import passage_id, read_stop, stop_record
from service.store.protocol import PassageCount, SiteRecord
from tests.forked_process import run_forked
from tests.played_counts import played_counts
from tests.running_service import ROOT

ORGANIZATION = "facts"
ZURICH = ZoneInfo("Europe/Zurich")
ODENSE = ZoneInfo("Europe/Copenhagen")
FIRST_ROOM_DAY = date(2025, 11, 3)
"""A Monday. Three weeks from here play each of the fifteen recorded days at least once."""
LAST_ROOM_DAY = FIRST_ROOM_DAY + timedelta(days=20)

Row = tuple[str, str, int, int]


def headroom(data_dir: Path, *command: str) -> str:
    """What `python -m service` prints."""
    ended = run_forked(["service", *command, "--data-dir", str(data_dir)], folder=ROOT, patience=300.0)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def import_recordings(data_dir: Path) -> None:
    """Import both recordings, the stop's at its own dates, as an operator would."""
    recording = read_stop(HARDBRUECKE)
    rooms = RoomsReplay(read_room_days(SDU_ROOMS), ORGANIZATION)
    records = (stop_record(tuple(recording.lines), ORGANIZATION), rooms.record)
    sites = data_dir / "sites.json"
    sites.write_text(json.dumps(site_file(records)))
    headroom(data_dir, "sites", "import", str(sites))
    stop_file = write_counts(data_dir / "stop.csv.gz", stop_rows(recording))
    headroom(data_dir, "counts", "import", str(stop_file), "--interval", "5")
    first, end = midnight(FIRST_ROOM_DAY, ODENSE), midnight(LAST_ROOM_DAY + timedelta(days=1), ODENSE)
    room_counts = played_counts(rooms, minute_number(first), minute_number(end))
    headroom(data_dir, "counts", "import", str(write_counts(data_dir / "rooms.csv.gz", rows(room_counts))))


def site_file(records: Sequence[SiteRecord]) -> dict[str, object]:
    sites = [
        record.site.model_dump(mode="json", by_alias=True)
        | {"topZoneId": record.top_zone_id, "dailyResetHour": record.daily_reset_hour}
        for record in records
    ]
    return {"organizations": [{"id": ORGANIZATION, "name": "Facts", "sites": sites}]}


def stop_rows(recording: Recording) -> Iterator[Row]:
    """One row per line and five minutes that were counted, quiet ones included."""
    for line, counts in recording.lines.items():
        for index, count in enumerate(counts):
            if count:
                start = (recording.start + timedelta(minutes=5 * index)).replace(tzinfo=ZURICH)
                yield start.isoformat(), passage_id(line), count.entered, count.left


def rows(counts: Iterable[PassageCount]) -> Iterator[Row]:
    for count in counts:
        start = datetime.fromtimestamp(count.minute * 60, ODENSE)
        yield start.isoformat(), count.passage_id, count.forward, count.backward


def write_counts(path: Path, rows: Iterable[Row]) -> Path:
    with gzip.open(path, "wt", compresslevel=1, encoding="utf-8", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(("timestamp", "passageId", "forward", "backward"))
        writer.writerows(rows)
    return path


def midnight(day: date, timezone: ZoneInfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=timezone)


@dataclass(frozen=True)
class Recordings:
    """The recordings as a dashboard reads them."""

    client: Client
    stop: Site
    rooms: Site
    room_days: Sequence[RoomDay]

    def table(
        self,
        site: Site,
        subjects: Sequence[Subject],
        start: datetime,
        end: datetime,
        *,
        metrics: Sequence[MetricKey] = (MetricKey.ENTRANCES, MetricKey.EXITS),
        granularity: Granularity = Granularity.DAY,
        aggregation: Aggregation | None = None,
    ) -> pd.DataFrame:
        """The history page's table: rows are buckets in the site's time zone, columns (label, metric)."""
        timezone = ZoneInfo(site.timezone or "Etc/UTC")
        request = HistoryRequest(
            site_id=site.id,
            subjects=tuple(subjects),
            metrics=tuple(metrics),
            range=TimeRange(start, end),
            timezone=timezone,
            asked_at=datetime.now(timezone),
            granularity=granularity,
            aggregation=aggregation,
        )
        points = {
            subject.label: self.client.metrics(query).points for subject, query in request.queries().items()
        }
        return bucket_table(points, request.metrics, request.range, granularity, timezone)

    def stop_table(
        self,
        subjects: Sequence[Subject],
        start: str,
        end: str,
        granularity: Granularity = Granularity.DAY,
        metrics: Sequence[MetricKey] = (MetricKey.ENTRANCES, MetricKey.EXITS),
    ) -> pd.DataFrame:
        """`start` and `end` are wall clock times in Zürich."""
        edges = [datetime.fromisoformat(text).replace(tzinfo=ZURICH) for text in (start, end)]
        return self.table(self.stop, subjects, *edges, granularity=granularity, metrics=metrics)

    @property
    def whole_stop(self) -> list[Subject]:
        return [whole_site(self.stop)]

    def platforms(self, *names: str) -> list[Subject]:
        return zone_subjects(self.stop, [f"hardbruecke-{name.lower()}" for name in names])

    def lines(self, *names: str) -> list[Subject]:
        return passage_subjects(self.stop, [passage_id(name) for name in names])


def both_ways(table: pd.DataFrame, label: str) -> tuple[int, int]:
    """Sum of entrances and of exits."""
    return int(table[label, "entrances"].sum()), int(table[label, "exits"].sum())
