"""The composition root: settings, the service in use, the client, the hub and what pages read.

Works within a Streamlit server and without one.
"""

from api_client import ApiClientError
from runtime.occupancies import Occupancies, SiteOccupancy, read_occupancies, read_occupancy
from runtime.reads import read_metrics, read_site, read_sites
from runtime.resources import close_resources, get_client, get_hub, get_signer, stream_token
from runtime.screens import get_previews, get_screens, get_viewers
from runtime.settings import Settings, get_settings
from runtime.upstream import Upstream, get_upstream, service_notice
from screens import ScreenStoreError

__all__ = [
    "ApiClientError",
    "Occupancies",
    "ScreenStoreError",
    "Settings",
    "SiteOccupancy",
    "Upstream",
    "close_resources",
    "get_client",
    "get_hub",
    "get_previews",
    "get_screens",
    "get_settings",
    "get_signer",
    "get_upstream",
    "get_viewers",
    "read_metrics",
    "read_occupancies",
    "read_occupancy",
    "read_site",
    "read_sites",
    "service_notice",
    "stream_token",
]
