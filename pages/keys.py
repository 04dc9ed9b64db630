"""API keys: who may read, hand in counts and administer, until when, and who did lately."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import streamlit as st

from analysis.keys import WantedKey, used_by
from components.panels.administration import attempt, done_panel, refused_panel, say_done
from components.panels.keys_panel import (
    Revocation,
    Rotation,
    Whose,
    keys_table_panel,
    make_and_show,
    new_key_panel,
    one_key_panel,
    secret_panel,
    unseen_keys,
    unseen_panel,
)
from components.panels.page_parts import guarded
from components.panels.read_anew import read_anew
from components.panels.viewer import viewer_formats, viewer_or_utc
from components.sentences.key_words import NOT_ANOTHER, revoked_words
from contract.administration import AskedKey, ListedKey, MadeKey
from runtime import ApiClientError, get_upstream, service_time
from runtime.administration import (
    NotAdministrableError,
    Permission,
    administrator,
    may_administer,
    read_keys,
    read_site_labels,
)
from runtime.upstream import admin_key

PAGE: Final = "keys"


def make(asked: AskedKey | Rotation, person: str | None) -> None:
    like, before = asked.key if isinstance(asked, Rotation) else asked, read_keys()
    wanted = WantedKey(like.name, like.scope, frozenset(one.id for one in before))
    make_key: Callable[[], MadeKey]
    if isinstance(asked, Rotation):
        make_key = partial(administrator().rotate_key, asked.key.id, asked.overlap_seconds, person=person)
    elif unseen_keys(before, service_time(), wanted):
        raise ApiClientError(NOT_ANOTHER, code="SECRET_UNSEEN")
    else:
        make_key = partial(administrator().make_key, asked, person=person)
    make_and_show(make_key, wanted)


def do(asked: AskedKey | Rotation | Revocation, person: str | None) -> None:
    match asked:
        case Revocation(key):
            administrator().revoke_key(key.id, person=person)
            say_done(PAGE, revoked_words(key))
        case _:
            make(asked, person)
    st.rerun()


def read_all() -> tuple[list[ListedKey], dict[str, str]]:
    """The keys, and the names of sites by id."""
    return read_keys(), read_site_labels()


def show(permission: Permission) -> None:
    keys, names = read_anew(read_all, PAGE, 300, what="The list of keys", failing=ApiClientError)
    formats, own = viewer_formats(), used_by([get_upstream().api_key, admin_key()])
    whose = Whose(names, own, service_time(), viewer_or_utc())
    done_panel(PAGE)
    above = st.container()
    secret_panel()
    unseen_panel(keys, whose.now)
    keys_table_panel(keys, whose, formats)
    made, changed = new_key_panel(whose, formats), one_key_panel(keys, whose)
    if asked := made or changed:
        with above:
            attempt(partial(do, asked, permission.person), ApiClientError, reads_anew=True)


st.title("Keys", anchor=False)
granted = may_administer()
if granted.refusal:
    refused_panel(granted.refusal)
else:
    with (
        guarded("The list of keys", "keys", ApiClientError),
        guarded("The list of keys", "administration", NotAdministrableError),
    ):
        show(granted)
