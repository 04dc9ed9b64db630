"""What is said of a number that is too small or too large."""

from __future__ import annotations

from components.number_format import Formats


def bounds_words(least: float, most: float | None, formats: Formats) -> str:
    """`Write 0 to 1,000,000`; without a `most`, `Write 1 or more`."""
    if most is None:
        return f"Write {formats.number(least)} or more."
    return f"Write {formats.number(least)} to {formats.number(most)}."
