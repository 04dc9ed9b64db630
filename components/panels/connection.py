"""The connection to the service in plain words: does it answer, do its sites work, what went wrong.

At its end what support asks for, with addresses and request ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import streamlit as st

from components.number_format import UNKNOWN, Formats
from components.panels.data_table import timed_table
from components.panels.site_list import rest_note
from components.panels.viewer import page_moment, viewer_moment
from components.plain_text import code, plain, plain_name
from components.tables.connection import (
    LIVE,
    ErrorRow,
    ReaderRow,
    StreamRow,
    errors_table,
    masked,
    readers_table,
    streams_table,
    troubled_streams,
)
from components.tables.site_states import WORDS, Progress, SiteState
from components.tables.site_troubles import SiteTrouble, troubles_table, troubles_words

_USUAL_LAG: Final = timedelta(minutes=3)
"""A minute is named by its start, ends 60 s later and is published up to a minute after that."""

MOST_LINKED: Final = 24
"""Troubled sites that have a row of their own; the others stand in a table."""
_OF_SITES: Final = {
    "site": "Site", "state": "State", "meaning": "What is wrong", "measured_at": "Newest count",
}  # fmt: skip
_OF_STREAMS: Final = {
    "place": "Place", "state": "State", "since": "Since", "reason": "Why", "next_step": "What happens next",
}  # fmt: skip

_STREAM_HEADINGS: Final = {
    "place": "Place", "feed": "Feed", "state": "State", "since": "Since", "reason": "Why",
    "next_step": "What next", "viewers": "Viewers", "measured_at": "Measured", "reconnects": "Reconnects",
    "skipped": "Events skipped", "request_id": "Request id",
}  # fmt: skip
_OF_READERS: Final = {
    "place": "Passages of", "read": "Read", "listed": "Of", "reason": "Why", "viewers": "Viewers",
}  # fmt: skip
_ERROR_HEADINGS: Final = {
    "time": "Time", "operation": "Asked", "code": "Code", "message": "Message", "request_id": "Request id",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Probe:
    """A request for the list of sites that was just made, to see whether the service answers."""

    seconds: float
    """How long the answer took."""
    request_id: str
    asked_at: datetime
    """UTC."""
    service_time: datetime
    """What time it was for the service then, UTC."""
    doubt: str = ""
    """A sentence on that clock, where it is not this machine's."""


def probe_panel(probe: Probe, newest: datetime | None, formats: Formats) -> None:
    """`newest` is the start of the newest minute of all sites, UTC; None: none is known yet."""
    # Read aloud when it changes, so the time that changes with each check stands beside it.
    st.success("The service answers.", icon=":material/check_circle:")
    st.caption(asked_sentence(probe.asked_at))
    if probe.doubt:
        st.warning(plain(probe.doubt), icon=":material/warning:")
    trip, lag = st.columns(2)
    trip.metric("Time to answer", plain(f"{formats.number(1000 * probe.seconds)} ms"), border=True)
    if newest is None:
        lag.metric("Age of the newest count", "none read yet", border=True)
        return
    age = probe.service_time - newest
    lag.metric("Age of the newest count", plain(formats.duration(age.total_seconds())), border=True)
    if is_late(probe, newest):
        lag.caption(":material/warning: Longer than usual; a night without anybody looks like this too.")
    lag.caption("Of all sites, since its minute began; up to three minutes are usual.")


def likeness_panel(differences: Sequence[str]) -> None:
    """In what dashboards that share a store are not set up alike, in sentences; nothing where in none."""
    if not differences:
        return
    st.error(
        plain("Dashboards that keep things together are not set up alike. " + " ".join(differences)),
        icon=":material/error:",
    )
    st.caption(
        plain(
            "What one of them gives out, as a live view or a login, the other refuses until both have the"
            " same and were started again."
        )
    )


def asked_sentence(asked_at: datetime) -> str:
    """Markdown. `asked_at` is aware."""
    return plain(f"Asked at {page_moment(asked_at)}.")


