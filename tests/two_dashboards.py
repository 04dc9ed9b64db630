"""Two dashboards behind the real nginx, before one service over the small site."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from keeping import Place, SharedDatabase
from live import FeedKey, GrantedFeed, StreamGrant, StreamSigner
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_nginx import RunningNginx, running_nginx
from tests.running_service import RunningService, start_service
from tests.small_site import SmallSite, count, create_small_site

SECRET = "shared by both"
PATIENCE = 60.0


@dataclass(frozen=True)
class TwoDashboards:
    site: SmallSite
    service: RunningService
    dashboards: tuple[RunningDashboard, RunningDashboard]
    nginx: RunningNginx
    place: Place
    """Where both keep what is theirs: the screens are in it."""

    def stream_address(self) -> str:
        """Of the whole small site, through nginx; signed by no dashboard, with the secret of both."""
        grant = StreamGrant((GrantedFeed(FeedKey(self.site.site_id), "Europe/Zurich"),))
        return f"{self.nginx.base_url}/live/stream?token={StreamSigner(SECRET).sign(grant)}"

    def with_viewers(self) -> list[RunningDashboard]:
        """The dashboards that are still there and have a stream open."""
        there = [one for one in self.dashboards if one.process.poll() is None]
        return [one for one in there if viewers(one) > 0]

    def post(self, forward: int, minutes: int = 1) -> None:
        """`forward` people enter in this minute, and in each of so many `minutes` up to it."""
        now = datetime.now(UTC).replace(second=0, microsecond=0)
        httpx.post(
            f"{self.service.base_url}/ingest/counts",
            json=[count(now - timedelta(minutes=ago), forward) for ago in range(minutes)],
            headers=self.site.ingest_headers,
            timeout=PATIENCE,
        ).raise_for_status()


def viewers(dashboard: RunningDashboard) -> int:
    return int(httpx.get(f"{dashboard.base_url}/readyz", timeout=PATIENCE).json()["viewers"])


@contextmanager
def two_dashboards(folder: Path, database: str = "", second_secret: str = SECRET) -> Iterator[TwoDashboards]:
    """Both share the secrets and the data folder, as deploy/nginx/headroom.conf asks; or, as on two machines,
    the `database` of that URL, and each has a folder of its own. With a `second_secret` the second was set up
    by mistake with another than the first.
    """
    site = create_small_site(folder / "service")
    service = start_service(site.data_dir)
    place: Place = SharedDatabase(database) if database else folder / "shared"
    environment = {
        "HEADROOM_BASE_URL": service.base_url,
        "HEADROOM_API_KEY": site.read_key,
        "HEADROOM_SECRET": SECRET,
        "STREAMLIT_SERVER_COOKIE_SECRET": SECRET,
    }
    environment |= {"HEADROOM_DASHBOARD_STORE": database} if database else {"HEADROOM_DATA_DIR": str(place)}
    with ExitStack() as stack:
        stack.callback(service.kill)
        if isinstance(place, SharedDatabase):
            stack.callback(place.close)
        first = start_dashboard(folder / "first", environment=environment)
        stack.callback(first.kill)
        differing = environment | {"HEADROOM_SECRET": second_secret}
        second = start_dashboard(folder / "second", environment=differing)
        stack.callback(second.kill)
        urls = (first.base_url, second.base_url)
        nginx = stack.enter_context(running_nginx(folder / "nginx", urls))
        yield TwoDashboards(site, service, (first, second), nginx, place)
