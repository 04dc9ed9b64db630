"""What a screen on a wall shows: one view, or several in rotation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, StrEnum
from hashlib import sha256
from typing import Annotated, Final, NamedTuple, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from gauge.levels import Thresholds

SHORTEST_TURN: Final = 5
LONGEST_TURN: Final = 3600
LONGEST_NAME: Final = 80
LONGEST_WORD: Final = 24
"""Characters; a longer word would be too small to read from six metres."""
MOST_VIEWS: Final = 20


class Scope(Enum):
    """What a view is of."""

    PLACE = "a site or one of its zones"
    ZONES = "all zones of a site but those that stand for the whole"
    SITES = "all sites that the API key reads"


@dataclass(frozen=True, slots=True)
class ViewFacts:
    """All that the product knows of a kind of view besides its script, its words and its test."""

    label: str
    """As the Screens page names it."""
    purpose: str
    """What it is for, as a sentence."""
    drawing: str
    """The JavaScript function in `wall/` that draws it."""
    scope: Scope = Scope.PLACE
    title: str = ""
    """Name of its title in `wall/words.json`; empty: the title is the site's or the zone's."""
    turns_pages: bool = False
    """Where a wall has no room for all that it shows."""
    needs_capacity: bool = False
    has_own_words: bool = False
    """Whether who composes it may choose the words of its levels."""
    draws_day: bool = False
    """Whether it draws the curve of today and that of a typical day."""
    draws_passages: bool = False
    """Whether it draws who crosses the passages between its zones."""


class ViewKind(StrEnum):
    """The views of walls, each declared here alone; the value is what is stored."""

    facts: ViewFacts

    def __new__(cls, value: str, facts: ViewFacts) -> Self:
        kind = str.__new__(cls, value)
        kind._value_ = value
        kind.facts = facts
        return kind

    NUMBER = (
        "number",
        ViewFacts(
            "Number and places left",
            "How many are inside and how many may still come in, readable from across the street.",
            "numberDrawing",
        ),
    )
    LIGHT = (
        "light",
        ViewFacts(
            "Enter or wait",
            "One colour, one sign and one word at the door: come in, please wait, or closed.",
            "lightDrawing",
            needs_capacity=True,
            has_own_words=True,
        ),
    )
    GAUGE = (
        "gauge",
        ViewFacts(
            "Gauge",
            "How full it is, and the last two hours, for those who work there.",
            "gaugeDrawing",
        ),
    )
    BOARD = (
        "board",
        ViewFacts(
            "Zones of a site",
            "Every zone beside the others, so that people go where there is room.",
            "boardDrawing",
            scope=Scope.ZONES,
            turns_pages=True,
        ),
    )
    FLOW = (
        "flow",
        ViewFacts(
            "Zones and passages",
            "Where people are and which way they go, for those who work there.",
            "flowDrawing",
            scope=Scope.ZONES,
            turns_pages=True,
            draws_passages=True,
        ),
    )
    CURVE = (
        "curve",
        ViewFacts(
            "Today against a typical day",
            "Today against the same weekday of past weeks, to plan the next hours.",
            "curveDrawing",
            draws_day=True,
        ),
    )
    SITES = (
        "sites",
        ViewFacts(
            "All sites",
            "Every site at a glance, for the office.",
            "boardDrawing",
            scope=Scope.SITES,
            title="allSites",
            turns_pages=True,
        ),
    )


SHORTEST_PAGE: Final = 5
"""Seconds that a page of a view that turns pages stands; as in `wall/board.js`."""


class Theme(StrEnum):
    LIGHT = "light"
    DARK = "dark"
    CLOCK = "clock"
    """Light by day, dark by night, by the time of the site."""


class Language(StrEnum):
    """The language of the words on a screen."""

    ENGLISH = "en"
    GERMAN = "de"
    FRENCH = "fr"
    ITALIAN = "it"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _short_word(word: str) -> str:
    word = " ".join(word.split())
    if len(word) > LONGEST_WORD:
        raise ValueError(
            f"“{word}” has {len(word)} characters; a word on the light has {LONGEST_WORD} at most"
        )
    return word


_Word = Annotated[str, AfterValidator(_short_word)]


class Words(_Frozen):
    """One's own words for the three states of the light; empty: those of the language."""

    free: _Word = ""
    filling: _Word = ""
    full: _Word = ""


