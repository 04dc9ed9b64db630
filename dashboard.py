"""The script that every browser session runs: the frame around the pages."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from components.page_frame import page_frame
from components.panels.page_notice import page_notice
from components.panels.page_parts import guarded, outages_remembered, parts_within
from components.panels.permission import ask_before_changes
from components.panels.person_bar import person_bar
from components.panels.read_again import read_again
from components.panels.tour_bar import is_toured, lead_into_tour, lead_to, stop_in_link, tour_bar
from components.panels.unknown_in_link import unknown_names_in_link
from components.panels.url_choice import remember_link
from components.panels.viewer import named_by, site_of_page, viewer_formats
from components.panels.waiting import awaited
from components.sentences.tour_words import stops_of
from page_list import TELL_PAST, by_section
from runtime import ApiClientError, current_person, read_preferences, service_notice, service_time
from runtime.background import waiting_by
from runtime.demo import demo_screen_id, is_demo
from runtime.past_anew import forget_past
from runtime.person_of_page import change_refusal, without_site_words
from runtime.tour import read_tour

# An icon of our own: Streamlit would fetch a Material one from another host.
st.set_page_config(
    page_title="Headroom", page_icon=Path(__file__).parent / "components" / "icon.svg", layout="wide"
)

# Before the links to other pages are there to be pressed.
remember_link("site")
page = st.navigation(
    {
        section: [
            st.Page(
                f"pages/{one.name}.py",
                title=one.title,
                icon=f":material/{one.icon}:",
                url_path=one.address or None,
                default=one.is_default,
            )
            for one in pages
        ]
        for section, pages in by_section().items()
    },
    position="top",
)
ask_before_changes(change_refusal, without_site_words)
if page.url_path == "" and is_demo():
    lead_into_tour()
page_frame(st.context.locale, is_toured=is_toured())
if person := current_person():
    person_bar(person.name, person.role, None if person.site_ids is None else len(person.site_ids))
page_notice(service_notice, "service")
page_notice(lambda: read_preferences().problem, "preferences")
parts_within(partial(waiting_by, awaited))
named_by(service_time)
with unknown_names_in_link(), outages_remembered(), waiting_by(awaited):
    number = stop_in_link()
    is_ready = number is None
    if number:
        with guarded("The tour", "tour", ApiClientError):
            if tour := read_tour():
                stops = stops_of(tour, demo_screen_id(), viewer_formats())
                lead_to(stops, number, page.url_path)
                tour_bar(stops, number, page.url_path)
            is_ready = True
    # Before the tour is known its page would open on a day of its own.
    if is_ready:
        page.run()
        if page.url_path in TELL_PAST:
            of = site_of_page()
            read_again(page.url_path, partial(forget_past, of.id if of else None))
