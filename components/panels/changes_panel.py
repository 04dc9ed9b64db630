"""The record of changes: which are asked for, a page of them, and all of them in a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from analysis.names import one_line
from components.number_format import Formats, zone_words
from components.panels.data_table import table_on_paper, with_times
from components.plain_text import plain
from components.sentences.change_log_words import KINDS
from components.tables.change_table import NUMBER, TEXTS, WHEN, change_table
from components.tables.downloads import to_csv
from contract.administration import AuditShown

_ALL: Final = ""
_PAGES: Final = "changes-before"
"""Session key: of each page that was left for an older one, where that began; with what they are of."""
_LONGEST_PERSON: Final = 100
_ROW_HEIGHT: Final = 76
"""Pixels: four lines. In a row less than twice as high as usual Streamlit breaks none."""
_LINE_HEIGHT: Final = 44
"""On a phone, where a row is a line: as high as a finger needs that opens what is cut."""
_WIDTHS: Final = {WHEN: 122, "Who": 120, "What": 138, "Of": 150, "Before": 285, "After": 300}
"""Pixels; together as wide as the page is on a laptop."""
_LONG: Final = ("Before", "After")
_WITH_MORE: Final = (
    "Where a cell ends with …, there is more: press it twice, or save the file, which has all."
)
_FITS: Final = {"wide": 110, "narrow": 36}
"""Characters of them that a row surely shows, in four lines or in one."""


class ChangesChoice(NamedTuple):
    """What is empty leaves none out."""

    site_id: str
    kind: str
    person: str


def changes_choice(names: Mapping[str, str]) -> ChangesChoice:
    """`names` are those of sites, by id."""
    site_column, kind_column, person_column = st.columns(3)
    site_id = site_column.selectbox(
        "Site", [_ALL, *names], format_func=lambda id_: names.get(id_, "All"), key="changes-site"
    )
    kind = kind_column.selectbox(
        "What", [_ALL, *KINDS], format_func=lambda kind: KINDS.get(kind, "All"), key="changes-kind"
    )
    person = person_column.text_input(
        "Who", key="changes-person", max_chars=_LONGEST_PERSON, placeholder="A part of the name"
    )
    return ChangesChoice(site_id or _ALL, kind or _ALL, person.strip())


def page_begin(choice: ChangesChoice) -> int | None:
    """Below which number the page begins that is looked at; None: the newest."""
    begins = _begins(choice)
    return begins[-1] if begins else None


def changes_panel(
    choice: ChangesChoice,
    changes: Sequence[AuditShown],
    names: Mapping[str, str],
    timezone: ZoneInfo,
    formats: Formats,
    *,
    is_last: bool,
    read_all: Callable[[], Sequence[AuditShown]],
) -> None:
    """`changes` are one page; `is_last` if none are older; `names` those of sites and keys, by id."""
    begins = _begins(choice)
    if not changes:
        st.info("Nothing else was changed." if begins else "Nothing of that was changed.")
    else:
        table = change_table(changes, names, timezone, formats).drop(columns=NUMBER)
        st.caption(plain(f"The newest first. Times are {zone_words(timezone.key)}. {_WITH_MORE}"))
        _table(table, formats)
    with st.container(horizontal=True):
        st.button(
            "Newer", key="newer-changes", icon=":material/chevron_left:", disabled=not begins,
            on_click=_newer, args=(choice,),
        )  # fmt: skip
        st.button(
            "Older", key="older-changes", icon=":material/chevron_right:", disabled=is_last,
            on_click=_older, args=(choice, changes[-1].number if changes else 0),
        )  # fmt: skip
        st.download_button(
            "Save as CSV", lambda: to_csv(change_table(read_all(), names, timezone, formats=None), TEXTS),
            "changes.csv", "text/csv", key="save-changes", on_click="ignore", icon=":material/download:",
            disabled=not changes and not begins,
        )  # fmt: skip


def _table(table: pd.DataFrame, formats: Formats) -> None:
    def write(moment: pd.Timestamp) -> str:
        return formats.dated(moment.to_pydatetime())

    # As wide as what stands there would leave nothing of the other in sight; both are, on a laptop, each in
    # lines of its own.
    widths = {name: st.column_config.TextColumn(width=width) for name, width in _WIDTHS.items()}
    for window, height in (("wide", _ROW_HEIGHT), ("narrow", _LINE_HEIGHT)):
        shown = with_times(table, [WHEN], write)
        if isinstance(shown, Styler):
            # Streamlit paints what has no room as if it ended there; the cell that is opened has it all.
            shown = shown.format(partial(one_line, longest=_FITS[window]), subset=list(_LONG))
        with st.container(key=f"changes-{window}"):  # the page's style shows one of both
            st.dataframe(shown, hide_index=True, column_config=widths, row_height=height)
    table_on_paper(table, "changes", write=write)


def _begins(choice: ChangesChoice) -> list[int]:
    """Of another choice the newest page is looked at first."""
    of, begins = st.session_state.get(_PAGES, (choice, []))
    return list(begins) if of == choice else []


def _older(choice: ChangesChoice, number: int) -> None:
    st.session_state[_PAGES] = (choice, [*_begins(choice), number])


def _newer(choice: ChangesChoice) -> None:
    st.session_state[_PAGES] = (choice, _begins(choice)[:-1])
