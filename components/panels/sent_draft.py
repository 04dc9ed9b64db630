"""A site that was sent to be stored: what the page does once it is, also where no answer has told so."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from components.panels.administration import say_done
from components.panels.set_up_panel import form_of
from components.panels.site_drafts import SiteDraft, drop_draft
from components.panels.url_choice import keep_in_link
from components.sentences.set_up_words import came_words
from contract.administration import SiteSetUp


def say_stored(page: str, site_id: str, draft_id: str, words: str) -> None:
    """The draft is over; the page goes on with what is stored, and says `words`."""
    drop_draft(draft_id)
    drop_draft(site_id)
    keep_in_link("set_up", site_id)
    say_done(page, words)


def look_what_came(
    page: str,
    draft: SiteDraft,
    draft_id: str,
    read: Callable[[str], SiteSetUp | None],
    failing: type[Exception],
) -> None:
    """Whether a draft of which no answer told is stored: `read` gives how the site stands there, None where
    it does not. What was written since it was sent stays.
    """
    with suppress(failing):  # then it is still not known
        there = read(draft.site.id)
        draft.is_unheard = False
        if there and form_of(there) == form_of(draft.site):
            say_stored(page, there.id, draft_id, came_words(there))
