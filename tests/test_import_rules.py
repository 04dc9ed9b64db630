"""Who may know whom: the rooms of the house and the packages each may import."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

TEXT_AND_LOOK = frozenset(
    {"components.theme", "components.number_format", "components.plain_text", "gauge.levels"}
)

ALLOWED: dict[str, frozenset[str]] = {
    "contract": frozenset(),
    "analysis": frozenset({"contract"}),
    "gauge": frozenset({"contract"}),
    "api_client": frozenset({"contract"}),
    "live": frozenset({"contract", "analysis", "api_client"}),
    "service": frozenset({"contract"}),
    "components/theme.py": frozenset(),
    "components/number_format.py": frozenset(),
    "components/plain_text.py": frozenset({"analysis.names"}),
    "components/sentences": TEXT_AND_LOOK | {"contract", "analysis"},
    "components/tables": TEXT_AND_LOOK | {"contract", "analysis", "components.sentences"},
    "components/figures": TEXT_AND_LOOK | {"contract", "analysis", "components.sentences"},
    "components/live_gauge": frozenset({"gauge"}),
    "components/live_site": frozenset({"gauge", "components.live_gauge", "components.figures"}),
    "components/wall_frame": frozenset(),
    "components/page_frame": frozenset(),
    "components/panels": frozenset({"contract", "analysis", "gauge", "components", "screens.definition"}),
    "screens": frozenset({"contract", "analysis", "api_client", "live", "gauge"}),
    "runtime": frozenset({"contract", "analysis", "api_client", "live", "screens", "service.embedded"}),
    "pages": frozenset(
        {"contract", "analysis", "gauge", "components", "runtime", "live.snapshot", "screens.definition"}
    ),
}
"""Room -> what it may import of ours, besides itself."""

INSIDE_SERVICE: dict[str, frozenset[str]] = {
    "service/store": frozenset({"service.store"}),
    "service/replay": frozenset({"service.replay", "service.store", "service.ingest.spreading"}),
    "service/simulator": frozenset({"service.simulator", "service.store"}),
}

WITHOUT_STREAMLIT = (
    "contract",
    "analysis",
    "api_client",
    "live",
    "screens",
    "service",
    "gauge",
    "components/sentences",
    "components/figures",
    "components/tables",
)
WITHOUT_HTTP = (
    *("contract", "analysis", "gauge", "components", "pages"),
    *("service/store", "service/replay", "service/simulator"),
)
OURS = frozenset(
    {
        *("analysis", "api_client", "components", "contract", "gauge", "live", "pages", "runtime", "screens"),
        *("service", "tests"),
    }
)


def imports_of(file: Path) -> set[str]:
    """Dotted names that a file imports; `from a import b` counts as `a.b`, so that submodules show."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def files_of(room: str) -> list[Path]:
    path = ROOT / room
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def within(name: str, packages: frozenset[str] | tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def offences(room: str, allowed: frozenset[str]) -> list[str]:
    own = room.removesuffix(".py").replace("/", ".")
    return [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in files_of(room)
        for name in sorted(imports_of(file))
        if name.split(".")[0] in OURS and not within(name, allowed | {own})
    ]


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_imports_only_what_it_may_know(room: str) -> None:
    assert files_of(room), f"{room} has no files: the rule would hold of nothing"
    assert offences(room, ALLOWED[room]) == []


@pytest.mark.parametrize("room", INSIDE_SERVICE)
def test_inside_the_service_knowledge_points_towards_the_store(room: str) -> None:
    assert files_of(room)
    assert offences(room, INSIDE_SERVICE[room] | {"contract"}) == []


@pytest.mark.parametrize("room", WITHOUT_STREAMLIT)
def test_streamlit_is_met_at_the_edge(room: str) -> None:
    met = [file for file in files_of(room) if any(within(n, ("streamlit",)) for n in imports_of(file))]
    assert met == []


@pytest.mark.parametrize("room", WITHOUT_HTTP)
def test_http_is_spoken_by_the_client_and_the_routes_alone(room: str) -> None:
    spoken = ("httpx", "httpx_sse", "requests", "fastapi", "starlette")
    met = [file for file in files_of(room) if any(within(n, spoken) for n in imports_of(file))]
    assert met == []


@pytest.mark.parametrize("page", sorted((ROOT / "pages").glob("*.py")), ids=lambda page: page.name)
def test_a_page_is_a_short_list_of_choices_and_panels(page: Path) -> None:
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 120


def test_no_module_is_longer_than_one_can_hold_in_mind() -> None:
    long = [
        f"{file.relative_to(ROOT)}: {lines} lines"
        for room in (*ALLOWED, "app.py", "dashboard.py")
        for file in files_of(room)
        if (lines := len(file.read_text(encoding="utf-8").splitlines())) > 330
    ]
    assert long == []
