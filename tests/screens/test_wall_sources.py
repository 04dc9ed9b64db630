"""What a television of 2019 must make of the wall page, without asking a browser of today."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import playwright
import pytest

from gauge.levels import Occupancy
from screens.definition import SHORTEST_PAGE, Language, Scope, ViewKind
from screens.page import asset_names, json_for_html, load_bundle
from tests.e2e.scripted_wall import view

WALL = Path(__file__).parents[2] / "screens" / "wall"
NODE = Path(playwright.__file__).parent / "driver" / "node"
PARSE = """
const { parse } = require("internal/deps/acorn/acorn/dist/acorn");
parse(require("fs").readFileSync(0, "utf8"), { ecmaVersion: 2019 });
"""
MOST_BYTES = 32 * 1024
MOST_BYTES_WITH_PLACES = 43 * 1024
TOO_NEW_FOR_CHROMIUM_76 = {
    "css": (
        *(
            "min(",
            "max(",
            "clamp(",
            "aspect-ratio",
            "inset",
            ":is(",
            ":where(",
            ":has(",
            ":not(:",
            "color-mix(",
        ),
        *("@layer", "@container", "dvh", "dvw", "place-", "flex-gap", "content-visibility", "&"),
    ),
    "js": (
        *("?.", "??", ".replaceAll(", ".matchAll(", ".at(", "structuredClone", "Object.hasOwn", "allSettled"),
        *(
            "Promise.any",
            "globalThis",
            "replaceChildren",
            "ResizeObserver",
            "import(",
            "dateStyle",
            "timeStyle",
        ),
        *("toSorted", "findLast", "AbortSignal.timeout", ".append(", "WeakRef", "BigInt", "randomUUID"),
    ),
}
PLACE = re.compile(r"\{\w+\}")


def parses(script: bytes) -> bool:
    """As ECMAScript 2019, by the parser inside the Node that Playwright brings."""
    command = [str(NODE), "--expose-internals", "-e", PARSE]
    return subprocess.run(command, input=script, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("name", ["screen.js", "place.js"])
def test_the_script_is_of_2019(name: str) -> None:
    assert parses(load_bundle().assets[name].content)


@pytest.mark.parametrize("newer", [b"a?.b", b"a ?? b", b"a ||= b", b"class A { #b = 1 }", b"import('a')"])
def test_newer_syntax_would_be_found(newer: bytes) -> None:
    assert not parses(newer)


def test_only_what_chromium_76_knows_is_used() -> None:
    bundle = load_bundle()
    for name, asset in bundle.assets.items():
        kind, source = name.rpartition(".")[2], asset.content.decode()
        rules = re.sub(r"minmax\(|\((min|max)-aspect-ratio", "", source)
        assert [word for word in TOO_NEW_FOR_CHROMIUM_76[kind] if word in rules] == []


@pytest.mark.parametrize("kind", ViewKind)
def test_each_kind_of_view_has_its_function_and_the_word_of_its_title(kind: ViewKind) -> None:
    sources = "".join(path.read_text() for path in WALL.glob("*.js"))
    assert f"\nfunction {kind.facts.drawing}(config" in sources
    assert kind.facts.title in {"", *json.loads((WALL / "words.json").read_text())}


def test_pages_of_a_board_stand_as_long_as_the_composer_promises() -> None:
    assert f"\nvar SHORTEST_PAGE = {SHORTEST_PAGE}; // seconds\n" in (WALL / "board.js").read_text()


def test_no_flex_box_relies_on_a_gap() -> None:
    for rule in re.findall(r"\{[^{}]*\}", load_bundle().assets["place.css"].content.decode()):
        assert "gap:" not in rule or "display:flex" not in rule


@pytest.mark.parametrize(
    ("kinds", "most"),
    [
        ([kind for kind in ViewKind if not kind.facts.draws_passages], MOST_BYTES),
        (list(ViewKind), MOST_BYTES_WITH_PLACES),
    ],
    ids=["without places", "with places"],
)
def test_page_script_and_style_are_light_on_the_wire(kinds: list[ViewKind], most: int) -> None:
    """As any browser takes them: the assets compressed. With what a page holds of one view of each kind,
    among them a board of twelve zones, in the wordiest language.
    """
    bundle = load_bundle()
    zones = [f"ground-floor/zone-{number}" for number in range(12)]
    views = [view(kind, *(zones if kind.facts.scope is Scope.ZONES else zones[:1])) for kind in kinds]
    words = max((json_for_html(words) for words in bundle.words.values()), key=len)
    page = bundle.page.template + words + json_for_html(views)
    assets = sum(len(bundle.assets[name].compressed) for name in asset_names(kinds))
    assert assets + len(page.encode()) < most


def test_texts_are_left_as_they_were_written() -> None:
    script = load_bundle().script.decode()
    for text in (
        '"{n} places left"',
        '" · "',
        '"M5 5l6 6M11 5l-6 6"',
        '"{percent} % of {capacity}"',
    ):
        assert text in script
    assert "/*" not in script


def test_what_a_service_says_is_text_and_never_markup() -> None:
    assert not re.search(
        rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", load_bundle().script
    )


@pytest.mark.parametrize("path", sorted(WALL.glob("*.js")), ids=lambda path: path.name)
def test_ages_and_hours_are_never_taken_from_the_clock_of_the_television(path: Path) -> None:
    assert not re.search(r"Date\.now\(\)|new Date\(\)", path.read_text())


def test_each_word_is_there_in_each_language_with_the_same_places_in_it() -> None:
    texts = json.loads((WALL / "words.json").read_text())
    english = (WALL.parents[1] / "gauge" / "words.js").read_text()
    originals = dict(re.findall(r'^  (\w+): "(.*)",$', english, re.MULTILINE))
    for name, by_language in texts.items():
        # The gauge has English words of its own.
        whole = by_language if name not in originals else {"en": originals[name], **by_language}
        assert list(whole) == [language.value for language in Language], name
        assert len({tuple(sorted(PLACE.findall(text))) for text in whole.values()}) == 1, name


def test_what_a_wall_shows_is_there_in_each_language() -> None:
    english = (WALL.parents[1] / "gauge" / "words.js").read_text()
    texts = json.loads((WALL / "words.json").read_text())
    # What only who listens is told; the rest of what pages alone say is in their own words.
    assert set(re.findall(r"^  (\w+): ", english, re.MULTILINE)) - set(texts) == {"trend"}


def test_a_page_brings_the_words_of_its_own_language_alone() -> None:
    bundle = load_bundle()
    assert bundle.words[Language.GERMAN]["lightFree"] == "Bitte eintreten"
    assert bundle.words[Language.GERMAN]["inside"] == "anwesend"
    assert "inside" not in bundle.words[Language.ENGLISH]
    assert "eintreten" not in bundle.script.decode()


def channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def over(colour: str, ground: str, share: float) -> str:
    """`colour` with the opacity `share` on `ground`."""
    pairs = zip(channels(colour), channels(ground), strict=True)
    mixed = (share * one + (1 - share) * other for one, other in pairs)
    return "#" + "".join(f"{round(part):02x}" for part in mixed)


def linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def luminance(colour: str) -> float:
    """As WCAG 2 defines it."""
    red, green, blue = (linear(part / 255) for part in channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def palettes() -> dict[str, dict[str, str]]:
    """Selector -> the colours it sets, each on top of the dark theme's."""
    rules = re.findall(r"^(html[^{]*) \{(.*?)\}", (WALL / "screen.css").read_text(), re.MULTILINE | re.DOTALL)
    colours = {selector: dict(re.findall(r"--(\w+): (#\w{6});", body)) for selector, body in rules}
    return {selector: colours["html"] | own for selector, own in colours.items()}


