from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from components.mount_key import mount_key

ROOT = Path(__file__).parent.parent.parent
MOUNTING = sorted(
    file
    for file in (ROOT / "components").rglob("*.py")
    if "st.components.v2.component(" in file.read_text(encoding="utf-8")
)
PARTS = st.lists(st.text(alphabet="a_-/%.\u00e95F ") | st.text(), min_size=1, max_size=3)


def test_what_has_no_odd_letter_is_its_own_key() -> None:
    assert mount_key("live-gauges") == "live-gauges"
    assert mount_key("door-taps", "shop", "entrance") == "door-taps/shop/entrance"
    assert mount_key("door-taps", "a__b", "c/d") == "door-taps/a%5F%5Fb/c%2Fd"


@given(PARTS, PARTS)
@example(["a-b", "c"], ["a", "b-c"])
@example(["a/b"], ["a", "b"])
@example(["a_"], ["a%5F"])
@example(["\ud800"], ["\ud801"])
def test_unlike_parts_have_unlike_keys_and_none_holds_a_low_line(one: list[str], other: list[str]) -> None:
    assert (mount_key(*one) == mount_key(*other)) == (one == other)
    assert "_" not in mount_key(*one)


@pytest.mark.parametrize("file", MOUNTING, ids=lambda file: file.parent.name)
def test_no_component_is_mounted_under_another_key(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    components = {
        ast.unparse(node.targets[0])
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "st.components.v2.component"
    }
    mounts = [
        call for call in ast.walk(tree) if isinstance(call, ast.Call) and ast.unparse(call.func) in components
    ]
    assert len(mounts) == len(components) >= 1
    for call in mounts:
        (key,) = (own.value for own in call.keywords if own.arg == "key")
        assert ast.unparse(key).startswith("mount_key(")
