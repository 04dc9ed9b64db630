"""The page of a link that leads nowhere, or nowhere yet: quiet, and back by itself.

It is not refreshed blindly: a browser that refreshes while the server restarts would show its own error page
for ever. A script asks first.
"""

from __future__ import annotations

from base64 import b64encode
from datetime import datetime
from enum import Enum
from hashlib import sha256
from html import escape
from string import Template
from typing import Final, NamedTuple

from screens.definition import Language
from screens.page import words_by_language


class _Circumstance(NamedTuple):
    status: int
    ask_again: int
    """Seconds."""
    words: str
    """Their name among those of a wall."""


class Circumstance(Enum):
    NOT_IN_USE = _Circumstance(404, 60, "notInUse")
    """The link is unknown or was revoked."""
    PREVIEW_OVER = _Circumstance(410, 60, "previewOver")
    """The ticket that the Screens page gave has had its time; the screen itself may well be in use."""
    WAITING = _Circumstance(503, 10, "lightUnknown")
    """Nothing that the screen shows could be learned yet; said as a light without a number says it."""
    UNAVAILABLE = _Circumstance(503, 10, "unavailable")
    """What was saved of the screen cannot be read, at all or by this version."""
    TOO_OFTEN = _Circumstance(429, 10, "unavailable")
    """Its link is asked too often, or by too many at once (`LinkLimits`)."""

    def said_in(self, language: Language) -> str:
        return _WORDS[language][self.value.words]


_WORDS: Final = words_by_language()
_STYLE: Final = (
    "html{background:#111418;color:#a3acb8;font:400 6vmin/1.4 system-ui,sans-serif;height:100%}"
    "body{margin:0;height:100%;display:flex;align-items:center;justify-content:center;text-align:center}"
    "p{margin:5vmin}"
)
_SCRIPT: Final = (
    "setInterval(function(){var control=new AbortController();"
    # Or unanswered requests add up until the browser opens no connection any more.
    "setTimeout(function(){control.abort()},30000);"
    "fetch(location.href,{cache:'no-store',signal:control.signal}).then(function(answer){"
    "if(answer.ok){location.reload()}}).catch(function(){})},SECONDS*1000);"
    "var since=document.querySelector('time'),lang=document.documentElement.lang;"
    "if(since){since.textContent=new Date(since.dateTime).toLocaleTimeString(lang==='en'?'en-GB':lang,"
    "{hour:'2-digit',minute:'2-digit',timeZoneName:'short'})}"
)
_PAGE: Final = Template(
    '<!DOCTYPE html>\n<html lang="$language"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="robots" content="noindex"><title>$words</title><style>$style</style></head>'
    "<body><p>$words$since</p><script>$script</script></body></html>\n"
)


class NeutralPage(NamedTuple):
    status: int
    html: str
    security_policy: str
    """Value of the header Content-Security-Policy."""
    ask_again: int
    """Seconds."""


def neutral_page(
    circumstance: Circumstance, language: Language, since: datetime | None = None
) -> NeutralPage:
    """`since` (UTC) is written in the time zone of the browser, named, because no place's is known."""
    status, ask_again, _ = circumstance.value
    script = _SCRIPT.replace("SECONDS", str(ask_again))
    time = f'<time datetime="{since.isoformat()}"></time>' if since else ""
    since_html = f", {_WORDS[language]['sinceOrBefore'].replace('{time}', time)}" if since else ""
    html = _PAGE.substitute(
        language=language,
        words=escape(circumstance.said_in(language)),
        since=since_html,
        style=_STYLE,
        script=script,
    )
    policy = (
        f"default-src 'none'; style-src '{_digest(_STYLE)}'; script-src '{_digest(script)}'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'"
    )
    return NeutralPage(status, html, policy, ask_again)


def preferred_language(accepted: str) -> Language:
    """The first of the header Accept-Language that there are words in, else English."""
    for part in accepted.split(","):
        tag = part.split(";")[0].strip()[:2].lower()
        if tag in set(Language):
            return Language(tag)
    return Language.ENGLISH


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
