"""The composition root: settings, the service in use, the client, the hub and what pages read.

Works within a Streamlit server and without one.
"""

from api_client import ApiClientError
from runtime.door_reads import read_doors
from runtime.occupancies import (
    SiteOccupancy,
    begin_occupancy,
    known_capacities,
    lacks_capacity,
    read_occupancy,
)
from runtime.past_minutes import DRIFT_AGE
from runtime.permitted_screens import get_screens, has_screens
from runtime.person_of_page import current_person, sees, sees_every_site
from runtime.preferences import keep_first_site, read_preferences
from runtime.reads import (
    has_reported_sites,
    known_sites,
    last_zones,
    read_site,
    read_sites,
    read_sites_now,
    reported_sites,
    told_site,
    zones_of,
)
from runtime.resources import (
    clock_doubt,
    close_resources,
    get_client,
    get_hub,
    get_previews,
    get_signer,
    get_viewers,
    recent_errors,
    service_time,
    stream_token,
    troubles_now,
)
from runtime.site_reports import is_cut_off, look_at_sites, look_first, reading_rest
from runtime.upstream import get_upstream, service_notice
from screens import ScreenStoreError

__all__ = [
    "DRIFT_AGE",
    "ApiClientError",
    "ScreenStoreError",
    "SiteOccupancy",
    "begin_occupancy",
    "clock_doubt",
    "close_resources",
    "current_person",
    "get_client",
    "get_hub",
    "get_previews",
    "get_screens",
    "get_signer",
    "get_upstream",
    "get_viewers",
    "has_reported_sites",
    "has_screens",
    "is_cut_off",
    "keep_first_site",
    "known_capacities",
    "known_sites",
    "lacks_capacity",
    "last_zones",
    "look_at_sites",
    "look_first",
    "read_doors",
    "read_occupancy",
    "read_preferences",
    "read_site",
    "read_sites",
    "read_sites_now",
    "reading_rest",
    "recent_errors",
    "reported_sites",
    "sees",
    "sees_every_site",
    "service_notice",
    "service_time",
    "stream_token",
    "told_site",
    "troubles_now",
    "zones_of",
]
