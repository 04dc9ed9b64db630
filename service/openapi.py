"""The OpenAPI document at /openapi.json and its page at /docs, which needs nothing from another host."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from service.ingest.count_batch import CountElement
from service.query.metrics_body import MetricsBody

_PAGE: Final = Path(__file__).parent / "documentation.html"
_DESCRIPTION: Final = """Read access to an organization's sites and to the metrics that its passages produce.

Every answer is `{data, meta}`; `meta.requestId` names the request, in the header `x-request-id` too. A failed
request has `data` null and everything that is wrong in `meta.errors` (`code`, `message`, `details` by field),
under the HTTP status of the most severe: 500, 507, 503, 401, 403, 404, 405, 408, 431, 413, 415, 409, 400.
Switch on `code`; messages may change. What is not HTTP at all, and a request whose headers do not arrive in
time, are answered in the same form before the connection is closed.

Bodies are JSON (`Content-Type: application/json`, any other `+json` type, or none), plain or with
`Content-Encoding: gzip`; limits apply to what is unpacked. `Retry-After` comes with every 503: the service
takes counts first and refuses reads that would wait too long.

**visitorsInside** is the running sum of entrances minus exits since the site's daily reset (by default 04:00,
local), never below 0, minute by minute. **entrances** of a zone are people through its passages towards it.
The top zone is the whole site: its passages are those that open to the outside."""


def add_documentation(application: FastAPI) -> None:
    """Serve the document and its page."""
    document: dict[str, Any] = {}

    async def openapi(request: Request) -> Response:
        del request
        if not document:
            document.update(openapi_document(application))
        return JSONResponse(document)

    async def page(request: Request) -> Response:
        del request
        return FileResponse(_PAGE, media_type="text/html")

    application.add_route("/openapi.json", openapi, include_in_schema=False)
    application.add_route("/docs", page, include_in_schema=False)


def openapi_document(application: FastAPI) -> dict[str, Any]:
    """The routes' document, with the two bodies that are read by hand added to its schemas."""
    document = get_openapi(
        title=application.title,
        version=application.version,
        description=_DESCRIPTION,
        routes=application.routes,
    )
    schemas = document["components"]["schemas"]
    for model in (MetricsBody, CountElement):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    # Parameters are checked by the service itself, which never answers 422.
    for path in document["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    return document
