"""The envelope of every answer: `data` beside `meta`, errors included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson
from starlette.requests import Request
from starlette.responses import Response

from contract import HTTP_STATUS, ErrorCode, ErrorEntry, Meta, Pagination

SERVER_TAG: Final = "headroom-0.1.0"
"""`meta.serverTag` of every answer."""

_MEDIA_TYPE: Final = "application/json"

# Most severe first (specification, Errors, rule 2; the order itself is ours): what the service got wrong,
# then who may ask, then whether it is there, then how it was asked.
_SEVERITY: Final = (500, 507, 503, 401, 429, 403, 404, 405, 408, 431, 413, 415, 412, 409, 400)


def request_id_of(request: Request) -> str:
    """The id that the request was given when it arrived, a UUID."""
    request_id: str = request.state.request_id
    return request_id


def success(
    request: Request,
    data: object,
    *,
    warnings: Sequence[Mapping[str, Any]] = (),
    pagination: Pagination | None = None,
    inferred_params: Mapping[str, Any] | None = None,
) -> Response:
    """200 with `data`, which `print_json` must be able to print."""
    meta = _meta(request_id_of(request), warnings=warnings)
    if pagination is not None:
        meta["pagination"] = pagination.model_dump(by_alias=True, exclude_none=True)
    if inferred_params is not None:
        meta["inferredParams"] = inferred_params
    return Response(print_json({"data": data, "meta": meta}), media_type=_MEDIA_TYPE)


def print_json(content: object) -> bytes:
    """Also where names are members of an enumeration, as metric keys are."""
    return orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS)


def failure(
    request_id: str, entries: Sequence[ErrorEntry], headers: Mapping[str, str] | None = None
) -> Response:
    """`data` null and every error, under the status of the most severe one."""
    errors = [entry.model_dump(by_alias=True, exclude_none=True) for entry in entries]
    body = {"data": None, "meta": _meta(request_id, errors=errors)}
    return Response(
        orjson.dumps(body),
        status_code=status_of(entries),
        headers=dict(headers or {}),
        media_type=_MEDIA_TYPE,
    )


def status_of(entries: Sequence[ErrorEntry]) -> int:
    """HTTP status of the most severe error."""
    statuses = {HTTP_STATUS[ErrorCode(entry.code)] for entry in entries}
    return min(statuses, key=_SEVERITY.index)


def _meta(
    request_id: str,
    *,
    warnings: Sequence[Mapping[str, Any]] = (),
    errors: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    # Field names come from the model, so that both halves cannot drift apart.
    meta = Meta(request_id=request_id, server_tag=SERVER_TAG, warnings=tuple(warnings))
    return meta.model_dump(by_alias=True, exclude_none=True) | {"errors": list(errors)}