def is_late(probe: Probe, newest: datetime | None) -> bool:
    """Whether the newest minute of all sites, by its start, is older than usual."""
    return newest is not None and probe.service_time - newest > _USUAL_LAG


def sites_panel(troubles: Sequence[SiteTrouble], progress: Progress, formats: Formats, *, late: bool) -> None:
    """How many sites work, and which do not; `late`: no site has a count as young as is usual."""
    if not progress.sites:
        st.info("The service answers, but this API key can read no sites.")
        return
    said = plain(_sites_sentence(progress, troubles, formats, late=late))
    if troubles:
        st.warning(said, icon=":material/warning:")
    elif progress.is_judged and not late:
        st.success(said, icon=":material/check_circle:")
    else:
        st.info(said, icon=":material/hourglass_top:")
    rest_note(progress, tells_all=True)
    if progress.read and not progress.is_judged:
        judged, read = formats.number(progress.judged), formats.number(progress.read)
        st.caption(plain(f"Looked for missing counts and wrong numbers in {judged} of {read} so far."))
    for number, trouble in enumerate(troubles[:MOST_LINKED]):
        _linked(trouble, number)
    if rest := troubles[MOST_LINKED:]:
        st.caption(plain(f"And {formats.number(len(rest))} more:"))
        timed_table(troubles_table(rest), "sites", _OF_SITES, ["measured_at"], viewer_moment)


def _linked(trouble: SiteTrouble, number: int) -> None:
    """What is wrong with one site, whose name leads to Live, or to Site, where devices are listed."""
    newest = f"Newest count: {page_moment(trouble.measured_at)}." if trouble.measured_at else ""
    with st.container(border=True, gap=None, key=f"trouble-{number}"):
        st.page_link(
            "pages/site.py" if trouble.state is SiteState.DEVICE_OFFLINE else "pages/live.py",
            label=f"**{plain_name(trouble.site)}**",
            icon=WORDS[trouble.state].icon,
            query_params={"site": trouble.site_id},
        )
        facts = plain(" ".join(filter(None, (trouble.meaning, newest))))
        st.markdown(f"**{plain(WORDS[trouble.state].word)}.** {facts}")


def _sites_sentence(
    progress: Progress, troubles: Sequence[SiteTrouble], formats: Formats, *, late: bool
) -> str:
    """How many sites work; as they should only once all of them are judged and counts come."""
    read, sites, bad = progress.read, progress.sites, len(troubles)
    number = formats.number
    is_sure = progress.is_judged and not late
    not_all = f"{'does' if bad == 1 else 'do'} not{'' if is_sure else ' work'}"
    rest = f", {number(bad)} {not_all} ({troubles_words(troubles, formats)})." if bad else "."
    if not progress.is_complete:
        so_far = f"{number(read)} of {number(sites)} sites read so far"
        show = "shows" if read - bad == 1 else "show"
        return f"{so_far}: of these {number(read - bad)} {show} nothing wrong{rest}" if read else f"{so_far}."
    is_one = 1 in {read - bad, sites}
    if is_sure:
        works = "works as it should" if is_one else "work as they should"
    else:
        works = f"{'shows' if is_one else 'show'} nothing wrong{'' if progress.is_judged else ' so far'}"
    return f"{number(read - bad)} of {number(sites)} {'site' if sites == 1 else 'sites'} {works}{rest}"


def streams_panel(rows: Sequence[StreamRow], formats: Formats, *, running: bool) -> None:
    if not running:
        st.error(
            "The thread that reads live values has ended. Restart the dashboard.", icon=":material/error:"
        )
    rows = [row for row in rows if row.viewers]  # for a minute it is followed after the last has left
    live = sum(row.state == LIVE for row in rows)
    if not rows:
        st.info("Nobody looks at a live page or a wall right now.")
    else:
        st.markdown(plain(_followed_sentence(len(rows), live, formats)))
    if live < len(rows):
        table = troubled_streams(rows, viewer_moment)
        timed_table(table, "troubled-streams", _OF_STREAMS, [], viewer_moment)


