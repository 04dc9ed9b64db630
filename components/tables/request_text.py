"""A metrics query as others can repeat it: as JSON and as a curl command, without the key."""

from __future__ import annotations

import json
import shlex
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from analysis.names import visible
from contract import MetricsQuery

_LONGEST_JSON: Final = 20_000
"""Characters; what a service fills in is a few lines."""


def as_json(value: Any) -> str:
    """JSON to be read: what would not be seen in it is written in hexadecimal."""
    return visible(json.dumps(value, indent=2, ensure_ascii=False, default=str)[:_LONGEST_JSON])


def as_curl(query: MetricsQuery, base_url: str) -> str:
    """The key is read from the environment, so that the text may be shared."""
    body = visible(json.dumps(query.body(), ensure_ascii=False))
    return " \\\n  ".join(
        [
            f"curl -sS {shlex.quote(f'{_without_user(base_url)}/v3/metrics')}",
            '-H "x-api-key: $HEADROOM_API_KEY"',
            '-H "Content-Type: application/json"',
            f"-d {shlex.quote(body)}",
        ]
    )


def _without_user(base_url: str) -> str:
    parts = urlsplit(base_url.rstrip("/"))
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
