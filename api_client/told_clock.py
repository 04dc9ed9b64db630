"""What time it is where something answers, by the `Date` of its answer."""

from __future__ import annotations

import time

import httpx

from api_client.service_clock import age_of, http_date


async def seconds_ahead(url: str, *, patience: float = 3.0) -> float | None:
    """By how much the clock there is ahead of this machine's, in whole seconds or about; below 0: behind it.
    None: it does not answer within `patience` seconds, or tells no time.
    """
    try:
        async with httpx.AsyncClient(timeout=patience) as client:
            answer = await client.get(url)
    except (httpx.HTTPError, httpx.InvalidURL):
        return None
    told = http_date(answer.headers.get("date", ""))
    if told is None:
        return None
    return (told + age_of(answer)).timestamp() - time.time()
