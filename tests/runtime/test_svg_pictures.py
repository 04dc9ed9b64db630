"""What is left of an SVG, and which are refused."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.svg_pictures import PictureError, safe_svg

_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 80 40">'
)
_SHAPE = '<path id="wall" d="M0 0h80v40z" fill="#333"/>'

HARMFUL = {
    "a script": "<script>evil()</script>",
    "a script from elsewhere": '<script href="https://evil.example/x.js"/>',
    "a handler": '<rect width="1" height="1" onload="evil()" onclick="evil()"/>',
    "a handler in capitals": '<rect width="1" height="1" onLoad="evil()"/>',
    "HTML": '<foreignObject><p xmlns="http://www.w3.org/1999/xhtml" onclick="evil()"/></foreignObject>',
    "HTML among shapes": '<img xmlns="http://www.w3.org/1999/xhtml" src="x" onerror="evil()"/>',
    "a frame": '<iframe xmlns="http://www.w3.org/1999/xhtml" src="https://evil.example"/>',
    "a link": '<a href="javascript:evil()"><text>evil-text</text></a>',
    "an old link": '<a xlink:href="https://evil.example"><rect width="1" height="1"/></a>',
    "a picture from elsewhere": '<image href="https://evil.example/p.png" width="9" height="9"/>',
    "a picture within": '<image href="data:image/svg+xml;base64,PHN2Zz4=" width="9" height="9"/>',
    "a use from elsewhere": '<use href="https://evil.example/a.svg#b"/>',
    "a use of a file": '<use xlink:href="other.svg#b"/>',
    "a handler that is set later": '<set attributeName="onmouseover" to="evil()"/>',
    "a link that is set later": '<a><animate attributeName="href" values="javascript:evil()"/></a>',
    "what moves": '<rect width="1" height="1"><animateTransform attributeName="transform" dur="1s"/></rect>',
    "a style from elsewhere": "<style>@import url(https://evil.example/x.css);</style>",
    "a font from elsewhere": "<style>@font-face{font-family:x;src:url(https://evil.example/x)}</style>",
    "a ground from elsewhere": "<style>rect{background:url(https://evil.example/x)}</style>",
    "a fill from elsewhere": '<rect width="1" height="1" fill="url(https://evil.example/x#y)"/>',
    "a fill with a quote": '<rect width="1" height="1" fill="url( \'https://evil.example/x#y\' )"/>',
    "a style with an escape": '<rect width="1" height="1" style="fill:u\\72l(https://evil.example/x)"/>',
    "a style with a comment": '<rect width="1" height="1" style="fill:u/**/rl(https://evil.example/x)"/>',
    "a behaviour": '<rect width="1" height="1" style="behavior:url(#evil);-moz-binding:url(evil.xml)"/>',
    "a filter": '<filter id="f"><feImage href="https://evil.example/x"/></filter><rect filter="url(#f)"/>',
    "a style sheet": '<?xml-stylesheet href="https://evil.example/x.css"?>',
    "what another namespace calls a script": '<s:script xmlns:s="http://www.w3.org/2000/svg">evil()</s:script>',
    "data of a program": '<metadata><x xmlns="evil">evil</x></metadata>',
    "a base": '<g xml:base="https://evil.example/"><use href="#wall"/></g>',
}
_NEVER = re.compile(
    rb"evil|script|onload|onclick|onerror|foreignObject|animate|<set|@|iframe|<image|filter|behavior|binding",
    re.IGNORECASE,
)


@pytest.mark.parametrize("harm", HARMFUL)
def test_of_what_could_do_harm_nothing_is_left(harm: str) -> None:
    kept = safe_svg(f"{_HEAD}{_SHAPE}{HARMFUL[harm]}</svg>".encode())
    assert not _NEVER.search(kept.content.replace(b"evil-text", b""))
    assert b"M0 0h80v40z" in kept.content


def test_a_plan_keeps_its_shapes_colours_and_references_within() -> None:
    body = (
        f'{_HEAD}<defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs>'
        "<style>.a, .b{fill:url(#g);stroke:#000;stroke-width:.5px} @media print{.a{fill:red}}</style>"
        "<style>.a, .b{fill:url(#g);stroke:#000}</style>"
        '<g class="a" transform="translate(1 2)">'
        '<rect width="3" height="4" style="fill: blue; position: fixed"/>'
        '<text x="1">Café &amp; Bar</text></g><use xlink:href="#wall"/></svg>'
    )
    kept = safe_svg(body.encode()).content.decode()
    assert ".a, .b{fill:url(#g);stroke:#000}" in kept
    assert "print" not in kept
    assert 'style="fill:blue"' in kept
    assert "Café &amp; Bar" in kept
    assert 'href="#wall"' in kept
    assert 'offset="0"' in kept


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ('viewBox="0 0 80 40"', (1_000, 500)),
        ('width="100%" height="100%" viewBox="10 10 300,600"', (500, 1_000)),
        ('width="210mm" height="297mm"', (707, 1_000)),
        ('width="4in" height="2in"', (1_000, 500)),
    ],
)
def test_its_proportions_are_those_of_its_box(sizes: str, expected: tuple[int, int]) -> None:
    kept = safe_svg(f'<svg xmlns="http://www.w3.org/2000/svg" {sizes}>{_SHAPE}</svg>'.encode())
    assert (kept.width, kept.height) == expected
    root = ET.fromstring(kept.content)
    assert (root.get("width"), root.get("height")) == tuple(map(str, expected))


@pytest.mark.parametrize(
    "sizes", ["", 'width="100%"', 'viewBox="0 0 0 5"', 'viewBox="0 0 nan inf"', 'viewBox="0 0 1e9 1"']
)
def test_one_without_a_size_is_refused(sizes: str) -> None:
    with pytest.raises(PictureError, match="how large it is"):
        safe_svg(f'<svg xmlns="http://www.w3.org/2000/svg" {sizes}>{_SHAPE}</svg>'.encode())


def test_entities_are_refused_whether_they_grow_or_name_a_file() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    for entities in (
        f'<!ENTITY l0 "ha">{laughs}',
        '<!ENTITY x SYSTEM "file:///etc/passwd">',
        '<!ENTITY % p "x">',
    ):
        with pytest.raises(PictureError, match="entities"):
            safe_svg(f"<!DOCTYPE svg [{entities}]>{_HEAD}{_SHAPE}<text>&l9;</text></svg>".encode())


def test_a_document_type_alone_is_left_out() -> None:
    public = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "https://evil.example/svg11.dtd">'
    assert b"DOCTYPE" not in safe_svg(f"{public}{_HEAD}{_SHAPE}</svg>".encode()).content


def test_what_is_used_again_and_again_is_counted_again_and_again() -> None:
    doubled = "".join(f'<g id="g{n}">' + f'<use href="#g{n - 1}"/>' * 10 + "</g>" for n in range(1, 9))
    with pytest.raises(PictureError, match="too heavy"):
        safe_svg(f'{_HEAD}<g id="g0">{_SHAPE}</g>{doubled}</svg>'.encode())
    masks = "".join(f'<mask id="m{n}">' + f'<g mask="url(#m{n - 1})"/>' * 10 + "</mask>" for n in range(1, 9))
    with pytest.raises(PictureError, match="too heavy"):
        safe_svg(f"{_HEAD}{_SHAPE}{masks}</svg>".encode())


def test_a_part_within_itself_is_refused() -> None:
    with pytest.raises(PictureError, match="within itself"):
        safe_svg(
            f'{_HEAD}<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/>{_SHAPE}</g></svg>'.encode()
        )


def test_too_many_and_too_deep_are_refused() -> None:
    for inner in ("<g/>" * 60_000, "<g>" * 500 + "</g>" * 500):
        with pytest.raises(PictureError, match="too heavy"):
            safe_svg(f"{_HEAD}{_SHAPE}{inner}</svg>".encode())


def test_a_style_sheet_refers_to_no_mask() -> None:
    body = f'{_HEAD}<style>path{{mask:url(#m);fill:red}}</style><mask id="m"><g/></mask>{_SHAPE}</svg>'
    assert b"url" not in safe_svg(body.encode()).content


@pytest.mark.parametrize(
    "body",
    [
        b"<svg",
        b"<html><body/></html>",
        b"<svg/>",
        b"<!-- -->",
        b"\xff\xfe<",
        b"<a>\0</a>",
        b'<?xml encoding="no"?>',
    ],
)
def test_what_is_no_svg_is_refused(body: bytes) -> None:
    with pytest.raises(PictureError, match=r"\.$"):
        safe_svg(body)


def test_one_that_has_nothing_but_a_photo_is_refused() -> None:
    with pytest.raises(PictureError, match="Nothing in this SVG can be shown"):
        safe_svg(f'{_HEAD}<image href="data:image/png;base64,AAAA"/></svg>'.encode())


@given(st.text(max_size=80), st.sampled_from(["fill", "style", "class", "href", "onload", "d", "id"]))
def test_no_value_brings_anything_from_elsewhere(value: str, name: str) -> None:
    root = ET.fromstring(f"{_HEAD}{_SHAPE}<rect/></svg>")
    root[-1].set(name, value)
    try:
        kept = ET.fromstring(safe_svg(ET.tostring(root)).content)
    except PictureError:
        return
    except UnicodeEncodeError:
        return
    for element in kept.iter():
        assert not any(key.startswith("on") for key in element.attrib)
        assert element.get("href", "#").startswith("#")
        painted = f"{element.get('fill', '')}{element.get('style', '')}".lower()
        assert "url(" not in painted.replace("url(#", "")
