"""Reports of all sites, read one after another in the background, shared by all who look at them.

The API answers for one site at a time. So nobody waits for all of them: whoever looks gets what is known by
now, and the looking keeps the reading going. It ends by itself soon after the last look.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from math import inf
from threading import Condition, Thread
from typing import Final

import structlog

from analysis.site_report import ReadingRest, SiteReport
from api_client import CLIENT_ENDED, ApiClientError, Forbidden, NotFound, Unreachable
from contract import SiteSummary
from live.reconnect import asked_pause
from runtime.cooldown import LONGEST_ASKED, Cooldown
from runtime.survey_limits import SurveyLimits, Turn

_FAILURES_BEFORE: Final = 3
_STRIDE: Final = 0.38
"""Of the sites that wait, passed over after one that failed or whose past did: those beside it often do."""
_USUALLY: Final = 4.0
"""How many times as long as a site that answers a site may take before the others have their turn."""
_WORTH_TELLING: Final = 8.0
"""Seconds of a pause."""
_log: Final = structlog.get_logger("runtime.survey")
Streamed = Callable[[SiteSummary, SiteReport | None, float | None], SiteReport | None]


class Survey:
    """Reads the reports of all sites in threads of its own while somebody looks. Safe to use from any thread.

    `read(site, report before, seconds)` queries the service within so many seconds and raises ApiClientError.
    `streamed`, called likewise, gives what the site's open stream brings; without seconds it queries nothing.
    A report that is not judged yet has another turn as soon as all others had one. A site that failed has its
    next one when nothing else is due, with more patience if it hung, and the value of its stream meanwhile.
    After several failures in a row one site is asked that worked: only if that fails, too, no site is read
    for a while; until then a `Retry-After` concerns its site. Once the service is heard again, by what is
    read after that while or as `_hear` tells, all that failed is due. `is_told`: whether reading costs the
    service nothing now. `clock` is monotonic, in seconds.
    """

    def __init__(
        self,
        read: Callable[[SiteSummary, SiteReport | None, float], SiteReport],
        streamed: Streamed = lambda *_: None,
        *,
        is_told: Callable[[], bool] = lambda: False,
        limits: SurveyLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._streamed = streamed
        self._is_told = is_told
        self._clock = clock
        self._limits = limits or SurveyLimits()
        self._changed = Condition()
        self._sites: dict[str, SiteSummary] = {}
        self._reports: dict[str, SiteReport] = {}
        self._kept_at: dict[str, float] = {}
        """In monotonic seconds: a report's own time is of the wall clock, which may be set."""
        self._waiting: deque[str] = deque()
        self._unjudged: deque[str] = deque()
        self._failing: deque[str] = deque()
        self._reading: set[str] = set()
        self._heard: set[str] = set()
        """Sites that failed, and of which a stream was heard since."""
        self._heard_at = -inf
        self._spared: dict[str, float] = {}
        """Site id -> end of the pause that its answer asked for, in monotonic seconds."""
        self._round_due = 0.0
        self._rounds_begun = (0.0, 0.0)
        """When the round before began, and this one, in monotonic seconds."""
        self._failures = 0
        """In a row, of whatever sites."""
        self._probed = ""
        """Id of the site by which it is found out whose they are; empty: none is asked for that now."""
        self._cooldown = Cooldown(after=1)
        self._taken = 0.0
        """Seconds, by the site that answered last."""
        self._asked_at = 0.0
        self.readers = 0
        """Threads that read now; none once nobody has looked for a while."""
        self._closed = False

    def look(self, sites: Sequence[SiteSummary], heard_at: float = -inf) -> Mapping[str, SiteReport]:
        """What is known by now, by site id, and let it be read on; `sites` are all that the key can read.

        `heard_at`: when the service answered again what it had failed to, by the clock of the survey.
        """
        with self._changed:
            self._asked_at = self._clock()
            self._set_sites({site.id: site for site in sites})
            self._forget_old()
            self._hear(heard_at)
            while self.readers < self._limits.at_once and not self._closed:
                self.readers += 1
                Thread(target=self._run, name="headroom-survey", daemon=True).start()
            return dict(self._reports)

    def look_first(self, site_ids: Sequence[str], seconds: float) -> Mapping[str, SiteReport]:
        """`look` at the same sites, `site_ids` read before all others. Waits for those that never were read,
        `seconds` at most, and not during a pause.
        """
        with self._changed:
            for id_ in reversed(site_ids):
                if id_ not in self._reports and id_ in self._waiting:
                    self._waiting.remove(id_)
                    self._waiting.appendleft(id_)
            if not self._cooldown.pause:
                self._changed.wait_for(lambda: all(id_ in self._reports for id_ in site_ids), seconds)
            return dict(self._reports)

    @property
    def rest(self) -> ReadingRest | None:
        """The pause in which no site is read now; one of some seconds is not shown."""
        pause = self._cooldown.pause
        if pause is None or pause.seconds < _WORTH_TELLING:
            return None
        return ReadingRest(pause.until, str(pause.error), pause.error.summary)

    def close(self) -> None:
        """End the reading. May be called more than once."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _set_sites(self, sites: dict[str, SiteSummary]) -> None:
        if sites.keys() != self._sites.keys():
            self._reports = {id_: report for id_, report in self._reports.items() if id_ in sites}
            self._waiting.extendleft(id_ for id_ in reversed(list(sites)) if id_ not in self._sites)
            self._changed.notify_all()
        is_first = not self._sites
        self._sites = sites
        if is_first:
            now = self._clock()
            self._round_due, self._rounds_begun = now + self._round, (now, now)

    @property
    def _round(self) -> float:
        return self._limits.round(len(self._sites), is_told=self._is_told())

    def _forget_old(self) -> None:
        for id_ in filter(self._is_old, list(self._reports)):
            if report := self._streamed(self._sites[id_], self._reports.pop(id_), None):
                # Nobody has asked it since: what its stream brings says nothing of whether it answers.
                self._reports[id_], self._kept_at[id_] = report._replace(is_of_stream=False), self._clock()

    def _hear(self, heard_at: float) -> None:
        """An answer, or a stream that flows again, says that the service is well, and says so once."""
        failed = [id_ for id_, report in self._reports.items() if report.failure]
        self._heard.intersection_update(failed)
        unheard = [id_ for id_ in failed if id_ not in self._heard]
        heard = {id_ for id_ in unheard if self._streamed(self._sites[id_], None, None)}
        is_news = heard_at > self._heard_at and any(self._kept_at[id_] < heard_at for id_ in failed)
        self._heard |= heard
        self._heard_at = max(heard_at, self._heard_at)
        if heard or is_news:
            self._failures = 0
            self._cooldown.over()
            self._ask_failed()

    def _ask_failed(self) -> None:
        """What failed is asked for when nothing else is due, instead of in the next round."""
        now, failed = self._clock(), [id_ for id_, report in self._reports.items() if report.failure]
        spared = (id_ for id_, ends in self._spared.items() if ends > now)
        held = self._reading.union(self._waiting, self._failing, spared)
        self._failing.extend(id_ for id_ in failed if id_ not in held)
        self._changed.notify_all()

    def _is_old(self, site_id: str) -> bool:
        age = self._clock() - self._kept_at[site_id]
        if not self.readers:
            return age > min(self._limits.oldest, self._round)
        is_of_these_rounds = self._kept_at[site_id] >= self._rounds_begun[0] and self.rest is None
        return age > self._limits.oldest and not (self._reports[site_id].failure or is_of_these_rounds)

    def _run(self) -> None:
        try:
            while (turn := self._next()) is not None:
                begun, is_first = self._clock(), turn.site.id not in self._reports
                try:
                    has_hung = self._read_turn(turn)
                finally:
                    self._done(turn.site.id)
                taken = self._clock() - begun
                is_eager = is_first and len(self._sites) <= self._limits.eager
                is_restless = has_hung or (is_eager and taken <= self._limits.soon)
                self._rest(0.0 if is_restless else self._limits.rest * taken)
        except Exception:
            _log.exception("a survey's reader failed")
            raise
        finally:
            with self._changed:
                self.readers -= 1

    def _next(self) -> Turn | None:
        """Wait until a site is due, and take its turn; None: nobody looks any more."""
        with self._changed:
            while True:
                now = self._clock()
                if self._closed or now - self._asked_at > self._limits.linger:
                    return None
                if now >= self._round_due and not (self._waiting or self._unjudged):
                    self._begin_round(now)
                if (wait := self._wait(now)) > 0:
                    self._changed.wait(min(wait, self._limits.linger))
                    continue
                is_patient = self._is_doubtful or self._queue is self._failing
                if (site := self._sites.get(self._next_id())) and site.id not in self._reading:
                    self._reading.add(site.id)
                    self._probed = site.id if self._is_doubtful else ""
                    return Turn(site, self._limits.longest if is_patient else self._patience, is_patient)

    @property
    def _patience(self) -> float:
        return min(max(self._limits.patience, _USUALLY * self._taken), self._limits.longest)

    def _begin_round(self, now: float) -> None:
        """What is left of the sites that failed waits on: no other site's value is to grow old for them."""
        self._round_due = now + self._round
        self._rounds_begun = (self._rounds_begun[1], now)
        self._spared = {id_: ends for id_, ends in self._spared.items() if ends > now}
        held = self._reading.union(self._failing, self._spared)
        for id_ in self._sites:
            if id_ not in held:
                (self._failing if self._has_failed(id_) else self._waiting).append(id_)

    def _has_failed(self, site_id: str) -> bool:
        """Whether the service did not answer the last query for it."""
        report = self._reports.get(site_id)
        return report is not None and bool(report.failure or report.is_of_stream)

    @property
    def _queue(self) -> deque[str]:
        return self._waiting or self._unjudged or self._failing

    @property
    def _is_doubtful(self) -> bool:
        """Whether the failures may be the service's."""
        return self._failures >= _FAILURES_BEFORE

    def _wait(self, now: float) -> float:
        """Seconds until the next site may be asked; anything that changes ends it."""
        if self._probed:
            return self._limits.linger
        pause = self._cooldown.pause
        return max(pause.ends if pause else now, now if self._queue else self._round_due) - now

    def _next_id(self) -> str:
        """Id of the site to read: the next, or in doubt the one that worked and was read the longest ago."""
        ids = self._reports.keys() - self._reading if self._is_doubtful else ()
        good = [id_ for id_ in ids if not self._has_failed(id_)]
        if not good:
            return self._queue.popleft()
        probe = min(good, key=self._kept_at.__getitem__)
        for queue in (self._waiting, self._unjudged):
            if probe in queue:
                queue.remove(probe)
        return probe

    def _read_turn(self, turn: Turn) -> bool:
        """Read one site and keep its report; whether it hung, which costs the service nothing."""
        site, begun = turn.site, self._clock()
        before = self._reports.get(site.id)
        try:
            report = self._read(site, before, turn.patience)
        except ApiClientError as error:
            if error.code == CLIENT_ENDED:
                self.close()
            elif not isinstance(error, NotFound | Forbidden):
                self._failed(site.id, error)
            has_hung = isinstance(error, Unreachable) and error.code == "TIMEOUT"
            if instead := None if error.is_lasting else self._streamed(site, before, turn.patience):
                self._keep(site.id, instead)
            elif not (has_hung and not turn.is_patient and self._put_off(site.id)):
                self._keep(site.id, SiteReport(datetime.now(UTC), failure=str(error)))
            return has_hung
        with self._changed:
            self._failures = 0
            self._taken = self._clock() - begun
        self._keep(site.id, report)
        if self._cooldown.worked():
            with self._changed:
                self._ask_failed()
        return False

    def _put_off(self, site_id: str) -> bool:
        """Ask a site that hangs again when nothing else is due; whether what is known of it holds so long."""
        with self._changed:
            self._failing.append(site_id)
            return site_id in self._reports

    def _failed(self, site_id: str, error: ApiClientError) -> None:
        with self._changed:
            self._failures += 1
            self._spared[site_id] = self._clock() + asked_pause(error, LONGEST_ASKED)
        if site_id == self._probed:
            self._cooldown.failed(error)

    def _keep(self, site_id: str, report: SiteReport) -> None:
        with self._changed:
            if site_id in self._sites:
                self._reports[site_id], self._kept_at[site_id] = report, self._clock()
                self._changed.notify_all()
                if not report.is_judged:
                    self._unjudged.append(site_id)
                elif report.failure or not report.is_proven:
                    for queue in (self._waiting, self._unjudged):
                        queue.rotate(-int(_STRIDE * len(queue)))

    def _done(self, site_id: str) -> None:
        with self._changed:
            self._reading.discard(site_id)
            if site_id == self._probed:
                self._probed = ""
                self._changed.notify_all()

    def _rest(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed, seconds)
