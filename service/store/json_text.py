"""A text out of a column of JSON, which engines ask for in words of their own."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, Text, literal
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class JsonText(FunctionElement[str]):
    """`JsonText(column, name)`: what a JSON object that is kept as text has under a name; null: nothing."""

    type = Text()
    inherit_cache: Final = True  # type: ignore[misc]

    def __init__(self, column: ColumnElement[Any], name: str) -> None:
        super().__init__(column, literal(name, Text()))


@compiles(JsonText, "sqlite")
def _of_sqlite(element: JsonText, compiler: Any, **options: Any) -> str:
    column, name = element.clauses
    return f"json_extract({compiler.process(column, **options)}, '$.' || {compiler.process(name, **options)})"


@compiles(JsonText, "postgresql")
def _of_postgresql(element: JsonText, compiler: Any, **options: Any) -> str:
    column, name = element.clauses
    return f"(CAST({compiler.process(column, **options)} AS JSONB) ->> {compiler.process(name, **options)})"
