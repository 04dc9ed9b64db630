"""Each page as it is opened on the small site, and what is there once it is whole."""

from __future__ import annotations

from typing import Final

from page_list import PAGES

OF_SMALL_SITE: Final = {
    "live": ("?site=corner-shop", ".hero .measured:not(:empty)"),
    "site": ("?site=corner-shop", ".places-list .count:not(:empty)"),
    "history": ("?site=corner-shop&range=7d&compare=period", ".js-plotly-plot .trace path"),
    "overview": ("", ".card .freshness .details:not(:empty)"),
    "screens": ("", ".stButton"),
    "connection": ("", ".stMetric"),
}
"""Page -> its query, and what is drawn last."""
WHOLE: Final = {
    f"/{page.address}{query}": drawn
    for page in PAGES
    for query, drawn in [OF_SMALL_SITE.get(page.name, ("", "h1"))]
}
"""Address -> what is there once it is whole."""
