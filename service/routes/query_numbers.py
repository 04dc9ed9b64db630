"""Whole numbers in the query of a URL, checked so that all that are wrong are named at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.datastructures import QueryParams

from contract import ErrorCode
from service.exception_handlers import refusal

_NUMBER: Final = re.compile(r"-?[0-9]{1,19}", re.ASCII)


@dataclass(frozen=True, slots=True)
class WholeNumber:
    lowest: int
    highest: int
    default: int = field(kw_only=True)
    """Where none is given."""

    def schema(self) -> dict[str, Any]:
        """For the OpenAPI document."""
        return {
            "type": "integer",
            "minimum": self.lowest,
            "maximum": self.highest,
            "default": self.default,
        }


def read_numbers(parameters: QueryParams, asked: Mapping[str, WholeNumber]) -> dict[str, int]:
    """The numbers by name; ServiceError that names each wrong one."""
    read: dict[str, int] = {}
    details: dict[str, str] = {}
    for name, number in asked.items():
        given = parameters.getlist(name)
        if not given:
            read[name] = number.default
        elif fault := _fault(given, number):
            details[name] = fault
        else:
            read[name] = int(given[0])
    if details:
        message = f"Not a page that can be given: {', '.join(details)}."
        raise refusal(ErrorCode.INVALID_PAGINATION_PARAMS, message, details)
    return read


def _fault(given: list[str], number: WholeNumber) -> str | None:
    if len(given) > 1:
        return "is given more than once"
    if not _NUMBER.fullmatch(given[0]):
        return "is not a whole number"
    if not number.lowest <= int(given[0]) <= number.highest:
        return f"is not from {number.lowest} to {number.highest}"
    return None
