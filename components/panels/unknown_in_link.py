"""What a link asks for that is not there (any more): said, so that nobody takes what is shown for it.

The link stays as it is until somebody chooses; it is said as long as the link says it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import streamlit as st

from analysis.names import LONGEST_NAME, one_line
from components.plain_text import plain

_NAMES_ARE_SAID: Final = "unknown-names-are-said"
"""Session key: whether the page has said which parameters of the link no page knows."""
_MOST_NAMED: Final = 3
"""Values of one parameter; a link may repeat it without end."""
OURS: Final = frozenset(
    {
        *(
            "site",
            "zone",
            "passage",
            "door",
            "thresholds",
            "search",
            "sort",
            "show",
            "page",
            "screen",
            "find",
            "set_up",
        ),
        *("range", "from", "to", "metric", "compare", "compare_from"),
        *("granularity", "aggregation", "timezone", "estimates"),
        *("weeks", "weekday", "hours", "ratio", "days", "day", "at", "speed", "tour"),
        *("of", "period", "first", "last", "per", "least", "month", "drawing"),
    }
)
"""Every parameter that some page reads; on another page it means nothing, and does no harm."""
_OF_OTHERS: Final = re.compile(
    # Streamlit's own, and what newsletters, networks, advertisements and sign-ins add to any link.
    r"embed|embed_options|(utm|mc|hsa|pk|mtm)_.*|_.*|.*clid|gbraid|wbraid|igshid|ref|code|state|session_state"
    r"|iss|ticket"
)


def asked_in_link(parameter: str) -> list[str]:
    """What the URL gives for `parameter`, each once; an empty value is not given."""
    return list(dict.fromkeys(value for value in st.query_params.get_all(parameter) if value))


def is_unclear(parameter: str, options: Container[str]) -> bool:
    """Whether the URL names for a choice of one what is no option, or several."""
    asked = asked_in_link(parameter)
    return len(asked) > 1 or any(value not in options for value in asked)


def place_not_there(noun: str, parameter: str, options: Container[str], reason: str) -> None:
    """Say that the page shows nothing, because the URL names a place that is no option, or several places.

    `reason` is how a sentence goes on that has named the one that is not there.
    """
    unknown = [value for value in asked_in_link(parameter) if value not in options]
    if unknown:
        text = f"The link names the {_these(noun, unknown)}, which {reason} Choose what to show."
    else:
        text = (
            f"The link names the {_these(noun, asked_in_link(parameter))}; one can be shown here. Choose it."
        )
    st.warning(plain(text), icon=":material/link_off:")


def places_in_link(places: Mapping[str, Container[str]], site: str) -> bool:
    """Whether the page may show something: not where the URL names zones or passages, and none is there.

    `places` are the ids of those that are there, by parameter; what is not is said. `site` is its name.
    """
    unknown = {name: [one for one in asked_in_link(name) if one not in ids] for name, ids in places.items()}
    unknown = {name: values for name, values in unknown.items() if values}
    if not unknown:
        return True
    is_rest_there = any(one in ids for name, ids in places.items() for one in asked_in_link(name))
    named = ", ".join(_these(name, values) for name, values in unknown.items())
    end = "You see the rest." if is_rest_there else "Choose others under “More choices”."
    _said(f"The link names the {named}, which {site} does not have. It may have been removed. {end}", unknown)
    return is_rest_there


def unknown_in_link(known: Mapping[str, Collection[str]], repeated: Container[str] = ()) -> None:
    """Say, by parameter, which values are not known, and which are several though it is not `repeated`.

    The page goes on without them; a button takes them out of the link. Parameters that no page knows are said
    with them.
    """
    unknown = {name: _unusable(name, values, is_repeated=name in repeated) for name, values in known.items()}
    unknown = {name: values for name, values in unknown.items() if values}
    if not unknown:
        return
    names = _unknown_names()
    st.session_state[_NAMES_ARE_SAID] = True
    named = [_these(name, values, plural=name) for name, values in unknown.items()]
    _not_known([*named, *_named(names)], unknown | names, "-".join(unknown))


@contextmanager
def unknown_names_in_link() -> Iterator[None]:
    """Around a page: say which parameters of the link no page knows, as a word that was mistyped; before what
    the page shows, and not where it has said so itself.
    """
    place = st.container()
    st.session_state[_NAMES_ARE_SAID] = False
    yield
    if not st.session_state[_NAMES_ARE_SAID] and (unknown := _unknown_names()):
        with place:
            _not_known(_named(unknown), unknown, "names")


def _unknown_names() -> dict[str, list[str]]:
    """Value by parameter."""
    return {
        name: values
        for name in st.query_params
        if name not in OURS and not _OF_OTHERS.fullmatch(name) and (values := asked_in_link(name))
    }


def _named(names: Mapping[str, Sequence[str]]) -> list[str]:
    named = [
        f"{one_line(name, LONGEST_NAME)} “{one_line(values[0], LONGEST_NAME)}”"
        for name, values in list(names.items())[:_MOST_NAMED]
    ]
    return named + ([f"and {len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else [])


def _not_known(named: Sequence[str], unknown: Mapping[str, Collection[str]], key: str) -> None:
    text = f"This link asks for what is not known here: {', '.join(named)}."
    _said(f"{text} What you see was put together without it.", unknown, key)


def _said(text: str, unknown: Mapping[str, Collection[str]], key: str = "") -> None:
    st.warning(plain(text), icon=":material/link_off:")
    st.button(
        "Leave it out of the link",
        key=f"leave-out-{key or '-'.join(unknown)}",
        on_click=_leave_out,
        args=(unknown,),
        icon=":material/link:",
    )


def _unusable(name: str, values: Container[str], *, is_repeated: bool) -> list[str]:
    asked = asked_in_link(name)
    return [value for value in asked if value not in values] or (
        asked if len(asked) > 1 and not is_repeated else []
    )


def _leave_out(unknown: Mapping[str, Collection[str]]) -> None:
    for name, values in unknown.items():
        left = [value for value in asked_in_link(name) if value not in values]
        if left:
            st.query_params[name] = left
        else:
            st.query_params.pop(name, None)


def _these(noun: str, values: Collection[str], plural: str | None = None) -> str:
    named = [f"“{one_line(value, LONGEST_NAME)}”" for value in list(values)[:_MOST_NAMED]]
    more = [f"and {len(values) - _MOST_NAMED} more"] if len(values) > _MOST_NAMED else []
    return f"{noun if len(values) == 1 else plural or f'{noun}s'} {', '.join(named + more)}"
