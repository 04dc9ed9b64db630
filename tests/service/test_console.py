from __future__ import annotations

import pytest

from service.console import number_of, say


@pytest.mark.parametrize(("number", "told"), [(0, "0 sites"), (1, "1 site"), (2, "2 sites")])
def test_noun_goes_with_its_number(number: int, told: str) -> None:
    assert number_of(number, "site") == told


def test_what_is_said_is_printed_as_it_stands(capfd: pytest.CaptureFixture[str]) -> None:
    say("Imported [/door] :warning: [bold]counts[/bold].csv")
    assert capfd.readouterr().err == "Imported [/door] :warning: [bold]counts[/bold].csv\n"
