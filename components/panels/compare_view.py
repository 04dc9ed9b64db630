"""A league: sentences first, then bars, who is left out and why, and the table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.league import Candidate, League, Per, Ranked, Terms, Why, league
from analysis.league_period import LeagueRanges
from analysis.subject import whole_site
from analysis.time_range import range_of_days
from components.figures.league_chart import league_chart
from components.number_format import NO_VALUE, Formats
from components.panels.compare_choices import ZONES
from components.panels.data_table import table_on_paper
from components.panels.fixed_chart import ChartData, Picture, data_files, fixed_chart
from components.panels.page_parts import ask_again
from components.panels.site_list import PAGE_SIZE, page_choice
from components.panels.viewer import viewer_theme
from components.panels.waiting import skeleton
from components.plain_text import plain, plain_name, plain_sentences
from components.sentences.coverage_words import STOPPED_DOORS
from components.sentences.league_words import (
    COUNTED_MINUTES,
    heading,
    hours_summed,
    is_percent,
    league_words,
    left_out_summary,
    left_out_words,
    unvouched_words,
    value_words,
)
from components.sentences.range_words import range_in_years
from components.tables.downloads import picture_stem, site_slug, slug_of
from components.tables.league_table import CHANGE, COUNTED, LEFT_OUT, RANK, league_file, league_table
from contract import SiteSummary, Unit

Asked = Sequence[tuple[LeagueRanges, ZoneInfo]]
"""What is read of each place."""

_STOPPED: Final = "league-stopped"
"""Session key: of which choice reading was stopped."""
_BEGUN: Final = "league-begun"
"""Session key: which league was read last."""
_SOON: Final = timedelta(seconds=0.5)
_AFTER_FAILURE: Final = timedelta(seconds=30)
_MOST_NAMED: Final = 12
_MOST_IN_ALT: Final = 5
_TURN: Final = 2.5
"""Seconds of reading until the page is drawn with what is known."""


def seconds_to_read(reading_id: str) -> float:
    """For how long to read before the page is drawn; 0 where somebody has stopped it."""
    return 0.0 if st.session_state.get(_STOPPED) == reading_id else _TURN


def reading_place(reading_id: str) -> AbstractContextManager[object]:
    """A skeleton while a league is read first; none while it goes on, since the page would jump."""
    is_first = st.session_state.get(_BEGUN) != reading_id
    st.session_state[_BEGUN] = reading_id
    return skeleton(420, is_shown=is_first, is_again=not is_first)


def progress_note(read: int, total: int, reading_id: str, noun: str, formats: Formats) -> None:
    """How many are read, and a way to stop; nothing once all are. The page goes on by itself until then.

    Where zones are compared, the whole site is one of them.
    """
    if read >= total:
        return
    things = "places" if noun == "zone" else f"{noun}s"
    is_stopped = st.session_state.get(_STOPPED) == reading_id
    far = f"{formats.number(read)} of {formats.number(total)} {things} are read so far"
    with st.container(horizontal=True, vertical_alignment="center", key="league-progress"):
        if is_stopped:
            st.markdown(f":material/pause_circle: **{plain(far)}.** {plain('Reading was stopped.')}")
        else:
            st.markdown(
                f":material/hourglass_top: **{plain(far)}.** Ranks change until all are.", width="content"
            )
        st.button(
            "Go on reading" if is_stopped else "Stop reading",
            key="stop-league",
            on_click=lambda: st.session_state.update({_STOPPED: "" if is_stopped else reading_id}),
        )
    if not is_stopped:
        ask_again("league", _SOON)


def failures_note(failed: int) -> None:
    """What happens next to places that could not be read."""
    if failed:
        st.caption("Whoever could not be read is asked again by itself in half a minute.")
        ask_again("league-failures", _AFTER_FAILURE)


def whole_site_note(whole: Sequence[Candidate], terms: Terms, formats: Formats) -> None:
    """How the whole site did, before its zones; nothing where that cannot be told. `whole` is one at most."""
    own = terms._replace(per=Per.ITSELF, noun="site")
    if (found := league(whole, own)).ranked:
        st.markdown(plain(league_words(found, own, formats)))


def league_panel(
    found: League,
    terms: Terms,
    when: str,
    formats: Formats,
    *,
    asked: Asked,
    site: SiteSummary | None,
    revision: str,
    unread: int = 0,
) -> None:
    """Who has most, the bars of all, and who is left out. `when` says of which time it is, which was `asked`
    of each place, of which so many are `unread`. `site` is the one whose zones are compared.
    """
    st.markdown(plain(league_words(found, terms, formats, unread=unread)))
    left_out, unjudged = left_out_summary(found, terms, formats), _unjudged(found, terms, formats)
    unvouched = unvouched_words(found, terms, formats)
    said = (when, left_out, unjudged, unvouched, hours_summed(terms), COUNTED_MINUTES)
    st.caption(plain_sentences(said))
    if found.ranked:
        page = page_choice(len(found.ranked), len(found.ranked), f"ranked {terms.noun}s", formats)
        rows = found.ranked[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
        marks = (
            " Upright line: the same weekdays before, where both are counted alike."
            if any(one.earlier is not None and one.is_fair for one in rows)
            else ""
        )
        words = [*filter(None, said), f"{marks} {STOPPED_DOORS}".strip()]
        fixed_chart(
            league_chart(
                rows, terms, theme=viewer_theme(), formats=formats,
                revision=f"{revision} {page}",
            ),
            "league-chart",
            _alternative(rows, terms, formats),
            formats,
            _picture(terms, words, formats, asked, site),
            data=None,
        )  # fmt: skip
        st.caption(plain(f"{heading(terms)}.{marks} {STOPPED_DOORS}"))
    if found.left_out:
        _left_out_panel(found, terms, formats)


def _picture(
    terms: Terms, words: Sequence[str], formats: Formats, asked: Asked, site: SiteSummary | None
) -> Picture:
    """Days are each site's own: `words` say in which time zones."""
    name, zones = heading(terms), ", ".join(sorted({zone.key for _, zone in asked}))
    what = f"{terms.noun.capitalize()}s by {name[0].lower()}{name[1:]}"
    title = f"{whole_site(site).label}: {what}" if site else what
    of, text = ((site_slug(site), what) if site else (what,)), " ".join(filter(None, words))
    begun = [(one.present, zone) for one, zone in asked if not one.present.is_empty]
    if not begun:
        return Picture(title, [text], slug_of(of), zones)
    first = min(range_.start.astimezone(zone).date() for range_, zone in begun)
    last = max((range_.end - timedelta.resolution).astimezone(zone).date() for range_, zone in begun)
    utc = ZoneInfo("UTC")
    range_ = range_of_days(first, last + timedelta(days=1), utc)
    said = [f"{range_in_years(range_, utc, formats)}.", text]
    return Picture(title, said, picture_stem(of, range_, utc), zones)


