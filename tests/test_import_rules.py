"""Who may know whom: the rooms of the house and the packages each may import."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _nothing_is_collected_meanwhile() -> Iterator[None]:
    """Python 3.11 fails to parse where a collection within it lets another thread parse (CPython 106905)."""
    gc.disable()
    yield
    gc.enable()


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
    "page_list.py": frozenset(),
    "components/theme.py": frozenset(),
    "components/number_format.py": frozenset(),
    "components/plain_text.py": frozenset({"analysis.names"}),
    "components/mount_key.py": frozenset(),
    "components/sentences": TEXT_AND_LOOK | {"contract", "analysis"},
    "components/tables": TEXT_AND_LOOK | {"contract", "analysis", "components.sentences"},
    "components/figures": TEXT_AND_LOOK | {"contract", "analysis", "components.sentences"},
    "components/reports": TEXT_AND_LOOK
    | {"contract", "analysis", "components.sentences", "components.tables", "components.figures"},
    "components/live_gauge": frozenset({"gauge", "components.chart_picture", "components.mount_key"}),
    "components/live_site": frozenset({"analysis", "gauge", "components.live_gauge", "components.mount_key"}),
    "components/plan_editor": frozenset({"gauge", "components.live_gauge", "components.mount_key"}),
    "components/live_replay": frozenset(
        {"analysis", "gauge", "components.live_gauge", "components.live_site", "components.mount_key"}
    ),
    "components/door_taps": frozenset({"components.mount_key"}),
    "components/chart_picture": frozenset({"components.mount_key"}),
    "components/wall_frame": frozenset({"components.mount_key"}),
    "components/page_frame": frozenset({"components.mount_key"}),
    "components/panels": frozenset(
        {"contract", "analysis", "gauge", "components", "page_list", "screens.definition"}
    ),
    "keeping": frozenset(),
    "screens": frozenset({"contract", "analysis", "api_client", "live", "gauge", "keeping"}),
    "runtime": frozenset(
        {"contract", "analysis", "gauge", "api_client", "keeping", "live", "page_list", "screens"}
        | {"service.embedded"}
    ),
    "pages": frozenset(
        {"contract", "analysis", "gauge", "components", "runtime", "live.snapshot", "screens.definition"}
    ),
}
"""Room -> what it may import of ours, besides itself."""

INSIDE_SERVICE: dict[str, frozenset[str]] = {
    "service/store": frozenset({"service.store"}),
    "service/replay": frozenset({"service.replay", "service.store", "service.ingest.allocation"}),
    "service/simulator": frozenset({"service.simulator", "service.store"}),
}

WITHOUT_STREAMLIT = (
    "contract",
    "analysis",
    "api_client",
    "live",
    "keeping",
    "screens",
    "service",
    "gauge",
    "components/sentences",
    "components/figures",
    "components/tables",
    "components/reports",
)
WITHOUT_HTTP = (
    *("contract", "analysis", "gauge", "components", "pages"),
    *("service/store", "service/replay", "service/simulator"),
)
OURS = frozenset(
    {
        *("analysis", "api_client", "components", "contract", "gauge", "keeping", "live", "pages"),
        *("page_list", "runtime", "screens", "service", "tests"),
    }
)


OTHER_DATABASES = {
    "service/ingest/staged_counts.py": "a temporary file that sorts the rows of an import",
    "keeping/columns.py": "what both engines of the dashboard's own stores call the same",
    "keeping/moving.py": "from one of these places to the other",
    "keeping/place.py": "where the dashboard keeps what is its own: files, or a database",
    "keeping/postgresql.py": "the database that several dashboards share",
    "keeping/shared_tables.py": "the dashboard's own tables in it",
    "keeping/sqlite_file.py": "what the files of the dashboard share: their mode, format, transactions",
    "runtime/ended_sessions.py": "sessions that were logged out, told to all dashboards",
    "runtime/likeness.py": "whether dashboards that share a database are set up alike",
    "runtime/migrate_store.py": "what a dashboard keeps, moved into such a database",
    "screens/shared_viewers.py": "who looks at screens, told to all dashboards",
    "screens/store.py": "the dashboard's own store of saved screens",
    "screens/store_file.py": "the dashboard's own file of saved screens",
    "runtime/preference_store.py": "the dashboard's own store of what is kept for every browser",
    "runtime/site_knowledge_store.py": "the dashboard's own store of what it knows of sites",
    "benchmarks/engines/plain.py": "the plain table that engines are held against",
    "benchmarks/engines/stores.py": "brings the log of a file into it before its bytes are counted",
    "benchmarks/store.py": "compares the service with the bare statement",
}
"""Who else imports a database, and what for."""
DRIVERS = ("sqlite3", "sqlalchemy", "alembic", "psycopg", "clickhouse_connect")


@cache
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


@cache
def paths_of(file: Path) -> set[str]:
    """What a module names of ours by a path, as dotted names: `ROOT / "gauge" / "words.js"` or
    `"gauge/words.js"` is `gauge.words.js`. A path that leads nowhere is none, such as that of a URL.
    """
    tree = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    named = {"/".join(texts_of(node)) for node in tree if isinstance(node, ast.BinOp | ast.Constant)}
    ours = {path.strip("/") for path in named if path.split("/")[0] in OURS and "/" in path}
    return {path.replace("/", ".") for path in ours if (ROOT / path).exists()}


def texts_of(node: ast.expr) -> list[str]:
    """`ROOT / "a" / "b"` -> [a, b]; what is not a text is left out."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return texts_of(node.left) + texts_of(node.right)
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_reads_no_file_of_a_room_that_it_may_not_know(room: str) -> None:
    own = room.removesuffix(".py").replace("/", ".")
    links = {"pages"} if room == "components/panels" else set()  # Streamlit's links name pages by their files
    read = [
        f"{file.relative_to(ROOT)} names {name}"
        for file in files_of(room)
        for name in sorted(paths_of(file))
        if not within(name, ALLOWED[room] | {own} | links)
    ]
    assert read == []


def test_a_path_into_another_room_is_seen(tmp_path: Path) -> None:
    reading = tmp_path / "reading.py"
    reading.write_text(
        'A = ROOT.parent / "components" / "panels"\nB = "screens/wall/screen.css"\nC = "live/x"\n'
    )
    assert paths_of(reading) == {"components.panels", "screens.wall.screen.css"}


def test_no_packages_know_each_other_in_a_circle() -> None:
    """What stands in a package's top folder, such as the service's application, counts file by file."""
    packages = {
        ".".join(file.parent.relative_to(ROOT).parts) for room in OURS - {"tests"} for file in files_of(room)
    }
    inner = {package for package in packages if "." in package}
    graph: dict[str, set[str]] = {}
    for package in packages:
        for file in (ROOT / package.replace(".", "/")).glob("*.py"):
            own = package if package in inner else f"{package}.{file.stem}"
            homes = {
                max(
                    (one for one in inner if within(name, (one,))),
                    key=len,
                    default=".".join(name.split(".")[:2]),
                )
                for name in imports_of(file)
                if name.split(".")[0] in OURS
            }
            graph.setdefault(own, set()).update(homes - {own})
    TopologicalSorter(graph).prepare()


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


def test_the_store_alone_knows_its_database() -> None:
    met = {
        file.relative_to(ROOT).as_posix()
        for room in (*ALLOWED, "benchmarks", "app.py", "dashboard.py")
        for file in files_of(room)
        if any(within(name, DRIVERS) for name in imports_of(file))
        if not file.is_relative_to(ROOT / "service" / "store")
    }
    assert met == OTHER_DATABASES.keys()


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
