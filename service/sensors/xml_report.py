"""XML bodies of counters as plain values, which models check as they check JSON.

Expat reads them; a document type is refused, and with it all entities but XML's own five: what they declare
grows, and names files. Namespaces and attributes are left out: makers change them, and say nothing with them.
"""

from __future__ import annotations

from typing import Final
from xml.etree import ElementTree as ET
from xml.parsers import expat

from pydantic import ValidationError

from service.sensors.json_report import Model, faults
from service.sensors.told_count import ReportError

MOST_ELEMENTS: Final = 10_000
_DEEPEST: Final = 50
_MOST_PARTS: Final = 20
_BLANK: Final = b" \t\r\n"
_ONCE: Final = 65_536
"""Bytes that are read at once: the parser stops between, not within, where something is refused."""


class _Tree:
    """Takes what a parser tells; names without their namespaces."""

    def __init__(self) -> None:
        self.builder = ET.TreeBuilder()
        self._depth = self._elements = 0

    def begin(self, name: str, _attributes: dict[str, str]) -> None:
        self._depth, self._elements = self._depth + 1, self._elements + 1
        if self._depth > _DEEPEST or self._elements > MOST_ELEMENTS:
            raise ReportError(
                f"body: more than {MOST_ELEMENTS:,} elements, or deeper than {_DEEPEST} within each other"
            )
        self.builder.start(_local(name), {})

    def end(self, name: str) -> None:
        self.builder.end(_local(name))
        self._depth -= 1

    def text(self, letters: str) -> None:
        self.builder.data(letters)

    def document_type(self, *_of_it: object) -> None:
        raise ReportError("body: has a document type, which is not read")


def read_xml(body: bytes, root: str) -> dict[str, object]:
    """What is within the element `root`, by name: text, what is within in turn, a list of what comes again.

    Raises ReportError.
    """
    element = _parsed(_document(body))
    if element.tag != root:
        raise ReportError(f"body: Input should be an element {root}")
    values = _values(element)
    return values if isinstance(values, dict) else {}


def read_values(values: dict[str, object], model: type[Model]) -> Model:
    """Raises ReportError, which names what is wrong by its path."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise ReportError(faults(error)) from error


def _document(body: bytes) -> bytes:
    """Of a form of several parts, as cameras send with a picture, the first that is XML; else all of it."""
    body = body.lstrip(_BLANK)
    boundary, _, rest = body.partition(b"\n")
    if not boundary.startswith(b"--"):
        return body
    for part in (b"\n" + rest).split(b"\n" + boundary.rstrip(), _MOST_PARTS):
        for head_end in (b"\r\n\r\n", b"\n\n"):
            _, found, content = part.partition(head_end)
            if found and content.lstrip(_BLANK).startswith(b"<"):
                return content.lstrip(_BLANK)
    raise ReportError("body: a form of several parts, of which none is XML")


def _parsed(body: bytes) -> ET.Element:
    tree = _Tree()
    parser = expat.ParserCreate(namespace_separator="}", intern=None)
    parser.StartElementHandler, parser.EndElementHandler = tree.begin, tree.end
    parser.CharacterDataHandler = tree.text
    parser.StartDoctypeDeclHandler = tree.document_type
    try:
        for start in range(0, len(body), _ONCE):
            parser.Parse(body[start : start + _ONCE], False)
        parser.Parse(b"", True)
        return tree.builder.close()
    except ReportError:
        raise
    except expat.ExpatError as error:
        raise ReportError(f"body: Invalid XML at line {error.lineno}") from error
    except (AssertionError, ValueError, LookupError) as error:
        raise ReportError("body: Invalid XML") from error


def _values(element: ET.Element) -> object:
    if not len(element):
        return (element.text or "").strip()
    values: dict[str, object] = {}
    for child in element:
        value = _values(child)
        before = values.get(child.tag)
        if child.tag not in values:
            values[child.tag] = value
        elif isinstance(before, list):
            before.append(value)
        else:
            values[child.tag] = [before, value]
    return values


def _local(name: str) -> str:
    return name.rpartition("}")[2]
