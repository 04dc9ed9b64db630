"""What is wrong with variables that begin alike, in words that never repeat what was set."""

from __future__ import annotations

from typing import Final

from pydantic_core import ErrorDetails, PydanticCustomError

_TYPE: Final = "fit"


def misfit(prefix: str, name: str, says: str) -> PydanticCustomError:
    """A setting that does not fit the others; `{}` in `says` stands for the prefix."""
    return PydanticCustomError(_TYPE, "{says}", {"says": f"{prefix}{name.upper()} {says.format(prefix)}"})


def told_fault(prefix: str, fault: ErrorDetails) -> str:
    """Of a model whose variables have that prefix."""
    if fault["type"] == _TYPE:
        return fault["msg"]
    variable = f"{prefix}{str(fault['loc'][0]).upper()}"
    return f"{variable} is not set" if fault["type"] == "missing" else f"{variable}: {fault['msg']}"
