"""JMESPath expressions that a person writes to say where something stands in a body, evaluated within bounds.

Only what takes from the body, compares, joins and adds up is allowed. What makes new structures is not: a few
of them one after the other double a list until no memory is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import jmespath
from jmespath.exceptions import JMESPathError, JMESPathTypeError
from jmespath.visitor import TreeInterpreter

LONGEST: Final = 300
"""Letters of an expression."""
MOST_STEPS: Final = 200_000
"""Of all expressions for one body: half a second of a processor at most, whatever they say. A plain mapping
takes 20 for a row, one that filters and joins 120.
"""
_TEXT_OF_A_STEP: Final = 64
"""Letters."""
_DEEPEST: Final = 40
_LONGEST_TEXT: Final = 10_000
_ALLOWED: Final = frozenset(
    {
        *("field", "subexpression", "index", "index_expression", "slice", "projection", "filter_projection"),
        *("value_projection", "flatten", "pipe", "literal", "identity", "current", "comparator"),
        *("and_expression", "or_expression", "not_expression", "function_expression"),
    }
)
_OF_LISTS: Final = frozenset({"join", "sum", "max", "min"})
"""They make one value of a list: within their brackets, and nowhere else, a list may be written."""
_FUNCTIONS: Final = _OF_LISTS | {"length", "to_number", "not_null", "starts_with", "ends_with", "contains"}


class ExpressionError(ValueError):
    """An expression cannot be used, or not with this body; the message says why, for people."""


class Expression:
    """An expression that was read once. Raises ExpressionError."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise ExpressionError(f"has more than {LONGEST} letters")
        try:
            self._tree = jmespath.compile(text).parsed
            _check(self._tree)
        except JMESPathError as error:
            raise ExpressionError(f"cannot be read: {str(error).splitlines()[0]}") from error
        except RecursionError as error:
            raise ExpressionError("has too many brackets within each other") from error

    def evaluate(self, value: object, steps: Steps) -> Any:
        """What it finds in `value`, None for nothing. Raises ExpressionError."""
        try:
            return _Interpreter(steps).visit(self._tree, value)
        except JMESPathTypeError as error:
            taken = " or ".join(error.expected_types)
            raise ExpressionError(f"gives {error.function_name} what is not {taken}") from error
        except (JMESPathError, TypeError, ValueError, ArithmeticError) as error:
            if isinstance(error, ExpressionError):
                raise
            raise ExpressionError("does not fit what it finds") from error


class Steps:
    """What evaluating may take, for all expressions of one body together."""

    def __init__(self, left: int = MOST_STEPS) -> None:
        self._left = left

    def take(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise ExpressionError(
                "takes too long with this body: choose rows that hold what is asked of them"
            )


class _Interpreter(TreeInterpreter):
    """Counts what it does; lists and texts count for how long they are."""

    def __init__(self, steps: Steps) -> None:
        super().__init__()
        self._steps = steps

    def visit(self, node: Any, *args: Any, **kwargs: Any) -> Any:
        found = super().visit(node, *args, **kwargs)
        self._steps.take(1 + _size(found))
        if isinstance(found, str) and len(found) > _LONGEST_TEXT:
            raise ExpressionError(f"finds a text of more than {_LONGEST_TEXT:,} letters")
        return found

    def visit_comparator(self, node: Any, value: Any) -> Any:
        sides = [self.visit(side, value) for side in node["children"]]
        if any(isinstance(side, list | dict) for side in sides):
            raise ExpressionError("compares lists or objects: only single values can be compared")
        compared: Any = dict(node)
        compared["children"] = [{"type": "literal", "value": side, "children": []} for side in sides]
        return super().visit_comparator(compared, value)


def _size(found: object) -> int:
    """How many steps it takes to go through it once more."""
    if isinstance(found, list):
        return len(found)
    return len(found) // _TEXT_OF_A_STEP if isinstance(found, str) else 0


def _check(tree: Any) -> None:
    for node, parent, depth in _nodes(tree):
        kind = node["type"]
        if depth > _DEEPEST:
            raise ExpressionError("has too many parts within each other")
        if kind == "function_expression" and node["value"] not in _FUNCTIONS:
            known = ", ".join(sorted(_FUNCTIONS))
            raise ExpressionError(f"calls {node['value']}: of functions, {known} may be used")
        is_list_of_function = kind == "multi_select_list" and parent in _OF_LISTS
        if kind not in _ALLOWED and not is_list_of_function:
            raise ExpressionError(f"has a part that may not be used here: {kind.replace('_', ' ')}")


def _nodes(tree: Any) -> Iterator[tuple[Any, str, int]]:
    """Each node, the function in whose brackets it stands, and its depth."""
    left = [(tree, "", 1)]
    while left:
        node, parent, depth = left.pop()
        yield node, parent, depth
        function = node["value"] if node["type"] == "function_expression" else ""
        children = node["children"] if node["type"] != "slice" else ()
        left.extend((child, function, depth + 1) for child in children)
