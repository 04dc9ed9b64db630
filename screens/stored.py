"""Reading compositions as they were stored, also by a newer dashboard.

What this one does not know is left out and named: one unknown field costs neither the screen nor the others.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any, NamedTuple

from pydantic import ValidationError

from screens.definition import Composition, Language, Theme, View, ViewKind, problems


class UnreadableError(ValueError):
    """Too little of the composition can be understood; the message says why, for people."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name
        """Of the screen, as far as that can be read."""


class StoredComposition(NamedTuple):
    composition: Composition
    left_out: tuple[str, ...]
    """As sentences for people."""


def read_composition(text: str) -> StoredComposition:
    """Raises UnreadableError."""
    try:
        stored = json.loads(text)
    except (ValueError, RecursionError) as error:  # too deep to be read
        raise UnreadableError(f"What was stored is no JSON ({error}).") from error
    if not isinstance(stored, dict) or not isinstance(stored.get("views"), list):
        raise UnreadableError("What was stored is no screen.")
    try:
        return StoredComposition(Composition.model_validate(stored), ())
    except ValidationError as error:
        unknown = [entry["loc"] for entry in error.errors() if entry["type"] == "extra_forbidden"]
    return _without_unknown(stored, unknown)


def _without_unknown(stored: dict[str, Any], unknown: list[tuple[int | str, ...]]) -> StoredComposition:
    """`unknown` is where fields stand that this dashboard does not know."""
    known: dict[str, Any] = dict(stored)
    left_out: list[str] = []
    for field, values in (("theme", Theme), ("language", Language)):
        if field in known and not _is_one_of(values, known[field]):
            left_out.append(f"The {field} “{known.pop(field)}” is not known here; the usual one is used.")
    known["views"] = []
    for position, view in enumerate(stored["views"]):
        try:
            known["views"].append(View.model_validate(view, extra="ignore"))
        except ValidationError as error:
            left_out.append(_view_sentence(position + 1, view, error))
            unknown = [where for where in unknown if where[:2] != ("views", position)]
    left_out += map(_field_sentence, unknown)
    try:
        return StoredComposition(Composition.model_validate(known, extra="ignore"), tuple(left_out))
    except ValidationError as error:
        name = stored.get("name")
        said = " ".join(left_out or problems(error))
        raise UnreadableError(said, name if isinstance(name, str) else "") from error


def _is_one_of(values: type[StrEnum], value: object) -> bool:
    return isinstance(value, str) and value in set(values)


def _field_sentence(where: tuple[int | str, ...]) -> str:
    view = next((f" of view {position + 1}" for position in where if isinstance(position, int)), "")
    return f"The field “{where[-1]}”{view} is not known here."


def _view_sentence(number: int, view: object, error: ValidationError) -> str:
    kind = view.get("kind") if isinstance(view, dict) else None
    if isinstance(kind, str) and not _is_one_of(ViewKind, kind):
        return f"View {number} is of a kind that is not known here, “{kind}”."
    return f"View {number} cannot be read: {' '.join(problems(error))}"
