"""Whether an answer is a stream of events, before it is read as one."""

from __future__ import annotations

from http import HTTPStatus

import httpx

from api_client.answers import error_of, header_request_id, wire_error
from api_client.body import refuse_packed, whole
from api_client.errors import BrokenAnswer, StreamDeclined


async def check_stream(response: httpx.Response) -> None:
    """The status first: httpx-sse would call a 401 or a 204 a wrong content type."""
    if response.status_code == HTTPStatus.NO_CONTENT:
        raise StreamDeclined("The service gives no stream (204); values are asked for.", code="HTTP_204")
    if response.status_code != HTTPStatus.OK:
        try:
            raise error_of(await whole(response))
        except httpx.RequestError as error:
            raise wire_error(error, str(response.url)) from error
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "text/event-stream":
        raise BrokenAnswer(
            f"The service answered with {kind[:80] or 'nothing'} where a stream was due. Check the base URL.",
            code="NOT_A_STREAM",
            request_id=header_request_id(response),
        )
    refuse_packed(response)
