"""`/admin/sites/{siteId}/corrections`: visitorsInside as somebody sets it by hand. Ours."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, ConfigDict, Field
from starlette.responses import Response

from contract import Envelope, ErrorCode, quoted
from contract.administration import CorrectionTold, DoneBy
from contract.resources import Resource
from service.application_state import ApplicationState, application_state_of
from service.envelope import success
from service.exception_handlers import ServiceError, refusal
from service.ingest.count_batch import People
from service.ingest.count_time import CountTimeError, minute_at_most, read_count_time
from service.openapi import body_of, error_responses
from service.request_form import refused, whole_form
from service.routes.access import CurrentAdminKey, readable_site
from service.routes.authorship import ActingFor, author_of
from service.store.audit_protocol import Author
from service.store.errors import FoldedCountsError, UnknownZoneError
from service.store.level_protocol import Correction, ZoneLevel
from service.store.protocol import KeyRecord

router = APIRouter(prefix="/admin/sites/{siteId}/corrections", tags=["corrections"])

LONGEST_LATE: Final = timedelta(days=30)
"""How far back a correction may lie."""
MOST_LISTED: Final = 1000
"""Corrections of one answer."""
_LARGEST_NUMBER: Final = 2**53

SiteId = Annotated[str, Path(alias="siteId")]
Number = Annotated[int, Path(ge=1, le=_LARGEST_NUMBER, description="As the list of corrections tells it.")]


def _written_as_time(text: str) -> str:
    # Numbers would be read as seconds.
    if "-" not in text:
        raise ValueError("is not ISO 8601 with an offset, as 2025-03-30T01:00:00Z")
    return text


Moment = Annotated[AwareDatetime, BeforeValidator(_written_as_time)] | None


def _one_line(text: str) -> str:
    if not (text.strip() and text.isprintable()):
        raise ValueError("is not a line of printable characters")
    return text.strip()


class LevelByHand(Resource):
    """visitorsInside of a zone, from a minute on."""

    model_config = ConfigDict(extra="forbid", strict=True)

    zone_id: Annotated[str, Field(min_length=1, max_length=256)]
    visitors_inside: People
    reason: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_one_line)]
    """Why, in one line: `we counted`. Everybody sees it who sees the chart."""
    timestamp: Annotated[str, Field(json_schema_extra={"format": "date-time"})] | None = None
    """ISO 8601 with an offset: any second of the minute, of the last 30 days. Left out: now."""


@router.post(
    "",
    summary="Set how many are inside a zone",
    response_model=Envelope[CorrectionTold],
    response_description="The correction, which holds from now on.",
    responses=error_responses(400, 401, 403, 404, 408, 413, 415, 429, 503, 507),
    openapi_extra=body_of(LevelByHand.model_json_schema(by_alias=True)),
)
async def correct(
    request: Request, key: CurrentAdminKey, site_id: SiteId, acting_for: ActingFor = None
) -> Response:
    """In the minute, visitorsInside of the zone is that, and counts go on from it until the daily reset.
    Other zones, the top zone among them, stay as they are, and raw counts, too: the correction is a record of
    its own. A timestamp up to a minute ahead is taken as of the present minute.
    """
    state = application_state_of(request)
    await _check_site(state, key, site_id)
    del acting_for
    author = author_of(request, key)
    async with state.bodies.read(request, state.settings.query_body_limit) as body:
        told = whole_form(LevelByHand, body)
    now = state.clock()
    level = ZoneLevel(site_id, told.zone_id, _minute(told.timestamp, now), told.visitors_inside)
    try:
        made = await state.counts.run(lambda store: store.levels.correct(level, told.reason, author, now))
    except UnknownZoneError as error:
        message = f"Nothing was changed: the site has no zone {quoted(told.zone_id)}."
        raise refusal(ErrorCode.UNKNOWN_ZONE, message, {"zoneId": message}) from error
    except FoldedCountsError as error:
        raise _folded(error) from error
    return success(request, _shown(made))


@router.get(
    "",
    summary="List what was set by hand",
    response_model=Envelope[tuple[CorrectionTold, ...]],
    response_description="By minute, withdrawn ones among them.",
    responses=error_responses(400, 401, 403, 404, 429, 503),
)
async def list_corrections(
    request: Request,
    key: CurrentAdminKey,
    site_id: SiteId,
    from_: Annotated[Moment, Query(alias="from")] = None,
    to: Moment = None,
) -> Response:
    """Those of the minutes from `from` to before `to`; either may be left out. A thousand at most.

    Both are ISO 8601 with an offset, whose + is %2B in an address.
    """
    state = application_state_of(request)
    await _check_site(state, key, site_id)
    own = state.store.levels

    def read() -> list[Correction]:
        return own.corrections(site_id, from_, to, limit=MOST_LISTED + 1)

    found = await state.reads.run(key.organization_id, read)
    if len(found) > MOST_LISTED:
        message = f"More than {MOST_LISTED} corrections lie in this range: ask for a shorter one."
        raise refusal(ErrorCode.RANGE_TOO_LONG, message)
    return success(request, [_shown(one) for one in found])


@router.delete(
    "/{number}",
    summary="Take back what was set by hand",
    response_model=Envelope[CorrectionTold],
    response_description="The correction, withdrawn.",
    responses=error_responses(400, 401, 403, 404, 429, 503, 507),
)
async def withdraw(
    request: Request, key: CurrentAdminKey, site_id: SiteId, number: Number, acting_for: ActingFor = None
) -> Response:
    """Again, visitorsInside is what it is without it. The record stays, with who took it back first, and so
    does its minute, of which readers of streams were told: with the level that it then has.
    """
    state = application_state_of(request)
    await _check_site(state, key, site_id)
    del acting_for
    author, now = author_of(request, key), state.clock()
    try:
        taken = await state.counts.run(lambda store: store.levels.withdraw(site_id, number, author, now))
    except FoldedCountsError as error:
        raise _folded(error) from error
    if taken is None:
        raise refusal(ErrorCode.NOT_FOUND, f"The site has no correction {number}.")
    return success(request, _shown(taken))


async def _check_site(state: ApplicationState, key: KeyRecord, site_id: str) -> None:
    _, problems = await readable_site(state, key, site_id)
    if problems:
        raise ServiceError(problems)


def _minute(timestamp: str | None, now: datetime) -> int:
    try:
        instant = now if timestamp is None else read_count_time(timestamp)
        minute = minute_at_most(instant, now)
    except CountTimeError as error:
        raise refused(ErrorCode.INVALID_BODY, {"timestamp": str(error)}) from error
    if instant < now - LONGEST_LATE:
        too_late = f"lies more than {LONGEST_LATE.days} days back"
        raise refused(ErrorCode.INVALID_BODY, {"timestamp": too_late})
    return minute


def _folded(error: FoldedCountsError) -> ServiceError:
    return refusal(ErrorCode.COUNTS_FOLDED, f"Nothing was changed: {error}.")


def _shown(one: Correction) -> dict[str, Any]:
    withdrawn = None
    if one.withdrawn_at and one.withdrawn_by:
        withdrawn = _done(one.withdrawn_at, one.withdrawn_by)
    return CorrectionTold(
        number=one.number,
        zone_id=one.zone_id,
        timestamp=one.at,
        visitors_inside=one.inside,
        visitors_inside_before=one.inside_before,
        reason=one.reason,
        made=_done(one.made_at, one.made_by),
        withdrawn=withdrawn,
    ).model_dump(mode="json", by_alias=True)


def _done(at: datetime, author: Author) -> DoneBy:
    return DoneBy(at=at, key_id=author.key_id or "", key_name=author.name, acting_for=author.acting_for)
