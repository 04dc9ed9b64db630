"""The answer that carries the picture of a floor, to a page or a wall."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from analysis.floor_plan import PlanImage

_HEADERS: Final = {
    # Opened by itself, an SVG would be a page of this origin: nothing runs or loads in it.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Disposition": "inline",
    # Another picture has another name.
    "Cache-Control": "private, max-age=31536000, immutable",
}


def picture_response(request: Request, name: str, image: PlanImage | None) -> Response:
    """`name` is that of the picture, which no other has. None: there is none of that name."""
    if image is None:
        return JSONResponse({"error": "There is no such picture."}, 404, {"Cache-Control": "no-store"})
    headers = _HEADERS | {"ETag": f'"{name}"'}
    if f'"{name}"' in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(image.content, media_type=image.kind.media_type, headers=headers)
