"""JavaScript and CSS as short as a browser still reads them the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, product
from string import ascii_letters, digits
from typing import Final

import rcssmin
import rjsmin
import tree_sitter_javascript
from tree_sitter import Language, Parser, Query, QueryCursor

_JAVASCRIPT: Final = Language(tree_sitter_javascript.language())
_NAMES: Final = Query(
    _JAVASCRIPT,
    """
    (identifier) @used
    (variable_declarator name: (identifier) @own)
    (function_declaration name: (identifier) @own)
    (formal_parameters (identifier) @own)
    (arrow_function parameter: (identifier) @own)
    (catch_clause parameter: (identifier) @own)
    [(shorthand_property_identifier) (shorthand_property_identifier_pattern)] @property
    """,
)
"""`used` holds `own`; what stands behind a dot or before the colon of an object is no identifier."""
_RESERVED: Final = frozenset({b"as", b"do", b"if", b"in", b"of"})


def minified_script(source: bytes) -> bytes:
    """The whole of a page's JavaScript, with short names for its own functions and variables.

    A name is another one everywhere alike, so that no scope has to be known; the name of a global of the
    browser must be declared nowhere, and a name that is written as a property's, too, stays.
    Raises ValueError where the source is no JavaScript.
    """
    tree = Parser(_JAVASCRIPT).parse(source)
    if tree.root_node.has_error:
        raise ValueError("the scripts of the wall page are no JavaScript")
    found = QueryCursor(_NAMES).captures(tree.root_node)
    own = {node.text for node in found.get("own", [])} - {node.text for node in found.get("property", [])}
    used = Counter(node.text for node in found.get("used", []))
    fresh = (name for name in _short_names() if name not in _RESERVED and (name not in used or name in own))
    names = {name: next(fresh) for name, _ in used.most_common() if name in own}
    parts, end = [], 0
    for node in sorted(found.get("used", []), key=lambda node: node.start_byte):
        parts += [source[end : node.start_byte], names.get(node.text, node.text or b"")]
        end = node.end_byte
    return bytes(rjsmin.jsmin(b"".join([*parts, source[end:]])))


def minified_style(source: bytes) -> bytes:
    return bytes(rcssmin.cssmin(source))


def _short_names() -> Iterator[bytes]:
    """One letter, then a letter and a letter or digit: 3,276 names."""
    pairs = ("".join(pair) for pair in product(ascii_letters, ascii_letters + digits))
    return (name.encode() for name in chain(ascii_letters, pairs))
