"""Public holidays of a country, or of a part of it, by the day. A site tells its country by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final

import holidays
from babel import Locale

_MOST_KEPT: Final = 200
"""Parts of countries, each in some years."""
_ENGLISH: Final = ("en_US", "en_GB", "en")
_LANGUAGES: Final = (
    "en", "de", "fr", "it", "es", "pt", "nl", "da", "sv", "nb", "fi", "pl", "cs", "hu", "el", "tr", "ja",
)  # fmt: skip
"""In which the name of a country may be written; what is not found in the first is looked for in the next."""


def countries() -> Mapping[str, str]:
    """Code (ISO 3166-1 alpha-2) -> English name, of those whose holidays are known, by name."""
    return _countries()


def country_of(name: str) -> str | None:
    """The code of a country whose holidays are known, of its code or its name; None: none is called so."""
    wanted = name.strip().casefold()
    if code := _short_names().get(wanted):
        return code
    for language in _LANGUAGES:
        if wanted and (code := _codes(language).get(wanted)):
            return code
    return None


def parts_of(country: str) -> Mapping[str, str]:
    """Code -> name of the parts of a country that have holidays of their own."""
    if country not in _countries():
        return {}
    known = holidays.country_holidays(country)
    names = {code: name for name, code in getattr(known, "subdivisions_aliases", {}).items()}
    return {code: names.get(code, code) for code in known.subdivisions}


def public_holidays(country: str, part: str, years: Iterable[int]) -> Mapping[date, str]:
    """Day -> name, in English where that is known; none of an unknown country. `part` may be empty."""
    return _public_holidays(country, part, tuple(sorted(set(years))))


@lru_cache(_MOST_KEPT)
def _public_holidays(country: str, part: str, years: tuple[int, ...]) -> Mapping[date, str]:
    """Working them out takes longer than all else that is asked of two weeks of opening hours."""
    if country not in _countries():
        return {}
    kept = part if part in parts_of(country) else None
    language = next((one for one in _ENGLISH if one in _languages(country)), None)
    found = holidays.country_holidays(country, subdiv=kept, years=years, language=language)
    return MappingProxyType(dict(found))


@cache
def _short_names() -> Mapping[str, str]:
    """`ch`, `che`, `usa`."""
    codes = holidays.registry.COUNTRIES.values()
    names = {name.casefold(): code for _, code, *others in codes for name in (code, *others)}
    return {name: code for name, code in names.items() if code in _countries()}


@cache
def _languages(country: str) -> tuple[str, ...]:
    return tuple(holidays.country_holidays(country).supported_languages)


@cache
def _countries() -> Mapping[str, str]:
    names = Locale.parse("en").territories
    known = {code: names.get(code, code) for code in holidays.list_supported_countries(include_aliases=False)}
    return MappingProxyType(dict(sorted(known.items(), key=lambda item: item[1])))


@cache
def _codes(language: str) -> Mapping[str, str]:
    territories = Locale.parse(language).territories
    return {name.casefold(): code for code, name in territories.items() if code in _countries()}