def readers_panel(rows: Sequence[ReaderRow], formats: Formats) -> None:
    """Nothing while nobody looks at a drawing of zones and passages."""
    if not (rows := [row for row in rows if row.viewers]):
        return
    troubled = [row for row in rows if row.reason]
    sites = "the drawing of 1 site" if len(rows) == 1 else f"drawings of {formats.number(len(rows))} sites"
    known = [row.listed for row in rows if row.listed is not None]
    read = f"{formats.number(sum(row.read for row in rows))} of {formats.number(sum(known))}"
    said = f"Somebody looks at {sites}: {read} passages are read, in turn."
    st.markdown(plain(said if known else f"Somebody looks at {sites}, whose passages are not listed yet."))
    if troubled:
        table = readers_table(troubled)
        timed_table(table, "troubled-readers", _OF_READERS, [], viewer_moment)


def _followed_sentence(places: int, live: int, formats: Formats) -> str:
    if places == 1:
        return f"1 place is on an open page or wall. It is {'live' if live else 'not live'}."
    if live == places:
        which = "All are"
    else:
        which = f"{formats.number(live)} of them is" if live == 1 else f"{formats.number(live)} of them are"
    return f"{formats.number(places)} places are on open pages and walls. {which} live."


def errors_panel(rows: Sequence[ErrorRow], formats: Formats, *, check_failed: bool) -> None:
    """`check_failed`: above, the page says that its own request failed, which may stand in no log."""
    if not rows:
        others = "Besides the check above, no request" if check_failed else "No request"
        st.info(f"{others} has failed since the dashboard started.")
        return
    last = max(rows, key=lambda row: row.time)
    count = "One" if len(rows) == 1 else f"{formats.number(len(rows))}, the newest"
    when = page_moment(last.time, seconds=True)
    st.markdown(plain(f"{count} at {when}: {last.message}"))


@dataclass(frozen=True, slots=True)
class Endpoint:
    base_url: str
    api_key: str
    embedded: bool
    """Whether the dashboard started the service itself."""
    organizations: Sequence[str]
    """Whose sites the key reads; empty: not known."""
    server_tag: str
    request_id: str
    """Of the newest answer to the page's own query; empty: there was none."""


def support_panel(endpoint: Endpoint, streams: Sequence[StreamRow], errors: Sequence[ErrorRow]) -> None:
    _facts(endpoint)
    if streams:
        st.caption("Open streams: one for each place that is looked at, or one for all of a list")
        table = streams_table(streams, _to_the_second)
        timed_table(table, "streams", _STREAM_HEADINGS, ["measured_at"], _to_the_second)
    if errors:
        st.caption("Last errors: quote the request id to whoever runs the service")
        timed_table(errors_table(errors), "errors", _ERROR_HEADINGS, ["time"], _to_the_second)


def _facts(endpoint: Endpoint) -> None:
    kind = "(embedded: started by this dashboard)" if endpoint.embedded else "(configured: HEADROOM_BASE_URL)"
    facts = {  # name -> Markdown
        "Service": f"{code(endpoint.base_url)} {plain(kind)}",
        "API key": plain(masked(endpoint.api_key)),
        "Organization": plain(", ".join(endpoint.organizations) or UNKNOWN),
        "Server tag": plain(endpoint.server_tag or UNKNOWN),
        "Request id": code(endpoint.request_id) or plain(UNKNOWN),
    }
    with st.container(horizontal=True, gap="medium"):
        for name, value in facts.items():
            with st.container(width="content", gap=None):
                st.caption(plain(name))
                st.markdown(value)


def _to_the_second(moment: datetime) -> str:
    """A time with its seconds, so that it can be found in the service's log."""
    return viewer_moment(moment, seconds=True)
