"""Where filling and full begin: as the link says (URL parameter `thresholds`, twice), as kept, as usual.

What stands in the link holds for all that the page shows; what is kept is each site's own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from typing import Final

import streamlit as st

from analysis.keeper import Keeper
from analysis.names import LONGEST_NAME, one_line
from components.panels.kept_draft import KeptDraft, kept_draft, overtaken_note
from components.panels.permission import may_change
from components.panels.unknown_in_link import unknown_in_link
from components.plain_text import plain
from contract import SiteSummary
from gauge.levels import Thresholds

THRESHOLDS_PARAMETER: Final = "thresholds"
_WIDGET: Final = "choose-thresholds"
_REFUSED: Final = "thresholds-refused"
"""Session key: whether what was pressed last was refused, as others had come there meanwhile."""
_STEP: Final = 5
_MOST: Final = 100
_USUAL: Final = Thresholds()
_WAY_BACK: Final = f"Back to the usual {_USUAL.filling}/{_USUAL.full}"

ThresholdsKeeper = Keeper[Thresholds | None, Thresholds | None]
"""None: none, so that the usual ones hold."""


def thresholds_of(kept: Mapping[str, Thresholds], site_id: str) -> Thresholds:
    """The site's own: what is kept for it, else the usual ones."""
    return kept.get(site_id, _USUAL)


_OF_ALL: Final = "What is kept holds on every browser that opens this dashboard. Walls have their own."
_OF_THIS_TAB: Final = "What you keep holds in this tab alone: your role changes nothing for others."


def thresholds_choice(
    site: SiteSummary,
    kept: Mapping[str, Thresholds],
    keeper: ThresholdsKeeper,
    place: AbstractContextManager[object],
) -> Thresholds:
    """What holds on a page of one site, chosen behind a button in `place`. `kept` is by site id."""
    own, linked = thresholds_of(kept, site.id), thresholds_in_link()
    name = one_line(site.name or site.id, LONGEST_NAME)
    is_begun = linked is not None
    draft = kept_draft("thresholds", site.id, kept.get(site.id), lambda _: _WIDGET, is_changed=is_begun)
    with place, _popover():
        shown = linked or own
        _slider(shown)
        if st.session_state.pop(_REFUSED, False) or draft.is_overtaken:
            now = f"kept others: {_words(own)}." if draft.kept else "gone back to the usual."
            overtaken_note(now, keeper.kept_at, is_written=draft.is_overtaken)
        st.markdown(plain(_what_holds(name, own, linked, is_kept=site.id in kept)))
        if linked:
            st.button(
                "Keep mine instead" if draft.is_overtaken else "Keep for this site",
                # One of what is shown beside it: whoever presses it has read that.
                key=f"keep-thresholds-{own.filling}-{own.full}" if draft.is_overtaken else "keep-thresholds",
                type="primary",
                icon=":material/bookmark:",
                on_click=_keep,
                args=(keeper, draft, linked),
            )
        if draft.is_overtaken:
            st.button("Take theirs", key="take-thresholds", on_click=_forget_link)
        elif site.id in kept:
            st.button(
                _WAY_BACK,
                key="usual-thresholds",
                icon=":material/undo:",
                on_click=_keep,
                args=(keeper, draft),
            )
        st.caption(_OF_ALL if may_change() else _OF_THIS_TAB)
    _note(linked, f"Those of {name}: {_words(own)}.", "Use the site's own")
    return linked or own


def shared_thresholds_choice(kept: Mapping[str, Thresholds], site_ids: Collection[str]) -> Thresholds | None:
    """The thresholds that hold for all sites of the page; None: each site has its own."""
    linked = thresholds_in_link()
    own = sum(thresholds_of(kept, site_id) != _USUAL for site_id in site_ids)
    with _popover():
        _slider(linked or _USUAL)
        st.markdown(
            plain(
                f"The link looks at all sites by the same: {_words(linked)}."
                if linked
                else f"Each site by its own: {own} of {len(site_ids)} have others than {_words(_USUAL)}."
            )
        )
        st.caption(
            "Move the slider to look at all sites by the same. A site's own are kept on its Live page."
        )
    return linked


def shared_thresholds_note(linked: Thresholds | None) -> None:
    _note(linked, "All sites are looked at by them.", "Each by its own")


def thresholds_in_link() -> Thresholds | None:
    """None: the link gives none, or none that can be used."""
    asked = [one for one in st.query_params.get_all(THRESHOLDS_PARAMETER) if one]
    if len(asked) != len(("filling", "full")) or not all(_is_percent(one) for one in asked):
        return None
    filling, full = map(int, asked)
    if filling > full:
        return None
    # Both handles on one value leave no room for "filling".
    return Thresholds(filling=filling if filling < full else full - 1, full=full)


def _is_percent(text: str) -> bool:
    return (
        text.isascii() and text.isdecimal() and len(text) <= len(str(_MOST)) and _STEP <= int(text) <= _MOST
    )


def _popover() -> AbstractContextManager[object]:
    return st.popover("Thresholds", icon=":material/tune:", width="stretch")


def _slider(shown: Thresholds) -> None:
    st.session_state[_WIDGET] = (max(shown.filling, _STEP), shown.full)
    st.slider(
        "Filling and full begin at (% of capacity)",
        min_value=_STEP,
        max_value=_MOST,
        step=_STEP,
        key=_WIDGET,
        on_change=_follow,
    )


def _follow() -> None:
    st.query_params[THRESHOLDS_PARAMETER] = [str(one) for one in st.session_state[_WIDGET]]


def _keep(
    keeper: ThresholdsKeeper, draft: KeptDraft[Thresholds | None], thresholds: Thresholds | None = None
) -> None:
    if keeper.keep(thresholds, draft.kept):
        draft.begin_anew()
        _forget_link()
    elif thresholds is None:
        # Nothing was written that what is kept now would stand beside.
        st.session_state[_REFUSED] = True


def _forget_link() -> None:
    st.query_params.pop(THRESHOLDS_PARAMETER, None)


def _what_holds(name: str, own: Thresholds, linked: Thresholds | None, *, is_kept: bool) -> str:
    its_own = f"Kept for {name}" if is_kept else f"{name} has the usual"
    said = f"The link says: {_words(linked)}. " if linked else ""
    return f"{said}{its_own}: {_words(own)}."


def _words(thresholds: Thresholds) -> str:
    return f"filling from {thresholds.filling} %, full from {thresholds.full} %"


def _note(linked: Thresholds | None, otherwise: str, way_back: str) -> None:
    """Say that the link has thresholds of its own, or some that cannot be used."""
    if linked is None:
        unknown_in_link({THRESHOLDS_PARAMETER: ()}, repeated={THRESHOLDS_PARAMETER})
        return
    with st.container(horizontal=True, vertical_alignment="center", key="thresholds-note"):
        said = plain(f"Thresholds of the link: {_words(linked)}. {otherwise}")
        st.caption(f":material/link: {said}", width="content")
        st.button(
            plain(way_back),
            key="leave-link-thresholds",
            type="tertiary",
            icon=":material/undo:",
            on_click=_forget_link,
        )
