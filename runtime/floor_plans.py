"""The floor plans that this dashboard keeps of sites of the service in use: where things are, and pictures.

A picture is a document of its own, under a name that no other has, kept and forgotten with what tells where
things are: that names it, is small, and is what two who change it at once are told apart by.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from typing import Final
from uuid import uuid4

from pydantic import ValidationError

from analysis.floor_plan import FloorPlan, KeptPlan, Placed, PlanImage, PlanPicture
from api_client.trouble_log import TroubleLog
from runtime.site_knowledge import knowledge_store
from runtime.site_knowledge_store import Pictures
from runtime.upstream import service_digest

_PLAN: Final = "floor plan"
_DAMAGED_PLAN: Final = "damaged floor plan"
_PICTURE: Final = "picture of a floor"

_log = TroubleLog("runtime.floor_plans")


def read_kept_plan(site_id: str) -> KeptPlan:
    """Raises SiteKnowledgeError, but not for what is damaged."""
    document = knowledge_store().one(service_digest(), site_id, _PLAN, "") or ""
    try:
        return KeptPlan(FloorPlan.model_validate_json(document) if document else None, document)
    except ValidationError:
        _log.warning("a kept floor plan is not used: it is damaged", site=site_id)
        return KeptPlan(None, document)


def keep_picture(site_id: str, image: PlanImage, before: KeptPlan) -> bool:
    """Whether it is kept, with all that is placed: not where others have come in the place of `before`.

    Raises SiteKnowledgeError; then nothing has changed.
    """
    picture = PlanPicture(name=uuid4().hex, kind=image.kind, width=image.width, height=image.height)
    placed = before.plan.placed if before.plan else Placed()
    content = b64encode(image.content).decode("ascii")
    return _replaced(
        site_id,
        FloorPlan(picture=picture, placed=placed),
        before,
        Pictures(_PICTURE, {picture.name: content}, _pictures_of(before)),
    )


def keep_placed(site_id: str, placed: Placed, before: KeptPlan) -> bool:
    """As `keep_picture`; `before` has a plan."""
    assert before.plan is not None
    return _replaced(site_id, FloorPlan(picture=before.plan.picture, placed=placed.rounded()), before)


def forget_plan(site_id: str, before: KeptPlan) -> bool:
    """As `keep_picture`: whether none is kept from then on. What is damaged is put aside."""
    return _replaced(site_id, None, before, Pictures(_PICTURE, {}, _pictures_of(before)))


def plans_changed_at() -> dict[str, str]:
    """By the id of each site that has a plan: a moment, another one as soon as another plan is kept.

    Raises SiteKnowledgeError.
    """
    return knowledge_store().changed_at(service_digest(), _PLAN)


def read_picture(site_id: str, name: str) -> PlanImage | None:
    """None: it is not that of the site's plan. Raises SiteKnowledgeError."""
    plan = read_kept_plan(site_id).plan
    if plan is None or plan.picture.name != name:
        return None
    kept = knowledge_store().one(service_digest(), site_id, _PICTURE, name)
    try:
        content = b64decode(kept, validate=True) if kept else b""
    except (NotBase64, ValueError):
        content = b""
    if not content:
        _log.warning("the picture of a floor plan is damaged", site=site_id)
        return None
    return PlanImage(content, plan.picture.kind, plan.picture.width, plan.picture.height)


def _pictures_of(kept: KeptPlan) -> tuple[str, ...]:
    """None of a damaged plan: whoever mends it needs its picture."""
    return (kept.plan.picture.name,) if kept.plan else ()


def _replaced(
    site_id: str, plan: FloorPlan | None, before: KeptPlan, pictures: Pictures | None = None
) -> bool:
    return knowledge_store().replace(
        service_digest(),
        site_id,
        _PLAN,
        "",
        plan.model_dump_json() if plan else None,
        before=before.document or None,
        aside=_DAMAGED_PLAN if before.is_damaged else "",
        pictures=pictures,
    )
