from __future__ import annotations

from page_list import PAGES
from tests.running_service import ROOT


def test_each_page_has_a_row_and_its_tests() -> None:
    names = {page.name for page in PAGES}
    assert names == {file.stem for file in (ROOT / "pages").glob("*.py")}
    tests = {file.name for file in (ROOT / "tests" / "pages").iterdir()}
    assert {f"test_{name}.py" for name in names} <= tests


def test_each_page_has_an_address_of_its_own() -> None:
    assert len({page.address for page in PAGES}) == len(PAGES)
    assert [page.address for page in PAGES if page.is_default] == [""]
