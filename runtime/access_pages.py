"""HTML of the login and of what stands in the place of a page that nobody gets. Plain: no script at all."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from starlette.responses import HTMLResponse

from runtime.access import Refusal

_STYLE: Final = (
    ":root{color-scheme:light dark;--accent:#0072b2;--line:#dde1e6;--dim:#59616b}"
    "@media(prefers-color-scheme:dark){:root{--accent:#1779ba;--line:#333a44;--dim:#a3acb8}}"
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:24rem;margin:12vh auto;padding:0 1.5rem}"
    "body.wide{max-width:40rem}h1{font-size:1.5rem;margin:0 0 1rem}form,.ways{display:grid;gap:.75rem}"
    "label{font-weight:600}input{font:inherit;padding:.5rem;border:1px solid var(--dim);border-radius:.25rem}"
    "button,.way{font:inherit;padding:.6rem;border:0;border-radius:.25rem;background:var(--accent);color:#fff;"
    "text-align:center;text-decoration:none;cursor:pointer}.or,small{color:var(--dim)}"
    "[role=alert]{border-left:.25rem solid #d55e00;padding-left:.75rem;margin:0 0 1rem}"
    "code{overflow-wrap:anywhere}li{margin:.5rem 0}"
    ":focus-visible{outline:3px solid #e69f00;outline-offset:2px}"
)
_HEADERS: Final = {
    "Cache-Control": "no-store",
    # With none at all a form would be sent from the origin `null`, as from elsewhere.
    "Referrer-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'self'",
}


def login_page(
    providers: Sequence[str], *, by_password: bool, back: str, problem: str = "", status: int = 200
) -> HTMLResponse:
    """`back` is where it leads to afterwards, encoded for an address; `problem` is a sentence of ours."""
    parts = [f'<p role="alert">{escape(problem)}</p>' if problem else ""]
    if providers:
        ways = "".join(
            f'<a class="way" href="{escape(_way(one, back))}">{_label(one)}</a>' for one in providers
        )
        parts.append(f'<div class="ways">{ways}</div>')
    if providers and by_password:
        parts.append('<p class="or">or, as the administrator:</p>')
    if by_password:
        focus = "" if providers else " autofocus"
        parts.append(
            f'<form method="post" action="login?next={escape(back)}">'
            # So that a password manager knows whose it is.
            '<input type="text" name="name" value="administrator" autocomplete="username" hidden>'
            '<label for="password">Password of the administrator</label>'
            '<input id="password" name="password" type="password" autocomplete="current-password" '
            f"required{focus}><button>Log in</button></form>"
        )
    return _page("Log in · Headroom", "<h1>Log in to Headroom</h1>" + "".join(parts), status)


def _way(provider: str, back: str) -> str:
    return f"login?provider={provider}&next={back}"


def _label(provider: str) -> str:
    return "Log in" if provider == "default" else f"Log in with {escape(provider.capitalize())}"


def refused_page(refusal: Refusal, root: str) -> HTMLResponse:
    """Of a person who may nothing here, whoever they are elsewhere; `root` leads to the dashboard."""
    return _page(
        "No access · Headroom",
        f'<h1>No access</h1><p>{escape(refusal)}</p><p><a href="{root}logout">Log out</a></p>',
        403,
    )


def clock_page(seconds: float, root: str) -> HTMLResponse:
    """A login was refused, and the clock of this machine is so far ahead of the provider's (below 0: behind);
    `root` leads to the dashboard.
    """
    where = "ahead of" if seconds > 0 else "behind"
    return _page(
        "No login now · Headroom",
        f"<h1>No login now</h1><p>Your provider has let you in, but its answer was refused here: the "
        f"clock of this dashboard's machine is {abs(seconds):,.0f} seconds {where} the provider's, and a "
        "login allows two minutes. Tell whoever runs this dashboard: the clock that is wrong has to be set, "
        "then log in again.</p>"
        f'<p class="ways"><a class="way" href="{escape(root)}login">Log in again</a></p>',
        403,
    )


def provider_down_page(root: str) -> HTMLResponse:
    """The provider of the logins was not reached, or made no sense; `root` leads to the dashboard."""
    return _page(
        "No login now · Headroom",
        "<h1>No login now</h1><p>The provider of the logins does not answer as it should. Try again in a "
        "minute. If it stays so, tell whoever runs this dashboard: the reason is in its log.</p>"
        f'<p class="ways"><a class="way" href="{escape(root)}login">Try again</a></p>',
        502,
    )


def closed_page() -> HTMLResponse:
    """In the place of every page, where others reach the dashboard and nobody logs in."""
    return _page(
        "Not served · Headroom",
        "<h1>This dashboard is open to the network and has no login</h1>"
        "<p>So it shows no page: whoever reaches this address could see every site and change what is kept. "
        "Screens on walls go on. Whoever runs it does one of these, and starts it again:</p><ul>"
        "<li>set a password of the administrator: <code>.venv/bin/python -m runtime.password</code></li>"
        "<li>have people log in at a provider (OpenID Connect): <code>[auth]</code> in "
        "<code>.streamlit/secrets.toml</code>, see docs/operation.md</li>"
        "<li>let it listen for its own machine alone, <code>HOST=127.0.0.1</code>, with a proxy before it "
        "that asks for a login: deploy/README.md</li>"
        "<li>or, where everybody in the network may see and change everything: "
        "<code>HEADROOM_OPEN_TO_NETWORK=yes</code></li></ul>",
        403,
        "wide",
    )


def _page(title: str, body: str, status: int, kind: str = "") -> HTMLResponse:
    return HTMLResponse(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head>"
        f'<body class="{kind}"><main>{body}</main></body></html>\n',
        status,
        _HEADERS,
    )