def _unjudged(found: League, terms: Terms, formats: Formats) -> str:
    """That of some it is not known whether their number inside means anything."""
    count = sum(not one.entry.trust.is_known for one in found.ranked)
    if not count or not terms.measure.is_spoilt_by_drift:
        return ""
    places = f"{formats.number(count)} {terms.noun}{'' if count == 1 else 's'}"
    return f"Whether the number inside can be trusted cannot be told of {places}."


def _left_out_panel(found: League, terms: Terms, formats: Formats) -> None:
    st.header("Left out", anchor=False)
    named = found.left_out[:_MOST_NAMED]
    lines = [
        f"- **{plain_name(one.place.label)}**: {plain(left_out_words(one, terms, formats))}" for one in named
    ]
    st.markdown("\n".join(lines))
    if more := len(found.left_out) - len(named):
        st.caption(plain(f"And {formats.number(more)} more, each with its reason in the table."))
    if any(one.why is Why.INCOMPLETE for one in found.left_out):
        st.caption(
            plain(
                f"Of each {terms.noun}, those minutes should be counted in which it is open, as somebody"
                " has said, or else those of the hours in which anybody was there, now or in the days before."
            )
        )


def nothing_to_compare(
    count: int, chosen: SiteSummary | None, sites: Sequence[SiteSummary], *, is_of_zones: bool
) -> None:
    """Where there are fewer than two places: said, with a way to what can be compared."""
    if is_of_zones and chosen and count <= 1:
        listed = "lists no zones" if not count else "lists one zone"
        st.info(plain(f"This site {listed} within the whole, so there is nothing to compare."))
    elif not is_of_zones and count == 1:
        st.info("There is one site, so there is nothing to compare it with. Its zones can be compared.")
        st.page_link(
            "pages/compare.py", label="Compare its zones", icon=":material/leaderboard:",
            query_params={"of": ZONES, "site": sites[0].id},
        )  # fmt: skip


def league_table_panel(
    found: League, terms: Terms, when: str, formats: Formats, *, asked: Asked, site: SiteSummary | None
) -> None:
    """All places, also those on other pages and those left out; the rest is as for `league_panel`."""
    table = league_table(found, terms, formats)
    number = st.column_config.NumberColumn(format="localized")
    texts = {terms.noun.capitalize(), CHANGE, COUNTED, LEFT_OUT}
    st.dataframe(
        table, hide_index=True, placeholder=NO_VALUE,
        column_config={name: number for name in table.columns if name not in texts}
        | {RANK: st.column_config.NumberColumn(width="small")},
    )  # fmt: skip
    table_on_paper(table, "league")
    data = ChartData(
        partial(league_file, found, terms, formats),
        f"A row is a {terms.noun}. Before: the same weekdays before, as much of them as has passed of these.",
        f"{heading(terms)}: {_unit(terms)}",
        f"Ranked is who has {terms.least:.0f} % of the minutes counted or more; each row says how many.",
        (terms.noun.capitalize(), LEFT_OUT),
    )
    said = (when, left_out_summary(found, terms, formats), hours_summed(terms), COUNTED_MINUTES)
    data_files("league", _picture(terms, said, formats, asked, site), data)


def _unit(terms: Terms) -> str:
    return "minutes" if terms.measure.unit is Unit.SECONDS else "percent" if is_percent(terms) else "people"


def _alternative(rows: Sequence[Ranked], terms: Terms, formats: Formats) -> str:
    named = [
        f"{one.rank}. {one.place.label}: {value_words(one.value, terms, formats)}"
        for one in rows[:_MOST_IN_ALT]
    ]
    more = f" and {formats.number(len(rows) - len(named))} more" if len(rows) > len(named) else ""
    return f"Bars of {heading(terms)}, the highest first. {'; '.join(named)}{more}."
