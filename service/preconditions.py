"""If-Match and If-None-Match (RFC 9110, section 13.1): whether what is stored is what a change rests on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request

from contract import ErrorCode
from service.exception_handlers import ServiceError, entry, refusal

_TAG: Final = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_TAGS: Final = re.compile(rf"\*|{_TAG}(?:[ \t]*,[ \t]*{_TAG})*")
_ONE_TAG: Final = re.compile(_TAG)


@dataclass(frozen=True, slots=True)
class Preconditions:
    """Entity tags with their quotes, `*` for any; None: not asked for."""

    match: Sequence[str] | None
    none_match: Sequence[str] | None

    def check(self, current: str | None, noun: str) -> None:
        """ServiceError (PRECONDITION_FAILED) unless they hold; `current` is the tag of what is stored."""
        if self.match is not None and not _names(self.match, current):
            now = f"it has the ETag {current} now" if current else "it is not there"
            failed = (
                f"the {noun} is not what If-Match says, {now}: somebody changed it. Read it again, and make"
            )
            raise _failed(f"{failed} your change to that.", current)
        if self.none_match is not None and _names(
            [tag.removeprefix("W/") for tag in self.none_match], current
        ):
            raise _failed(f"there is such a {noun} already, which If-None-Match rules out.", current)


def read_preconditions(request: Request) -> Preconditions:
    """ServiceError where one of the headers is none: a change must not go through for a forgotten quote."""
    return Preconditions(_read(request, "if-match"), _read(request, "if-none-match"))


def _read(request: Request, name: str) -> list[str] | None:
    given = request.headers.getlist(name)
    if not given:
        return None
    text = ", ".join(given).strip()
    if not _TAGS.fullmatch(text):
        message = f'{name} takes * or ETags in their quotes, as {name}: "3f2a".'
        raise refusal(ErrorCode.INVALID_BODY, f"Nothing was changed: {message}", {name: message})
    return ["*"] if text == "*" else _ONE_TAG.findall(text)


def _names(tags: Sequence[str], current: str | None) -> bool:
    return current is not None and ("*" in tags or current in tags)


def _failed(reason: str, current: str | None) -> ServiceError:
    refused = entry(ErrorCode.PRECONDITION_FAILED, f"Nothing was changed: {reason}")
    return ServiceError([refused], {"ETag": current} if current else None)
