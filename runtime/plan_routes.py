"""`GET /floor-plan/{picture}?site=`: the picture of a floor, as pages show it. Walls have their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from analysis.floor_plan import PlanImage
from api_client.trouble_log import TroubleLog
from runtime.site_knowledge_store import SiteKnowledgeError
from screens.plan_answer import picture_response

_NO_STORE: Final = {"Cache-Control": "no-store"}
_log = TroubleLog("runtime.plan_routes")


def plan_routes(read_picture: Callable[[str, str], PlanImage | None]) -> list[Route]:
    """`read_picture` has a site's id and the picture's name, and may raise SiteKnowledgeError."""

    async def picture(request: Request) -> Response:
        name, site_id = request.path_params["picture"], request.query_params.get("site", "")
        try:
            found = await run_in_threadpool(read_picture, site_id, name)
        except SiteKnowledgeError as error:
            _log.warning("no picture of a floor", reason=str(error))
            return JSONResponse({"error": str(error)}, 503, _NO_STORE)
        return picture_response(request, name, found)

    return [Route("/floor-plan/{picture}", picture, methods=["GET"])]
