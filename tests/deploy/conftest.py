"""Fixtures of other rooms that the shipped configurations are tried with."""

from tests.e2e.conftest import browser_of_module as browser
from tests.e2e.conftest import new_page as page
from tests.live.conftest import start_relay

__all__ = ["browser", "page", "start_relay"]
