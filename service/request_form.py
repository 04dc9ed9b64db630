"""Reads a small JSON body as a form: all that is wrong with it at once, by field."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from contract import MAXIMUM_NAMED, ErrorCode, listed, shortened
from service.exception_handlers import ServiceError, entry, refusal
from service.query.metrics_body import field_name
from service.request_body import parse_json

Form = TypeVar("Form", bound=BaseModel)

LONGEST_EXPLANATION: Final = 500
"""Characters that are said of one field."""


def read_form(form: type[Form], body: bytes) -> tuple[Form, dict[str, str]]:
    """The form, without the fields that have a wrong shape, and what is wrong with those.

    Every field of the form has a default: what must be there is checked by whoever asks. Fields that the form
    has not are wrong, too. ServiceError where the body is no JSON object.
    """
    document = parse_json(body)
    if not isinstance(document, dict):
        raise refusal(ErrorCode.INVALID_BODY, "Nothing was changed: the body is not a JSON object.")
    names = [field.alias or name for name, field in form.model_fields.items()]
    known: dict[str, Any] = {name: document[name] for name in names if name in document}
    details = {
        shortened(name): f"is no field here; there are {', '.join(names)}"
        for name in islice((name for name in document if name not in known), MAXIMUM_NAMED)
    }
    try:
        return form.model_validate(known), details
    except ValidationError as error:
        wrong = {fault["loc"][0] for fault in error.errors() if fault["loc"]}
        details |= faults_in(error)
        sound = {name: value for name, value in known.items() if name not in wrong}
        return form.model_validate(sound), details


def whole_form(form: type[Form], body: bytes) -> Form:
    """The form, where all of it is right. ServiceError (INVALID_BODY) that names what is wrong otherwise."""
    try:
        return form.model_validate(parse_json(body))
    except ValidationError as error:
        raise refused(ErrorCode.INVALID_BODY, faults_in(error)) from error


def faults_in(error: ValidationError) -> dict[str, str]:
    """Field -> what is wrong with it; `body` where it is the whole."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return {
        field_name(fault["loc"]) or "body": fault["msg"].removeprefix("Value error, ") for fault in faults
    }


def refuse_if_wrong(details: Mapping[str, str]) -> None:
    """ServiceError (INVALID_BODY) that names every field with what is wrong, the first hundred of many."""
    if details:
        raise refused(ErrorCode.INVALID_BODY, details)


def refused(code: ErrorCode, details: Mapping[str, str]) -> ServiceError:
    fields = listed([shortened(field) for field in details])
    message = f"Nothing was changed: {'this is' if len(details) == 1 else 'these are'} wrong: {fields}."
    shown = {
        shortened(field): explanation[:LONGEST_EXPLANATION]
        for field, explanation in islice(details.items(), MAXIMUM_NAMED)
    }
    return ServiceError([entry(code, message, shown)])
