"""Which sites the overview shows, in what order: search, sort, filter and page, all in the URL."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Final

import streamlit as st

from analysis.names import LONGEST_NAME, LONGEST_TEXT, distinct_labels, one_line
from analysis.site_report import SiteReport
from components.number_format import Formats, zone_words
from components.page_frame import paper_table
from components.panels.page_parts import ask_again, by_itself
from components.panels.thresholds_choice import (
    THRESHOLDS_PARAMETER,
    shared_thresholds_choice,
    shared_thresholds_note,
    thresholds_of,
)
from components.panels.unknown_in_link import asked_in_link, unknown_in_link
from components.panels.url_choice import url_choice, url_filter
from components.panels.viewer import page_moment, viewer_moment, viewer_or_utc
from components.plain_text import plain, plain_name
from components.tables.site_states import WORDS, Order, Progress, SiteState, inside_together
from contract import SiteSummary
from gauge.levels import Thresholds

PAGE_SIZE: Final = 24
STATE_PARAMETER: Final = "show"
_MOST_NAMED: Final = 5
_PAGE: Final = "page"
_PAGE_WIDGET: Final = "choose-page"
_NUMBER: Final = re.compile("[1-9][0-9]{0,5}")
_WHILE_READING: Final = timedelta(seconds=2)
_FOR_EACH_SITE: Final = timedelta(milliseconds=2.5)
"""Of the time until the page runs again: arranging 10,000 sites costs a tenth of a second."""
_AFTERWARDS: Final = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class ListChoice:
    labels: Mapping[str, str]
    """Site id -> what it is called, as no other site is."""
    search: str
    order: Order
    thresholds_of: Callable[[str], Thresholds]
    """Site id -> its thresholds."""


def list_choice(kept: Mapping[str, Thresholds], sites: Sequence[SiteSummary]) -> ListChoice:
    """`kept` are thresholds by site id."""
    labels = distinct_labels({site.id: site.name for site in sites})
    unknown_in_link(
        {
            "sort": set(Order),
            STATE_PARAMETER: set(SiteState),
            _PAGE: [one for one in asked_in_link(_PAGE) if _page_number(one)],
        }
    )
    search, order, thresholds = st.columns([4, 3, 2], vertical_alignment="bottom")
    with search:
        text = st.text_input(
            "Search",
            key="search",
            bind="query-params",
            placeholder="Name, city, category or state",
            icon=":material/search:",
        )
    with order:
        chosen = url_choice("Sort by", {str(one): str(one) for one in Order}, "sort") or Order.NAME
    with thresholds:
        shared = shared_thresholds_choice(kept, labels)
    shared_thresholds_note(shared)
    return ListChoice(
        labels, text.strip(), Order(chosen), lambda site_id: shared or thresholds_of(kept, site_id)
    )


def state_choice(counts: Mapping[SiteState, int], formats: Formats) -> SiteState | None:
    """The state that sites are narrowed to, kept in the URL; None: all. `counts`: how many are in each."""
    asked = st.query_params.get(STATE_PARAMETER)
    offered = {
        str(state): f"{WORDS[state].icon} {plain(WORDS[state].word)} "
        f"**{formats.number(counts.get(state, 0))}**"
        for state in SiteState
        if counts.get(state) or state == asked
    }
    chosen = url_filter("Show only", offered, STATE_PARAMETER) if offered else None
    on_paper = [f"{WORDS[one].word} {formats.number(counts[one])}" for one in SiteState if counts.get(one)]
    paper_table([], [], note=" · ".join(on_paper), key="states")
    return SiteState(chosen) if chosen else None


def answer_container(count: int) -> AbstractContextManager[object]:
    """Where it is said how many are inside `count` sites, and in what states: as high as it will be."""
    kind = "answer-of-many" if count > PAGE_SIZE else "answer" if count > 1 else None
    return st.container(key=kind)


def fullest_sites(
    found: Sequence[tuple[SiteSummary, float]],
    labels: Mapping[str, str],
    progress: Progress,
    formats: Formats,
) -> None:
    """Links to the fullest sites, each with its percent; nothing where none is known. `labels` by site id."""
    if not found:
        return
    so_far = "" if progress.is_complete else " so far"
    thresholds = st.query_params.get_all(THRESHOLDS_PARAMETER)
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="fullest"):
        st.markdown(f"**Fullest{so_far}**", width="content")
        for site, share in found:
            st.page_link(
                "pages/live.py",
                label=f"{plain_name(labels[site.id], LONGEST_TEXT)} **{plain(formats.percent(share))}**",
                query_params={"site": site.id} | ({THRESHOLDS_PARAMETER: thresholds} if thresholds else {}),
                width="content",
            )


def total_note(
    sites: Sequence[SiteSummary], reports: Mapping[str, SiteReport], progress: Progress, formats: Formats
) -> None:
    """People inside all `sites`, and what the sum leaves out; nothing of a single one."""
    people, known = inside_together(sites, reports)
    if len(sites) < 2 or not known or progress.as_of is None:  # noqa: PLR2004 - the number is the name
        return
    time = formats.time(progress.as_of.astimezone(viewer_or_utc()))
    missing = left_out_words(sites, reports, known, formats)
    rest = f"in {formats.number(known)} of {formats.number(len(sites))} sites, as of {time}.{missing}"
    count = f"{formats.number(people)} {'person' if people == 1 else 'people'}"
    if progress.is_cut_off:
        said = f"{count} {'was' if people == 1 else 'were'} inside {rest} No newer numbers are known."
        st.markdown(f":material/cloud_off: {plain(said)}")
        return
    is_begun = any(site.id not in reports for site in sites) or not progress.is_judged
    so_far = " so far" if is_begun else ""
    rest += streamed_words(sites, reports, formats)
    st.markdown(f"**{plain(f'{count} inside{so_far}')}** {plain(rest)}")


def left_out_words(
    sites: Sequence[SiteSummary], reports: Mapping[str, SiteReport], known: int, formats: Formats
) -> str:
    """Why sites are missing in a sum that rests on `known` of them: a sentence after a space, or nothing."""
    unread = sum(site.id not in reports for site in sites)
    failed = sum(site.id in reports and bool(reports[site.id].failure) for site in sites)
    others = len(sites) - known - unread - failed
    counts = (
        (unread, "is not read yet", "are not read yet"),
        (failed, "could not be read", "could not be read"),
        (others, "has no number that holds now", "have no number that holds now"),
    )
    said = [f"{formats.number(count)} {one if count == 1 else many}" for count, one, many in counts if count]
    return f" Not counted: {', '.join(said)}." if said else ""


def streamed_words(sites: Sequence[SiteSummary], reports: Mapping[str, SiteReport], formats: Formats) -> str:
    """How many values are those of open streams: a sentence after a space, or nothing."""
    count = sum(site.id in reports and reports[site.id].is_of_stream for site in sites)
    if count == 1:
        return " 1 site does not answer; its number is that of its live card."
    said = "sites do not answer; their numbers are those of their live cards."
    return f" {formats.number(count)} {said}" if count else ""


def reading_note(
    progress: Progress,
    formats: Formats,
    place: AbstractContextManager[object],
    news: Callable[[], Progress],
    drift_age: timedelta,
) -> None:
    """Which sites, and as of when, are compared; the page runs again when `news` tells other progress. That
    no site is read is said in `place`, above the sums and filters.

    `drift_age`: by how much older than the values may be what is known of numbers that mean nothing.
    """
    if not progress.is_complete:
        said = f"Counted and compared are the sites whose values are known: {_read_so_far(progress, formats)}"
        st.caption(plain(f"{said}."))
    elif progress.as_of:
        zone = viewer_or_utc()
        time = formats.time(progress.as_of.astimezone(zone))
        judged, sites = formats.number(progress.judged), formats.number(progress.sites)
        checked = (
            f"what is unreliable up to {formats.duration(drift_age.total_seconds())} older"
            if progress.is_judged
            else f"missing counts and unreliable numbers looked for in {judged} of {sites} sites so far"
        )
        live = "" if progress.is_cut_off else "; the gauges are live"
        st.caption(
            plain(f"Order and filters by values as of {time} {zone_words(zone.key)}, {checked}{live}.")
        )
    with place:
        rest_note(progress)
        if not (progress.read or progress.rest):
            waiting_note()
    if progress.unproven:
        count = formats.number(progress.unproven)
        unknown = "Sites whose past minutes do not tell whether their counters live come last"
        st.caption(plain(f"{unknown}: {count}."))
    if progress.past_unread:
        count = formats.number(progress.past_unread)
        said = "past days cannot be read, so whether counts are missing is not known"
        st.caption(plain(f"Quiet sites of which {said}: {count}."))
    rerun_on_news(progress, news)


def waiting_note() -> None:
    """That no site has told anything yet: a service at work has answered for the first ones by now."""
    asked = f"Asked at {page_moment(datetime.now(UTC))}. Each card fills by itself."
    said = f"The service has not said yet how many people are inside. {asked}"
    st.markdown(f":material/hourglass_top: {plain(said)}")


def unread_note(
    sites: Sequence[SiteSummary], labels: Mapping[str, str], reports: Mapping[str, SiteReport]
) -> None:
    """Which `sites` of a page could not be read; nothing where none is, or all: then it is not theirs."""
    failed = [site for site in sites if site.id in reports and reports[site.id].failure]
    if not failed or len(failed) == len(sites):
        return
    named = ", ".join(plain_name(labels[site.id], LONGEST_TEXT) for site in failed[:_MOST_NAMED])
    more = " and " + plain(f"{len(failed) - _MOST_NAMED} more") if len(failed) > _MOST_NAMED else ""
    st.caption(f":material/error: Could not be read in full: {named}{more}. Their cards go on by themselves.")


def last_list_note(reported_at: datetime | None, pause_until: datetime | None) -> None:
    """That the service does not tell its sites now, and these are those of `reported_at`; None: they are of
    now. Both times aware; it is not asked again before `pause_until`.

    Shown or not it is one element: what follows keeps its index, a search its letters.
    """
    place = st.empty()
    if reported_at:
        with place.container():
            _say_last_list(reported_at, pause_until)


def _say_last_list(reported_at: datetime, pause_until: datetime | None) -> None:
    until = viewer_moment(pause_until, seconds=True) if pause_until else ""
    reason = f"The service asks for a pause until {until}." if until else "The service does not answer."
    said = f"{reason} These are the sites that it told at {viewer_moment(reported_at)}."
    rest = f"It is asked again by itself{' then' if until else ''}. More on the Connection page."
    st.warning(plain(f"{said} {rest}"), icon=":material/cloud_off:")
    ask_again("last-list")


def rest_note(progress: Progress, *, tells_all: bool = False) -> None:
    """Until when no site is read and why; nothing while they are read. `tells_all`: to administrators."""
    if progress.rest:
        until = viewer_moment(progress.rest.until, seconds=True)
        why = progress.rest.reason if tells_all else progress.rest.summary
        said = f"Reading all sites rests until {until}, to spare the service. {why}"
        st.warning(plain(said), icon=":material/pause_circle:")


def rerun_on_news(progress: Progress, news: Callable[[], Progress]) -> None:
    """Run the page again when `news` tells another `progress`, soon while sites are still read, or failed."""
    shortest = _AFTERWARDS if progress.is_judged and not progress.failed else _WHILE_READING

    @by_itself(max(shortest, progress.sites * _FOR_EACH_SITE), key="reading")
    def again() -> None:
        if news() != progress:
            st.rerun()

    again()


def _read_so_far(progress: Progress, formats: Formats) -> str:
    return f"{formats.number(progress.read)} of {formats.number(progress.sites)} sites read so far"


def none_found(progress: Progress, search: str, state: SiteState | None) -> str:
    sought = " ".join(filter(None, (search, state and WORDS[state].word.lower())))
    verdict = "matches" if progress.is_judged else "is known yet to match"
    return f"None of the {progress.sites} sites {verdict} “{one_line(sought, LONGEST_NAME)}”."


def page_choice(found: int, total: int, things: str, formats: Formats, size: int = PAGE_SIZE) -> int:
    """Number of the chosen page, from 1; `found` of `total` things are to be spread over pages of `size`.

    Where they are not all `total`, it says which: paper shows neither pages nor filters.
    """
    page, pages = 1, ceil(found / size)
    said = [f"{formats.number(found)} found"] if found < total else []
    said.append(f"{formats.number(total)} {things}")
    with st.container(horizontal=True, vertical_alignment="center"):
        if pages > 1:
            asked = next(filter(None, map(_page_number, asked_in_link(_PAGE))), 1)
            st.session_state[_PAGE_WIDGET] = min(asked, pages)
            page = st.pagination(pages, key=_PAGE_WIDGET, on_change=_turn_page)
            last = min(page * size, found)
            said.insert(0, f"{formats.number((page - 1) * size + 1)} to {formats.number(last)}")
        if len(said) > 1:
            st.caption(plain(" of ".join(said)))
    return page


def _turn_page() -> None:
    st.query_params[_PAGE] = str(st.session_state[_PAGE_WIDGET])


def _page_number(text: str) -> int | None:
    """None: it is no number of a page."""
    return int(text) if _NUMBER.fullmatch(text) else None
