from __future__ import annotations

from pathlib import Path

import pytest

from runtime.access import Listed, Role, Rules
from runtime.access_list import read_rules
from runtime.settings import Settings, SettingsError


def configured(path: Path | None) -> Settings:
    return Settings(access_file=path, role_claim="groups")


def test_without_a_file_claims_alone_tell() -> None:
    assert read_rules(configured(None)) == Rules("groups")


def test_a_list_is_read_anew_as_soon_as_it_is_another(tmp_path: Path) -> None:
    path = tmp_path / "access.toml"
    path.write_text(
        '[people]\n"Ann@Shop.example" = { role = "manager", sites = ["a", "b"] }\nX7 = {role="viewer"}'
    )
    people = {"ann@shop.example": Listed(Role.MANAGER, frozenset("ab")), "X7": Listed(Role.VIEWER, None)}
    assert read_rules(configured(path)) == Rules("groups", people=people)
    path.write_text('[roles]\nfloor = "viewer"\n')
    assert read_rules(configured(path)) == Rules("groups", roles={"floor": Role.VIEWER})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[people", "Expected"),
        ('[people]\n"a@b" = { role = "owner" }', "people.a@b.role"),
        ('[people]\n"a@b" = { role = "viewer", site = "x" }', "people.a@b.site"),
        ('[person]\n"a@b" = { role = "viewer" }', "person"),
    ],
)
def test_a_list_that_is_not_understood_lets_nobody_in_and_says_where(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "access.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=f"HEADROOM_ACCESS_FILE: .*{said}"):
        read_rules(configured(path))


def test_a_list_that_is_gone_lets_nobody_in(tmp_path: Path) -> None:
    path = tmp_path / "access.toml"
    path.write_text("")
    assert read_rules(configured(path)) == Rules("groups")
    path.unlink()
    with pytest.raises(SettingsError, match="No such file"):
        read_rules(configured(path))
