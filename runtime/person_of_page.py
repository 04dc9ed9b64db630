"""Who looks at the page whose script runs now, and what they may: for what pages show, read and keep.

Without a login nobody is asked, and everybody may everything. What runs for no page (walls, the survey, what
a page began) reads whatever it was given.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from contract import SiteSummary
from runtime._compat import has_script
from runtime.access import NOBODY, Person
from runtime.login import installed_login


def current_person() -> Person | None:
    """None: there is no login, or no page is run. Whose session is over may nothing, and sees no site."""
    login = installed_login()
    if login is None or not has_script():
        return None
    found = login.person(st.context.cookies.to_dict())
    return found if isinstance(found, Person) else NOBODY


def sees(site_id: str) -> bool:
    """Whether they may see this site."""
    person = current_person()
    return person is None or person.sees(site_id)


def visible(sites: Sequence[SiteSummary]) -> list[SiteSummary]:
    """Of `sites`, those that they may see."""
    person = current_person()
    return list(sites) if person is None else [site for site in sites if person.sees(site.id)]


def sees_every_site() -> bool:
    person = current_person()
    return person is None or person.sees_every_site


def change_refusal(site_id: str | None = None) -> str:
    """Why they may not change what is kept, of a site or for all; empty: they may."""
    person = current_person()
    return "" if person is None else person.change_refusal(site_id)


def without_site_words() -> str:
    """Whom to ask who sees no site; empty: they may set one up."""
    person = current_person()
    return "" if person is None else person.without_site_words()
