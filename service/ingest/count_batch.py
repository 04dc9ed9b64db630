"""The body of `POST /ingest/counts`: a JSON array of counts, taken whole or refused whole; levels likewise.

Read element by element, so that a hostile body costs no more than its first hundred bad elements: neither a
parser that makes objects of all of it nor a list of all that is wrong with it would end in time. For the
same reason no single step holds the interpreter for long, whatever the body is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Final, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from contract import ErrorCode, quoted, shortened
from contract.minutes import MINUTES_A_DAY
from service.exception_handlers import ServiceError, refusal
from service.ingest.count_time import LARGEST_COUNT, CountTimeError, minute_at_most, read_count_time
from service.query.metrics_body import field_name
from service.request_body import parse_json
from service.store.protocol import PassageCount

MAXIMUM_DETAILS: Final = 100
"""Bad values after which the rest is not looked at."""

MAXIMUM_DAYS: Final = 62
"""Days (UTC) of which one request may have counts: what follows from them is made again day by day."""

LONGEST_ELEMENT: Final = 4096
"""Characters of JSON that one count may have."""

_SPACE: Final = re.compile(r"[ \t\n\r]*")

People = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]


class CountElement(BaseModel):
    """People who crossed one passage during the minute that holds `timestamp`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    timestamp: Annotated[str, Field(json_schema_extra={"format": "date-time"})]
    """ISO 8601 with an offset; any second of the minute, from 2010 on, and not in the future."""
    passage_id: Annotated[str, Field(alias="passageId", min_length=1)]
    forward: People
    """From `fromZoneId` to `toZoneId`."""
    backward: People


class OfMinute(Protocol):
    @property
    def minute(self) -> int: ...


Taken = TypeVar("Taken", bound=OfMinute)


def read_count_batch(body: bytes, now: datetime, limit: int) -> list[PassageCount]:
    """The counts, at most `limit`; ServiceError that names every bad element (the first hundred values)."""
    return read_batch(
        body, limit, lambda element: _count(CountElement.model_validate(element), now), "counts"
    )


def read_batch(body: bytes, limit: int, read: Callable[[Any], Taken], called: str) -> list[Taken]:
    """What `read` makes of each element, at most `limit`; ServiceError that names every bad element.

    `read` raises ValidationError or, of a field `timestamp`, CountTimeError. `called` is what they are, many
    of them.
    """
    taken: list[Taken] = []
    details: dict[str, str] = {}
    for index, element in enumerate(_elements(body)):
        if index == limit:
            message = f"Nothing was stored: the body has more than the {limit} {called} of one request."
            raise refusal(ErrorCode.TOO_MANY_COUNTS, message)
        try:
            taken.append(read(element))
        except ValidationError as error:
            details |= _shape_problems(index, error)
        except CountTimeError as error:
            details[f"[{index}].timestamp"] = str(error)
        if len(details) >= MAXIMUM_DETAILS:
            break
    if details:
        raise batch_refusal(ErrorCode.INVALID_BODY, details)
    if len({one.minute // MINUTES_A_DAY for one in taken}) > MAXIMUM_DAYS:
        message = (
            f"Nothing was stored: the body has {called} of more than the {MAXIMUM_DAYS} days of one request."
        )
        raise refusal(ErrorCode.TOO_MANY_COUNTS, message)
    return taken


def unknown_passages(elements: Sequence[PassageCount], unknown: Collection[str]) -> ServiceError:
    """The refusal of counts at passages that are `unknown`."""
    refused = (index for index, count in enumerate(elements) if count.passage_id in unknown)
    details = {
        f"[{index}].passageId": f"the organization has no passage {quoted(elements[index].passage_id)}"
        for index in islice(refused, MAXIMUM_DETAILS)
    }
    return batch_refusal(ErrorCode.UNKNOWN_PASSAGE, details)


def _elements(body: bytes) -> Iterator[Any]:
    """The elements of the array, each parsed when it is asked for."""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise _malformed("not UTF-8", error.start) from error
    position = _after_space(text, 0)
    if text[position : position + 1] != "[":
        if len(body) <= LONGEST_ELEMENT:
            parse_json(body)
        raise batch_refusal(ErrorCode.INVALID_BODY, {"body": "is not an array"})
    position = _after_space(text, position + 1)
    closed = text[position : position + 1] == "]"
    while not closed:
        element, position = _element(text, position)
        yield element
        position = _after_space(text, position)
        if text[position : position + 1] not in {",", "]"}:
            raise _malformed("expected , or ]", position)
        closed = text[position] == "]"
        position = position if closed else _after_space(text, position + 1)
    if _after_space(text, position + 1) != len(text):
        raise _malformed("expected its end", position + 1)


def _element(text: str, start: int) -> tuple[Any, int]:
    """The value that begins at `start`, and where it ends."""
    window = text[start : start + LONGEST_ELEMENT]
    try:
        value, length = _DECODER.raw_decode(window)
    except (ValueError, RecursionError) as error:
        if start + len(window) < len(text):
            problem = f"an element begins that is not JSON or has more than {LONGEST_ELEMENT} characters"
            raise _malformed(problem, start) from error
        position = start + getattr(error, "pos", 0)
        raise _malformed(getattr(error, "msg", "a value cannot be read"), position) from error
    return value, start + length


def _after_space(text: str, position: int) -> int:
    matched = _SPACE.match(text, position)
    assert matched is not None
    return matched.end()


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_no_number)


def _count(element: CountElement, now: datetime) -> PassageCount:
    minute = minute_at_most(read_count_time(element.timestamp), now)
    return PassageCount(element.passage_id, minute, element.forward, element.backward)


def _shape_problems(index: int, error: ValidationError) -> dict[str, str]:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    return {_printable(field_name((index, *problem["loc"]))): problem["msg"] for problem in problems}


def _printable(text: str) -> str:
    """Short, and without the half characters that JSON can escape and UTF-8 cannot print."""
    return shortened(text).encode(errors="replace").decode()


def _malformed(problem: str, position: int) -> ServiceError:
    return refusal(ErrorCode.MALFORMED_JSON, f"The body is not JSON: {problem}, at character {position}.")


def batch_refusal(code: ErrorCode, details: Mapping[str, str]) -> ServiceError:
    """The refusal of a whole batch, for what is wrong with values of it: by element and field."""
    shown = dict(list(details.items())[:MAXIMUM_DETAILS])
    if len(details) < MAXIMUM_DETAILS:
        message = f"Nothing was stored: {len(details)} of the values cannot be taken."
    else:
        message = (
            f"Nothing was stored: these {MAXIMUM_DETAILS} values cannot be taken; what follows was not read."
        )
    return refusal(code, message, shown)
