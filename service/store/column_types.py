"""Types of columns, as each engine has them."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import BigInteger, Integer, Text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.compiler import compiles

WHOLE: Final = BigInteger().with_variant(Integer(), "sqlite")
"""A number that no engine cuts off; SQLite numbers rows by themselves only where a column is `INTEGER`."""
TEXT: Final = Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
"""Compared and ordered as SQLite does, by its bytes, and not as a server's language has it."""


class _Narrow(BigInteger):
    """Kept in fewer bytes where an engine asks for a width, and of 64 bits in all that is asked and answered:
    PostgreSQL refuses what does not fit, and compares with what is wider.
    """


class _Narrowest(_Narrow):
    """The same in fewer yet."""


@compiles(_Narrow, "postgresql")
def _narrow(_: _Narrow, __: Any, **___: Any) -> str:
    return "INTEGER"


@compiles(_Narrowest, "postgresql")
def _narrowest(_: _Narrowest, __: Any, **___: Any) -> str:
    return "SMALLINT"


SERIES: Final = _Narrow().with_variant(Integer(), "sqlite")
"""The number of a zone or a passage: no engine could keep more of them than fit."""
MINUTE: Final = _Narrow().with_variant(Integer(), "sqlite")
"""Since the epoch; up to the year 6053."""
LEVEL: Final = _Narrow().with_variant(Integer(), "sqlite")
"""As it was told: `LARGEST_COUNT` of the API at most, and never added to."""
FEW: Final = _Narrowest().with_variant(Integer(), "sqlite")
"""How many minutes of a quarter, or 0 and 1."""
