"""A picture of a site's floor, and where on it zones and passages are, as somebody has placed them.

Kept by the dashboard, since the API names neither.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Annotated, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from contract import Site

LONGEST_SIDE: Final = 20_000
"""Of a picture, in its own pixels."""
MOST_PLACED: Final = 2_000
"""Zones, and passages: of those, too, that the service lists no longer."""
_DIGITS: Final = 4
"""Of a share: a tenth of a thousandth of a picture is less than a pixel of any screen."""


class PictureKind(StrEnum):
    PNG = "png"
    JPEG = "jpeg"
    SVG = "svg"

    @property
    def media_type(self) -> str:
        return {"png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml"}[self.value]


_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Spot(_Frozen):
    """Shares of the picture's width and height, from its left upper corner."""

    x: _Share
    y: _Share


class PlanPicture(_Frozen):
    """What is said of a picture; its content is kept by its name."""

    name: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    """Another one for each picture that was ever chosen."""
    kind: PictureKind
    width: Annotated[int, Field(ge=1, le=LONGEST_SIDE)]
    height: Annotated[int, Field(ge=1, le=LONGEST_SIDE)]


class Placed(_Frozen):
    """Where things are, by their ids; what has no spot is on no plan."""

    zones: Annotated[dict[str, Spot], Field(max_length=MOST_PLACED)] = {}
    passages: Annotated[dict[str, Spot], Field(max_length=MOST_PLACED)] = {}

    def rounded(self) -> Placed:
        return Placed(zones=_rounded(self.zones), passages=_rounded(self.passages))

    def of(self, site: Site) -> Placed:
        """Without what the service does not list."""
        return Placed(
            zones=_only(self.zones, {zone.id for zone in site.zones}),
            passages=_only(self.passages, {passage.id for passage in site.passages}),
        )

    def changed_to(self, others: Placed, site: Site) -> Placed:
        """`others` for what the site lists, and what is placed here of what it does not list now."""
        own = self.of(site)
        return Placed(
            zones=_without(self.zones, own.zones) | others.zones,
            passages=_without(self.passages, own.passages) | others.passages,
        )


class FloorPlan(_Frozen):
    picture: PlanPicture
    placed: Placed = Placed()


class KeptPlan(NamedTuple):
    """What is kept of a site, as it was read."""

    plan: FloorPlan | None = None
    """None: none is kept, or it is damaged."""
    document: str = ""
    """As it stands; empty: there is none. Another one: somebody has changed it since."""

    @property
    def is_damaged(self) -> bool:
        return bool(self.document) and self.plan is None


class PlanImage(NamedTuple):
    """The content of a picture, made harmless before it was kept."""

    content: bytes
    kind: PictureKind
    width: int
    """Pixels, as the height; of an SVG its own units."""
    height: int
    left_out: tuple[str, ...] = ()
    """What may be missed of the file that somebody chose, in words; not kept."""


def _rounded(spots: Mapping[str, Spot]) -> dict[str, Spot]:
    return {id_: Spot(x=round(one.x, _DIGITS), y=round(one.y, _DIGITS)) for id_, one in spots.items()}


def _only(spots: Mapping[str, Spot], ids: Collection[str]) -> dict[str, Spot]:
    return {id_: spot for id_, spot in spots.items() if id_ in ids}


def _without(spots: Mapping[str, Spot], ids: Collection[str]) -> dict[str, Spot]:
    return {id_: spot for id_, spot in spots.items() if id_ not in ids}
