"""A counter that no adapter knows: where, in what it sends, stands what it counts; tried, then kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Final, NamedTuple

import streamlit as st

from components.panels.administration import attempt, say_done
from components.panels.data_table import number_table
from components.panels.optional_number import optional_number
from components.panels.page_parts import guarded
from components.panels.read_anew import read_anew
from components.panels.viewer import viewer_formats
from components.plain_text import code, plain
from components.sentences.mapping_words import (
    CHANGED_SINCE,
    FIELDS,
    KINDS,
    TIME_FORMATS,
    fault_words,
    kept_words,
    name_fault,
    removed_words,
    total_words,
    tried_words,
)
from components.tables.read_counts_table import read_counts_table
from contract.administration import KeptMapping, MappingTried, MappingWritten

_SAID_ON: Final = "counters"
_TRIED: Final = "mapping-tried"
"""Session key: what was tried last."""
_LONGEST: Final = 300
"""Letters of an expression, as the service takes it."""
_LONGEST_BODY: Final = 500_000
_NEW: Final = ""
_BEGUN: Final = MappingWritten(kind="interval", serial="")
_WHAT_IT_IS: Final = (
    "A counter that sends JSON of its own can be read, too. Paste what it sends, say by "
    "[JMESPath](https://jmespath.org/tutorial.html) expressions where things stand, and try: nothing is "
    "stored until you keep it. `row` is one of the rows, `body` is the whole."
)


class MappingActions(NamedTuple):
    """What the page does with mappings."""

    read: Callable[[], Sequence[KeptMapping]]
    attempt: Callable[[MappingWritten, str], MappingTried]
    keep: Callable[[str, MappingWritten, str | None], KeptMapping]
    """By name, instead of the state that the tag names; None: as a new one."""
    remove: Callable[[str, str], KeptMapping]
    """By name and tag."""


class _Tried(NamedTuple):
    written: MappingWritten
    body: str
    result: MappingTried


_EVERY: Final = timedelta(seconds=15)
"""The page that it is on looks so often."""


def mapping_panel(actions: MappingActions, service: str, failing: type[Exception]) -> None:
    """`service` is its address; `failing` is what actions raise."""
    part = st.expander(
        "A counter that is not known here", icon=":material/data_object:", key="mappings", on_change="rerun"
    )
    if not part.open:
        return
    with part, guarded("The list of mappings", "mappings", failing, every=_EVERY):
        st.markdown(_WHAT_IT_IS)
        found = read_anew(
            actions.read, "mappings", 300, what="The list of mappings", failing=failing, every=_EVERY
        )
        by_name = {one.name: one for one in found}
        options = [_NEW, *by_name]
        chosen = st.selectbox(
            "Mapping", options, format_func=lambda name: name or "A new one", key="mapping-chosen"
        )
        mapping = by_name.get(chosen or _NEW)
        body, written = _fields(mapping)
        said = st.container()
        if st.button("Try", key="try-mapping", type="primary", icon=":material/play_arrow:"):
            with said:
                attempt(partial(_try, actions, written, body), failing)
        is_sound = _result(written, body)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            # One that is written alike may be this very one: kept before, though no answer told so.
            others = {one.name for one in found if one.written != written}
            change = _keeping(actions, mapping, written, others, service, is_sound=is_sound)
        if change:
            with said:
                attempt(change, failing)


def _try(actions: MappingActions, written: MappingWritten, body: str) -> None:
    if len(body) > _LONGEST_BODY:
        st.error(
            plain(
                f"More than {viewer_formats().number(_LONGEST_BODY)} letters are pasted. Paste one report."
            ),
            icon=":material/error:",
        )
        return
    st.session_state[_TRIED] = _Tried(written, body, actions.attempt(written, body))


def _fields(mapping: KeptMapping | None) -> tuple[str, MappingWritten]:
    own, begun = (f"mapping-{mapping.tag}", mapping.written) if mapping else ("mapping-new", _BEGUN)
    body = st.text_area(
        FIELDS["body"], key="mapping-body", height=220, placeholder='{"box": {"id": 77}, "doors": [ ... ]}'
    )
    kind_column, time_column = st.columns(2)
    kind = kind_column.selectbox(
        FIELDS["kind"],
        list(KINDS),
        _index(KINDS, begun.kind),
        format_func=KINDS.__getitem__,
        key=f"{own}-kind",
    )
    time_format = time_column.selectbox(
        FIELDS["timeFormat"],
        list(TIME_FORMATS),
        _index(TIME_FORMATS, begun.time_format),
        format_func=TIME_FORMATS.__getitem__,
        key=f"{own}-times",
    )
    places = iter([column for _ in range(5) for column in st.columns(2)])

    def written(field: str, present: str, example: str) -> str:
        return (
            next(places)
            .text_input(FIELDS[field], present, key=f"{own}-{field}", max_chars=_LONGEST, placeholder=example)
            .strip()
        )

    told: dict[str, str | int | None] = {"kind": kind, "time_format": time_format}
    told["rows"] = written("rows", begun.rows, "doors")
    told["serial"] = written("serial", begun.serial, "body.box.id")
    told["line"] = written("line", begun.line, "row.door; empty: it has one")
    told["identity"] = written("identity", begun.identity, "row.n; empty: its time")
    if kind == "interval":
        told["start"] = written("start", begun.start, "row.from")
    told["end"] = written("end", begun.end, "row.to")
    told["forward"] = written("forward", begun.forward, "row.went.in")
    told["backward"] = written("backward", begun.backward, "row.went.out")
    if kind == "interval":
        with next(places):
            told["interval_seconds"] = optional_number(
                FIELDS["intervalSeconds"],
                (1, None),
                begun.interval_seconds,
                f"{own}-seconds",
                placeholder="900",
            )
    if kind == "cumulative":
        told["since"] = written("since", begun.since, "row.reset; empty: it is not told")
    return body, MappingWritten.model_validate(told)


def _result(written: MappingWritten, body: str) -> bool:
    """Whether what is written now was tried and can be used."""
    tried: _Tried | None = st.session_state.get(_TRIED)
    if tried is None:
        return False
    result = tried.result
    if (tried.written, tried.body) != (written, body):
        st.markdown(f":material/history: {plain(CHANGED_SINCE)}")
        return False
    with st.container(border=True, key="mapping-result"):
        if result.faults:
            said = [fault_words(field, fault, result.row) for field, fault in result.faults.items()]
            lines = (f":material/error: **{plain(where)}**: {plain(fault)}" for where, fault in said)
            st.markdown("  \n".join(lines))
            return False
        st.markdown(f":material/check_circle: {plain(tried_words(result, viewer_formats()))}")
        for sentence in filter(None, [*result.left_out, total_words(written.kind)]):
            st.caption(plain(sentence))
        if result.counts:
            number_table(read_counts_table(result.counts), "read-counts")
    return True


def _keeping(
    actions: MappingActions,
    mapping: KeptMapping | None,
    written: MappingWritten,
    names: set[str],
    service: str,
    *,
    is_sound: bool,
) -> Callable[[], None] | None:
    """What is to be done, once it is pressed."""
    if mapping is None:
        name = st.text_input(
            "Its name in the address", key="mapping-name", max_chars=40, placeholder="gym-doors"
        ).strip()
        if st.button("Keep it", key="keep-mapping", icon=":material/save:", disabled=not is_sound):
            if fault := name_fault(name, dict.fromkeys(names)):
                st.error(plain(fault), icon=":material/error:")
                return None
            return partial(_keep, actions, name, written, None, service)
        return None
    st.markdown(f"Counters post to {code(f'{service}/ingest/{mapping.name}')}")
    is_changed = written != mapping.written
    if st.button(
        "Keep the change", key="keep-mapping", icon=":material/save:", disabled=not (is_sound and is_changed)
    ):
        return partial(_keep, actions, mapping.name, written, mapping.tag, service)
    with st.popover("Remove", icon=":material/delete:", key="remove-mapping"):
        st.markdown("What counters post under its name is then refused. What was counted stays.")
        if st.button("Remove now", key="remove-mapping-now", type="primary"):
            return partial(_remove, actions, mapping)
    return None


def _keep(actions: MappingActions, name: str, written: MappingWritten, tag: str | None, service: str) -> None:
    kept = actions.keep(name, written, tag)
    say_done(_SAID_ON, kept_words(kept.name, service))


def _remove(actions: MappingActions, mapping: KeptMapping) -> None:
    actions.remove(mapping.name, mapping.tag)
    say_done(_SAID_ON, removed_words(mapping.name))


def _index(options: dict[str, str], chosen: str) -> int:
    return list(options).index(chosen) if chosen in options else 0