@pytest.mark.parametrize("selector", palettes())
def test_words_have_a_contrast_of_aa_by_day_and_by_night(selector: str) -> None:
    palette = palettes()[selector]
    for text in ("text", "quiet"):
        for ground in ("surface", "raised"):
            assert contrast(palette[text], palette[ground]) >= 4.5, (text, ground)
    assert contrast(palette["accent"], palette["surface"]) >= 3


@pytest.mark.parametrize("selector", palettes())
def test_a_number_that_is_not_current_is_told_from_a_current_one_by_day_and_by_night(selector: str) -> None:
    palette = palettes()[selector]
    assert contrast(palette["text"], palette["stale"]) >= 2.5
    for ground in ("surface", "raised"):
        assert contrast(palette["stale"], palette[ground]) >= 3, ground


@pytest.mark.parametrize("level", Occupancy)
def test_the_word_on_a_light_has_a_contrast_of_aa(level: Occupancy) -> None:
    assert contrast(palettes()["html"]["ink"], level.value.colour) >= 4.5


@pytest.mark.parametrize("level", Occupancy)
@pytest.mark.parametrize("selector", [name for name in palettes() if "dim" in name])
def test_the_large_word_on_a_dimmed_light_has_a_contrast_of_aa(selector: str, level: Occupancy) -> None:
    palette = palettes()[selector]
    glow = re.search(r'dim="true"\] \{[^}]*--glow: ([\d.]+);', (WALL / "screen.css").read_text())
    assert glow
    assert contrast(palette["ink"], over(level.value.colour, palette["surface"], float(glow[1]))) >= 3
