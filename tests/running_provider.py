"""A real OpenID Connect provider in a process of its own, before which anybody is whoever they say."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.forked_process import ForkedProcess
from tests.running_service import ROOT, free_port
from tests.told_secrets import never_told

START_DEADLINE = 60.0
CLIENT_SECRET = "a-client-secret-that-no-log-may-have"
COOKIE_SECRET = "a-cookie-secret-that-no-log-may-have-either"
never_told(CLIENT_SECRET, COOKIE_SECRET)


@dataclass(frozen=True)
class RunningProvider:
    base_url: str
    folder: Path

    @property
    def metadata_url(self) -> str:
        return f"{self.base_url}/.well-known/openid-configuration"

    def tell(self, subject: str, **claims: object) -> None:
        """What it says from now on of a person who logs in as `subject`."""
        told = httpx.put(f"{self.base_url}/users/{subject}", json={"email": subject} | claims)
        told.raise_for_status()

    def secrets(self, dashboard_port: int, described_at: str = "") -> dict[str, str]:
        """The environment of a dashboard that has people log in here; `described_at` is the address, where it
        is not the provider's own, at which it describes itself.
        """
        path = self.folder / "secrets.toml"
        path.write_text(
            "[auth]\n"
            f'redirect_uri = "http://127.0.0.1:{dashboard_port}/oauth2callback"\n'
            f'cookie_secret = "{COOKIE_SECRET}"\n'
            'client_id = "headroom"\n'
            f'client_secret = "{CLIENT_SECRET}"\n'
            f'server_metadata_url = "{described_at or self.metadata_url}"\n'
        )
        return {"STREAMLIT_SECRETS_FILES": str(path)}


@contextmanager
def running_provider(folder: Path, *, lifetime: int = 3600) -> Iterator[RunningProvider]:
    """`lifetime` is that of its tokens, in seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    port, log = free_port(), folder / "provider.log"
    command = ["oidc_provider_mock", "-p", str(port), "-e", str(lifetime)]
    environment = {"PYTHONWARNINGS": "ignore"}
    # A provider's log has the addresses that it is asked for, with tokens in them.
    process = ForkedProcess(command, folder=ROOT, environment=environment, log=log, is_ours=False)
    try:
        base_url, deadline = f"http://127.0.0.1:{port}", time.monotonic() + START_DEADLINE
        while not _answers(base_url):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        yield RunningProvider(base_url, folder)
    finally:
        process.kill()
        process.wait()


def _answers(base_url: str) -> bool:
    try:
        return httpx.get(f"{base_url}/.well-known/openid-configuration").is_success
    except httpx.TransportError:
        return False
