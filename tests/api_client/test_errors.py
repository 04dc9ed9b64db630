from __future__ import annotations

import inspect
import re

import pytest

import api_client
from api_client import ApiClientError, errors

CLASSES = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if kind.__module__ == errors.__name__ and issubclass(kind, BaseException)
]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_descends_from_the_base(kind: type[Exception]) -> None:
    assert issubclass(kind, ApiClientError)


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_stands_in_the_drawn_tree_and_behind_the_door(kind: type[Exception]) -> None:
    assert kind.__name__ in (errors.__doc__ or "")
    assert kind.__name__ in api_client.__all__


def test_an_error_reads_as_its_sentence_and_carries_code_and_request_id() -> None:
    error = ApiClientError("Do this.", code="SOME_CODE", request_id="r-1")
    assert (str(error), error.message, error.code, error.request_id) == (
        "Do this.",
        "Do this.",
        "SOME_CODE",
        "r-1",
    )


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("code", ["TIMEOUT", "CONNECTION_FAILED", "SITE_NOT_FOUND", "SERVICE_STARTING"])
def test_what_a_manager_reads_names_no_address_and_no_setting(kind: type[ApiClientError], code: str) -> None:
    told = kind("The question is wrong.", code=code).summary
    assert told.endswith(".")
    assert re.search("URL|http|API|setting|firewall", told) is None
