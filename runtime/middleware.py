"""The middleware between browsers and everything that the dashboard serves."""

from __future__ import annotations

import streamlit as st
from starlette.middleware import Middleware

from runtime._compat import files_folder
from runtime.compressed_files import CompressedFiles
from runtime.host_check import HostCheck
from runtime.security_headers import SecurityHeaders
from runtime.settings import Settings


def middleware(settings: Settings) -> list[Middleware]:
    """The outermost first, so that refusals carry the headers, too."""
    return [
        Middleware(SecurityHeaders, embedders=settings.embed_origins),
        Middleware(HostCheck, configured=settings.hosts),
        Middleware(CompressedFiles, folder=files_folder(), prefix=st.get_option("server.baseUrlPath") or ""),
    ]
