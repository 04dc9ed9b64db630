"""No log of a test run has a secret, and no answer that is an error or is for monitoring.

Looked through is all that services and dashboards of tests print, what the tests' own process logs and prints
(pages may run within it), and what is answered: for secrets by their form (API keys, tokens, cookies of
sessions, hashes of passwords, links of screens), and for what a process was given as a secret in its
environment. What has neither is named by `never_told`. The test after which one is found fails.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import httpx

FORMS: Final[Mapping[str, re.Pattern[str]]] = {
    "an API key": re.compile(r"hr_[0-9a-f]{12}_[A-Za-z0-9_-]{43}"),
    "a hash of a password": re.compile(r"\$argon2"),
    "a token of a provider": re.compile(r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    "a cookie of a session": re.compile(r"2\|1:0\|10:\d{10}\|"),
    "a signed token": re.compile(
        r"(?<![\w./-])[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_.-]*[A-Za-z0-9_-]{27}(?![\w.-])"
    ),
    "a link of a screen": re.compile(r"/screen/[A-Za-z0-9_-]{20,}"),
    "credentials": re.compile(r"(?i)authorization\W{1,4}(bearer|basic)\s+\S"),
}
OF_SECRETS: Final = re.compile(r"KEY|SECRET|PASSWORD|TOKEN")
"""In the name of a variable."""
SHORTEST: Final = 8
"""A shorter value of a variable, such as `secret`, also stands where it is none."""
MONITORED: Final = ("/healthz", "/readyz", "/metrics", "/livez")
OF_REQUESTS: Final = ("x-api-key", "authorization", "cookie")

_read: dict[Path, int] = {}
"""Logs, and how much of each was looked through."""
_secrets: set[str] = set()
_found: list[str] = []


def never_told(*secrets: str) -> None:
    """From now on the run looks for these, too."""
    _secrets.update(secrets)


def look_through(log: Path, environment: Mapping[str, str]) -> None:
    """From now on what is added to `log` is looked through, by a process that has this environment."""
    if log.name != "null":
        _read.setdefault(log, 0)
    _secrets.update(
        value
        for name, value in environment.items()
        if name.startswith("HEADROOM_") and OF_SECRETS.search(name) and len(value) >= SHORTEST
    )


def read_logs() -> None:
    """Look through what was added since."""
    for log in tuple(_read):
        try:
            size = log.stat().st_size
            if size == _read[log]:
                continue
            if size < _read[log]:  # another of its name
                _read[log] = 0
            with log.open("rb") as opened:
                opened.seek(_read[log])
                added = opened.read()
        except FileNotFoundError:
            # Not yet there, or gone with the folder of its test.
            continue
        _read[log] += len(added)
        note(log.name, added.decode(errors="replace"))


def note(place: str, text: str) -> None:
    """Look through what stands in `place`."""
    for line in text.splitlines():
        _found.extend(f"{place} has {kind}: {shown}" for kind, shown in secrets_in(line))


def found() -> list[str]:
    """What was found since it was asked last: where, of which kind, and its line without it."""
    told = list(dict.fromkeys(_found))
    _found.clear()
    return told


def secrets_in(line: str) -> list[tuple[str, str]]:
    """Kind, and the line without the secret; of each kind once."""
    told = [(kind, form.sub("[it]", line)) for kind, form in FORMS.items() if form.search(line)]
    told += [("what is configured as secret", line.replace(one, "[it]")) for one in _secrets if one in line]
    return told


def look_at_answers() -> None:
    """From now on, at those that this process gets by httpx."""
    send = httpx.Client.send

    def looked_at(client: httpx.Client, request: httpx.Request, **options: Any) -> httpx.Response:
        answer = send(client, request, **options)
        if answer.is_closed and (answer.is_error or request.url.path.endswith(MONITORED)):
            _look_at(request, answer)
        return answer

    httpx.Client.send = looked_at  # type: ignore[method-assign, assignment]


def _look_at(request: httpx.Request, answer: httpx.Response) -> None:
    place = f"the answer {answer.status_code} to {request.method} {request.url.path}"
    note(place, answer.text)
    for name in OF_REQUESTS:
        sent = request.headers.get(name, "")
        if len(sent) >= SHORTEST and sent in answer.text:
            _found.append(f"{place} repeats what came as {name}")
