"""Who makes a change: the key of the request, and the person for whom it acts."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Header, Request

from contract import ErrorCode
from service.exception_handlers import refusal
from service.store.audit_protocol import Author
from service.store.protocol import KeyRecord

_HEADER: Final = "x-acting-for"
_LONGEST: Final = 200
"""As long as any name that a login of the dashboard gives."""

ActingFor = Annotated[
    str | None,
    Header(
        alias=_HEADER,
        description="For whom the key acts, 1 to 200 printable characters in UTF-8; kept in the audit log.",
        json_schema_extra={"pattern": r"^[!-~]([ -~]{0,198}[!-~])?$"},
    ),
]
"""Declared for the document; `author_of` reads it."""


def author_of(request: Request, key: KeyRecord) -> Author:
    """For the audit log. ServiceError where the header is not what it may be."""
    given = request.headers.getlist(_HEADER)
    if not given:
        return Author(key.name, key.id)
    try:
        # Starlette reads the bytes of a header as Latin-1; they are UTF-8 where a name needs more than ASCII.
        person = given[0].encode("latin-1").decode()
    except UnicodeError:
        person = ""
    if len(given) > 1 or not (0 < len(person) <= _LONGEST and person.isprintable() and person.strip()):
        message = f"{_HEADER} takes the name of one person, 1 to {_LONGEST} printable characters in UTF-8."
        raise refusal(ErrorCode.INVALID_BODY, f"Nothing was changed: {message}", {_HEADER: message})
    return Author(key.name, key.id, person.strip())
