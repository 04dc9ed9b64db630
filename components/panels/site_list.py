"""Which sites the overview shows, in what order: search, sort and page, all in the URL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from typing import Final, Protocol

import streamlit as st

from components.panels.thresholds_choice import thresholds_choice
from components.theme import Thresholds, share_of
from contract import Number, SiteSummary

PAGE_SIZE: Final = 24
MOST_COMPARED: Final = 200
"""Sites whose values are asked for to sort by them: each costs two requests, cached for 30 s."""


class Order(StrEnum):
    NAME = "Name"
    FULLEST = "Fullest first"
    PLACES_LEFT = "Most places left"

    @property
    def needs_values(self) -> bool:
        return self is not Order.NAME


class Filled(Protocol):
    """What sorting needs to know of a site."""

    @property
    def inside(self) -> Number | None: ...

    @property
    def capacity(self) -> float | None: ...


@dataclass(frozen=True, slots=True)
class ListChoice:
    search: str
    order: Order
    thresholds: Thresholds


def list_choice() -> ListChoice:
    search, order, limits = st.columns([4, 3, 2], vertical_alignment="bottom")
    with search:
        text = st.text_input(
            "Search",
            key="search",
            bind="query-params",
            placeholder="Name, city or category",
            icon=":material/search:",
        )
    with order:
        chosen = st.selectbox("Sort by", [str(one) for one in Order], key="sort", bind="query-params")
    with limits:
        thresholds = thresholds_choice()
    return ListChoice(text.strip(), Order(chosen), thresholds)


def page_choice(count: int) -> int:
    """Number of the chosen page, from 1; `count` is the number of sites to be spread over pages."""
    pages = max(1, ceil(count / PAGE_SIZE))
    if pages == 1:
        return 1
    return min(st.pagination(pages, key="page", bind="query-params"), pages)


def matching(sites: Sequence[SiteSummary], search: str) -> list[SiteSummary]:
    """Sites in whose name, city, category or id every word of `search` occurs, by name."""
    words = search.casefold().split()
    found = [site for site in sites if all(word in _searched_text(site) for word in words)]
    return sorted(found, key=lambda site: (site.name.casefold(), site.id))


def ordered(
    sites: Sequence[SiteSummary], order: Order, occupancies: Mapping[str, Filled]
) -> list[SiteSummary]:
    """`sites` in `order`; those whose value or capacity is unknown come last."""
    measure = _MEASURES.get(order)
    if measure is None:
        return list(sites)
    measures = {site.id: measure(occupancies[site.id]) for site in sites if site.id in occupancies}
    return sorted(sites, key=lambda site: _descending(measures.get(site.id)))


def _descending(value: float | None) -> tuple[bool, float]:
    return (value is None, -(value or 0))


def _share(filled: Filled) -> float | None:
    return share_of(filled.inside, filled.capacity)


def _places_left(filled: Filled) -> float | None:
    return None if filled.inside is None or not filled.capacity else filled.capacity - filled.inside


_MEASURES: Final[Mapping[Order, Callable[[Filled], float | None]]] = {
    Order.FULLEST: _share,
    Order.PLACES_LEFT: _places_left,
}


def _searched_text(site: SiteSummary) -> str:
    return " ".join((site.name, site.address.city, site.category or "", site.id)).casefold()
