"""Rows of text to columns of numbers: thousands at a time, and one by one only where something is wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

import numpy as np

from contract.minutes import minute_number, minute_start
from service.ingest.count_csv import COLUMNS, LONGEST_LINE, CountForm, Findings, Problem
from service.ingest.count_time import LARGEST_COUNT, CountTimeError, check_passed, read_count_time
from service.ingest.staged_counts import Rows

FindSites = Callable[[Collection[str]], Mapping[str, str]]
"""Passage ids -> passage id: site id, of those that exist."""

_MINUTES: Final = {f"{minute:02}": minute for minute in range(60)}
_MINUTE: Final = slice(14, 16)
"""Where the minute stands in an ISO 8601 timestamp."""
_HOURS_KEPT: Final = 100_000
_MOST_DIGITS: Final = len(str(LARGEST_COUNT))
_PASSAGES_REPORTED: Final = 1000


class _RowError(ValueError):
    """What is wrong with one field of a row."""


class CountRows:
    """Reads the rows of one file; remembers the passages and the hours that it has met."""

    def __init__(
        self, form: CountForm, interval: int, now: datetime, find_sites: FindSites, findings: Findings
    ) -> None:
        self.passages: dict[str, int] = {}
        """Passage id -> number by which its rows are known; of passages that exist."""
        self.sites: list[str] = []
        """Site ids by the passage's number."""
        self.form = form
        self._interval = interval
        self._now = now
        self._find_sites = find_sites
        self._findings = findings
        self._hours: dict[str, int] = {}
        self._unknown_reported: set[str] = set()
        self._header_reported = False

    def read(self, lines: Sequence[int], rows: Sequence[list[str]]) -> Rows:
        """The sound rows as numbers; what is wrong with the others goes to the findings.

        `lines` is where each begins in the file, from 1. Rows without any text are none.
        """
        if sound := self._sound_rows(lines, rows):
            return sound
        lines, rows = (
            [line for line, row in zip(lines, rows, strict=True) if any(row)],
            list(filter(any, rows)),
        )
        if sound := self._sound_rows(lines, rows):
            return sound
        self._meet({passage_id for row in rows for passage_id in self._passage_ids(row)})
        explained = (self._explained(line, row) for line, row in zip(lines, rows, strict=True))
        values = np.array([numbers for numbers in explained if numbers], dtype=np.int64)
        return Rows(*values.reshape(-1, len(Rows._fields)).T)

    def _sound_rows(self, lines: Sequence[int], rows: Sequence[Sequence[str]]) -> Rows | None:
        """None when any of the rows may be wrong."""
        if set(map(len, rows)) != {self.form.width}:
            return None
        fields = list(zip(*rows, strict=True))
        timestamps, ids, forward, backward = (
            [field.strip() for field in fields[column]] for column in self.form.columns
        )
        self._meet(set(ids))
        try:
            passages = [self.passages[passage_id] for passage_id in ids]
            minutes = self._minutes(timestamps)
            people = [_all_people(column) for column in (forward, backward)]
        except (KeyError, ValueError):
            return None
        columns = (passages, minutes, lines, *people)
        return Rows(*(np.array(column, dtype=np.int64) for column in columns))

    def _minutes(self, timestamps: Sequence[str]) -> list[int]:
        """Raises KeyError, CountTimeError.

        The hour of each is read once: what differs within it is two digits.
        """
        if len(self._hours) > _HOURS_KEPT:
            self._hours.clear()
        # Without the two digits, which are put back as 00 when the hour is read.
        hours = [f"{text[: _MINUTE.start]}00{text[_MINUTE.stop :]}" for text in timestamps]
        for hour in set(hours) - self._hours.keys():
            self._hours[hour] = _minute(hour)
        minutes = [
            self._hours[hour] + _MINUTES[text[_MINUTE]] for hour, text in zip(hours, timestamps, strict=True)
        ]
        self._check_passed(max(minutes))
        return minutes

    def _check_passed(self, minute: int) -> None:
        check_passed(minute_start(minute), self._interval, self._now)

    def _meet(self, passage_ids: set[str]) -> None:
        """Look passages up that come for the first time."""
        new = {passage_id for passage_id in passage_ids - self.passages.keys() if _is_text(passage_id)}
        for passage_id, site_id in sorted(self._find_sites(new).items()) if new else ():
            self.passages[passage_id] = len(self.passages)
            self.sites.append(site_id)

    def _passage_ids(self, row: list[str]) -> list[str]:
        column = self.form.columns[COLUMNS.index("passageId")]
        return [text.strip() for text in row[column : column + 1]]

    def _explained(self, line: int, row: list[str]) -> tuple[int, ...] | None:
        """The row's numbers in the order of `Rows`; None when something is wrong, which is then reported."""
        extra = row[self.form.width :]
        too_long = sum(map(len, row)) + len(row) > LONGEST_LINE
        if len(row) < self.form.width or any(extra) or too_long:
            reason = f"has {len(row)} fields, and the header {self.form.width}"
            if too_long:
                reason = f"is longer than {LONGEST_LINE} characters: is a quote not closed?"
            self._findings.add(line, Problem.FORM, reason)
            return None
        fields = [row[column].strip() for column in self.form.columns]
        if wrong := next((field for field in fields if not _is_text(field)), None):
            reason = f"{wrong.encode(errors='surrogateescape')!r} is not UTF-8: save the file as CSV (UTF-8)"
            self._findings.add(line, Problem.ENCODING, reason)
            return None
        if self._is_header(fields):
            reason = "repeats the header, as where files were joined: remove such lines"
            self._findings.add(line, Problem.FORM, None if self._header_reported else reason)
            self._header_reported = True
            return None
        timestamp, passage_id, forward, backward = fields
        values = (
            self._reported(line, Problem.PASSAGE, lambda: self._passage(passage_id)),
            self._reported(line, Problem.TIME, lambda: self._start(timestamp)),
            line,
            self._reported(line, Problem.PEOPLE, lambda: _people("forward", forward)),
            self._reported(line, Problem.PEOPLE, lambda: _people("backward", backward)),
        )
        sound = tuple(value for value in values if value is not None)
        return sound if len(sound) == len(values) else None

    def _is_header(self, fields: Sequence[str]) -> bool:
        return [field.casefold() for field in fields] == [name.casefold() for name in COLUMNS]

    def _reported(self, line: int, problem: Problem, read: Callable[[], int]) -> int | None:
        try:
            return read()
        except _RowError as error:
            self._findings.add(line, problem, str(error) or None)
            return None

    def _passage(self, passage_id: str) -> int:
        if not passage_id:
            raise _RowError("passageId is empty")
        number = self.passages.get(passage_id)
        if number is None:
            # Once for all of its rows.
            if passage_id in self._unknown_reported or len(self._unknown_reported) == _PASSAGES_REPORTED:
                raise _RowError
            self._unknown_reported.add(passage_id)
            raise _RowError(f"there is no passage {passage_id!r}")
        return number

    def _start(self, timestamp: str) -> int:
        try:
            minute = _minute(timestamp)
            self._check_passed(minute)
        except CountTimeError as error:
            raise _RowError(f"timestamp {timestamp!r} {error}") from error
        return minute


def _minute(timestamp: str) -> int:
    start = read_count_time(timestamp)
    if start.second or start.microsecond:
        raise CountTimeError("is not the start of a minute")
    return minute_number(start)


def _all_people(texts: Sequence[str]) -> list[int]:
    # int() alone would take "1_000", " 7" and other scripts' digits.
    joined = "".join(texts)
    if not (joined.isascii() and joined.isdigit() and all(texts)) or max(map(len, texts)) > _MOST_DIGITS:
        raise ValueError
    people = list(map(int, texts))
    if max(people) > LARGEST_COUNT:
        raise ValueError
    return people


def _people(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text[:20]) > LARGEST_COUNT:
        raise _RowError(f"{name} {text!r} is not a whole number from 0 to {LARGEST_COUNT}")
    return int(text)


def _is_text(text: str) -> bool:
    """False for bytes that were no UTF-8: read as lone surrogates, they are reported with their line."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
