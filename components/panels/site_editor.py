"""Set-up: a site's name, time zone and capacity, its zones and passages, written in rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import streamlit as st

from analysis.names import LONGEST_NAME, distinct_labels, one_line
from analysis.site_draft import (
    LARGEST_AREA,
    MOST_PARTS,
    MOST_PEOPLE,
    inner_zones,
    sketched,
    top_zone,
    with_passage,
    with_zone,
    without_passage,
    without_zone,
)
from analysis.zone_graph import zone_graph
from components.figures.zone_sketch import numbered_ways, zone_sketch
from components.panels.optional_number import optional_number
from components.panels.site_drafts import SiteDraft
from components.panels.viewer import viewer_theme
from components.plain_text import plain, plain_name
from components.sentences.set_up_words import uncounted_words
from contract import Passage, Zone, timezone_names
from contract.administration import SiteSetUp

_LONGEST: Final = 200
_LONGEST_CATEGORY: Final = 1000
"""As the service takes it."""
_OUTSIDE: Final = ""
"""Id of the side that is no zone."""


def site_editor(draft: SiteDraft) -> None:
    """Writes what is in the fields into the draft; the drawing beside them grows with it."""
    fields, picture = st.columns([2, 1], gap="medium")
    with fields:
        draft.site = _whole(draft)
        if len(draft.site.zones) > MOST_PARTS or len(draft.site.passages) > MOST_PARTS:
            st.info(
                f"More than {MOST_PARTS} zones or passages are too many to be written here. Save the file, "
                "change it, and store it again."
            )
        else:
            draft.site = _zones(draft)
            draft.site = _passages(draft)
    with picture:
        sketch_panel(draft.site)


def sketch_panel(site: SiteSetUp) -> None:
    drawn = sketched(site)
    graph = zone_graph(drawn)
    names = {zone.id: zone.name or zone.id for zone in drawn.zones}
    if sketch := zone_sketch(graph, names, theme=viewer_theme()):
        st.image(sketch, alt=one_line(graph.description))
    if numbers := numbered_ways(graph):
        st.caption("  \n".join(plain(meaning) for meaning in numbers))
    if graph.note:
        st.caption(plain(graph.note))
    if apart := uncounted_words(site):
        st.caption(plain(apart))


def _whole(draft: SiteDraft) -> SiteSetUp:
    site, whole = draft.site, top_zone(draft.site)
    name_column, zone_column = st.columns(2)
    name = name_column.text_input("Name", site.name, key=draft.key("name"), max_chars=_LONGEST)
    zones = sorted(timezone_names())
    own = site.timezone if site.timezone in zones else None
    timezone = zone_column.selectbox(
        "Time zone", zones, zones.index(own) if own else None, key=draft.key("timezone"), placeholder="Choose"
    )
    category_column, country_column = st.columns(2, vertical_alignment="bottom")
    category = category_column.text_input(
        "Category of the site", site.category or "", key=draft.key("category"), max_chars=_LONGEST_CATEGORY,
        placeholder="Such as shop or gym; alike sites may share one",
    )  # fmt: skip
    country = country_column.text_input(
        "Country", site.address.country, key=draft.key("country"), max_chars=_LONGEST
    )
    people_column, area_column, hour_column = st.columns(3, vertical_alignment="bottom")
    with people_column:
        capacity = _capacity_input("Capacity (people)", whole, draft.key("capacity"))
    with area_column:
        area = _area_input(whole, draft.key("area"))
    hour = hour_column.number_input(
        "Counts begin at 0 at (hour)", value=site.daily_reset_hour, step=1, key=draft.key("hour")
    )
    archived = site.archived
    if draft.stored is not None:
        archived = st.checkbox("Archived: in no list, counts stay", site.archived, key=draft.key("archived"))
    others = tuple(zone for zone in site.zones if zone.id != whole.id)
    return site.model_copy(
        update={
            "name": name.strip(),
            "category": category.strip() or None,
            "timezone": timezone,
            "address": site.address.model_copy(update={"country": country.strip()}),
            "daily_reset_hour": int(hour),
            "archived": archived,
            "zones": (whole.model_copy(update={"capacity": capacity, "area": area}), *others),
        }
    )


def _zones(draft: SiteDraft) -> SiteSetUp:
    st.header("Zones", anchor=False)
    st.caption(
        "Parts of the site that are counted by themselves. Without any, doors lead into the whole site."
    )
    site = draft.site
    written = {zone.id: _zone_row(draft, zone) for zone in inner_zones(site)}
    site = site.model_copy(update={"zones": tuple(written.get(zone.id, zone) for zone in site.zones)})
    draft.site = site
    _adding(draft, "zone", with_zone)
    return draft.site


def _zone_row(draft: SiteDraft, zone: Zone) -> Zone:
    name_column, category_column = st.columns(2, vertical_alignment="bottom")
    people_column, area_column, out_column = st.columns([3, 3, 2], vertical_alignment="bottom")
    name = name_column.text_input("Zone", zone.name, key=draft.key(f"zone-{zone.id}"), max_chars=_LONGEST)
    category = category_column.text_input(
        "Category", zone.category or "", key=draft.key(f"category-{zone.id}"), max_chars=_LONGEST_CATEGORY,
        placeholder="Such as café; alike zones may share one",
    )  # fmt: skip
    with people_column:
        capacity = _capacity_input("Capacity", zone, draft.key(f"capacity-{zone.id}"))
    with area_column:
        area = _area_input(zone, draft.key(f"area-{zone.id}"))
    out_column.button(
        f"Remove *{plain_name(zone.name)}*", key=draft.key(f"remove-{zone.id}"), icon=":material/delete:",
        on_click=_remove, args=(draft, without_zone, zone.id),
    )  # fmt: skip
    written = {"name": name.strip(), "category": category.strip() or None, "capacity": capacity, "area": area}
    return zone.model_copy(update=written)


def _capacity_input(label: str, zone: Zone, key: str) -> int | None:
    """People; None: unknown."""
    known = None if zone.capacity is None else int(zone.capacity)
    return optional_number(label, (0, MOST_PEOPLE), known, key)


def _area_input(zone: Zone, key: str) -> int | float | None:
    """In square metres; None: unknown."""
    known = None if zone.area is None else float(zone.area)
    written = optional_number("Area (m²)", (0.0, LARGEST_AREA), known, key, step=1.0, number_format="%g")
    # As it is stored where nobody writes another: 120 is not to become 120.0.
    return zone.area if written == known else written


def _passages(draft: SiteDraft) -> SiteSetUp:
    st.header("Doors and passages", anchor=False)
    st.caption("Where a counter hangs. Outside, or from one zone to another.")
    site = draft.site
    whole = one_line(f"{site.name or 'The site'} as a whole", LONGEST_NAME)
    ends = {_OUTSIDE: "outside"} | distinct_labels(
        {zone.id: zone.name or zone.id for zone in inner_zones(site)} | {site.top_zone_id: whole}
    )
    written = tuple(_passage_row(draft, one, ends) for one in site.passages)
    draft.site = site.model_copy(update={"passages": written})
    _adding(draft, "passage", with_passage)
    return draft.site


def _passage_row(draft: SiteDraft, passage: Passage, ends: Mapping[str, str]) -> Passage:
    name_column, from_column, to_column, out_column = st.columns([3, 3, 3, 2], vertical_alignment="bottom")
    name = name_column.text_input(
        "Passage", passage.name, key=draft.key(f"passage-{passage.id}"), max_chars=_LONGEST
    )
    sides = []
    for column, label, end in (
        (from_column, "From", passage.from_zone_id),
        (to_column, "To", passage.to_zone_id),
    ):
        options = list(ends)
        key = draft.key(f"{label}-{passage.id}")
        if st.session_state.get(key) not in options:
            st.session_state[key] = end if end in ends else _OUTSIDE
        sides.append(column.selectbox(plain(label), options, format_func=ends.__getitem__, key=key) or None)
    out_column.button(
        f"Remove *{plain_name(passage.name)}*", key=draft.key(f"remove-{passage.id}"),
        icon=":material/delete:", on_click=_remove, args=(draft, without_passage, passage.id),
    )  # fmt: skip
    return passage.model_copy(update={"name": name.strip(), "from_zone_id": sides[0], "to_zone_id": sides[1]})


def _adding(draft: SiteDraft, kind: str, add: Callable[[SiteSetUp, str], SiteSetUp]) -> None:
    name_column, add_column = st.columns([4, 2], vertical_alignment="bottom")
    key = draft.key(f"new-{kind}")
    name_column.text_input(plain(f"New {kind}"), key=key, max_chars=_LONGEST, placeholder="Its name")
    add_column.button(
        plain(f"Add this {kind}"), key=draft.key(f"add-{kind}"), icon=":material/add:",
        on_click=_add, args=(draft, key, add),
    )  # fmt: skip
    if st.session_state.pop(f"{key}-nameless", False):
        st.error(plain(f"Write how the {kind} is called, then add it."), icon=":material/error:")


def _add(draft: SiteDraft, key: str, add: Callable[[SiteSetUp, str], SiteSetUp]) -> None:
    if name := str(st.session_state.get(key, "")).strip():
        draft.site = add(draft.site, name)
        st.session_state[key] = ""
    else:
        st.session_state[f"{key}-nameless"] = True


def _remove(draft: SiteDraft, remove: Callable[[SiteSetUp, str], SiteSetUp], part_id: str) -> None:
    draft.site = remove(draft.site, part_id)
