"""What a check of a store tells: whether what is derived from counts follows from them."""

from __future__ import annotations

from typing import NamedTuple


class Difference(NamedTuple):
    """Rows of one series that are not what follows from the counts."""

    series: str
    """`zone hall`, `passage entrance`."""
    table: str
    first: int | None
    """The first minute or quarter, since the epoch; None: rows that follow from no count."""
    rows: int


class Checked(NamedTuple):
    """Of a site."""

    site_id: str
    rows: int
    """That were held against the counts."""
    differences: tuple[Difference, ...]
