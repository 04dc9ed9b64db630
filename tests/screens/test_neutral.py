from __future__ import annotations

import pytest

from screens import Language
from screens.neutral import Circumstance, neutral_page, preferred_language
from screens.page import load_bundle


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de-CH,de;q=0.9,en;q=0.8", Language.GERMAN),
        ("rm, IT;q=0.7", Language.ITALIAN),
        ("fr", Language.FRENCH),
        ("ja", Language.ENGLISH),
        ("", Language.ENGLISH),
    ],
)
def test_the_words_are_in_the_first_language_that_there_are_words_in(
    accepted: str, language: Language
) -> None:
    assert preferred_language(accepted) is language


@pytest.mark.parametrize("circumstance", list(Circumstance))
@pytest.mark.parametrize("language", list(Language))
def test_every_circumstance_has_words_in_every_language_and_runs_only_its_own_script(
    circumstance: Circumstance, language: Language
) -> None:
    page = neutral_page(circumstance, language)
    assert f'lang="{language}"' in page.html
    assert circumstance.said_in(language) in page.html
    assert page.security_policy.count("sha256-") == 2
    assert "unsafe-inline" not in page.security_policy


def test_a_screen_of_which_nothing_is_known_yet_says_what_a_light_without_a_number_says() -> None:
    page = neutral_page(Circumstance.WAITING, Language.GERMAN)
    assert load_bundle().words[Language.GERMAN]["lightUnknown"] == "Zahl nicht verfügbar"
    assert "<p>Zahl nicht verfügbar</p>" in page.html