class View(_Frozen):
    kind: ViewKind
    site_id: str | None = None
    """None only for the view of all sites."""
    zone_id: str | None = None
    """None: the whole site."""
    seconds: int = 20
    """How long its turn in a rotation lasts."""
    thresholds: Thresholds = Thresholds()
    words: Words = Words()
    on_plan: Annotated[bool, Field(exclude_if=lambda on_plan: not on_plan)] = False
    """Whether passages are drawn on the site's floor plan, where it has one; stored where it is so, since an
    older dashboard does not know it.
    """

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if not SHORTEST_TURN <= self.seconds <= LONGEST_TURN:
            raise ValueError(
                f"a view is shown for {SHORTEST_TURN} to {LONGEST_TURN} seconds, not {self.seconds}"
            )
        scope = self.kind.facts.scope
        if scope is Scope.SITES and (self.site_id or self.zone_id):
            raise ValueError("the view of all sites names no site and no zone")
        if scope is not Scope.SITES and not self.site_id:
            raise ValueError("choose a site")
        if scope is Scope.ZONES and self.zone_id:
            raise ValueError("this view shows all zones of a site; it cannot be of one zone")
        return self


def _named(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise ValueError("give the screen a name, such as the place where it hangs")
    if len(name) > LONGEST_NAME:
        raise ValueError(f"the name has {len(name)} characters; it can have {LONGEST_NAME}")
    return name


class Composition(_Frozen):
    """What a person decides about a screen."""

    name: Annotated[str, AfterValidator(_named)]
    views: tuple[View, ...]
    """In the order of the rotation."""
    theme: Theme = Theme.CLOCK
    language: Language = Language.ENGLISH

    @model_validator(mode="after")
    def _has_views(self) -> Self:
        if not self.views:
            raise ValueError("a screen needs one view at least")
        if len(self.views) > MOST_VIEWS:
            raise ValueError(f"a screen has {MOST_VIEWS} views at most, not {len(self.views)}")
        return self

    @property
    def shows_all_sites(self) -> bool:
        """Whether a view of it does."""
        return any(view.kind.facts.scope is Scope.SITES for view in self.views)


class Screen(Composition):
    id: str
    """Empty: not saved, a draft that is only looked at."""
    link: str | None
    """Digest of what the link ends in (`digest_of`). None: revoked, no link leads here."""
    revision: int
    """Grows with each change."""
    created_at: AwareDatetime
    updated_at: AwareDatetime
    """UTC."""
    left_out: tuple[str, ...] = ()
    """What a newer dashboard saved of it and this one does not know, as sentences for people."""

    def is_opened_by(self, token: str) -> bool:
        """Whether the link in use ends in `token`."""
        return self.link == digest_of(token)

    @property
    def composition(self) -> Composition:
        return Composition(name=self.name, views=self.views, theme=self.theme, language=self.language)


def digest_of(token: str) -> str:
    """What is stored of the secret that a link ends in: its SHA-256, in hexadecimal digits."""
    return sha256(token.encode()).hexdigest()


def unsaved(draft: Composition) -> Screen:
    """The screen that a draft would be."""
    now = datetime.now(UTC)
    return Screen(**dict(draft), id="", link=None, revision=0, created_at=now, updated_at=now)


class UnreadableScreen(NamedTuple):
    """A saved screen of which this dashboard understands too little to show or edit it."""

    id: str
    name: str
    """Empty: not even that can be read."""
    reason: str
    """A sentence for people."""
    link: str | None
    """Digest of what the link ends in; None: revoked."""


def problems(error: ValidationError) -> tuple[str, ...]:
    """What is wrong with a composition, as sentences for people."""
    return tuple(_sentence(entry["loc"], entry["msg"]) for entry in error.errors())


def _sentence(where: tuple[int | str, ...], message: str) -> str:
    text = message.removeprefix("Value error, ")
    text = f"{text[0].upper()}{text[1:]}."
    view = next((index + 1 for index in where if isinstance(index, int)), None)
    return text if view is None else f"View {view}: {text}"
