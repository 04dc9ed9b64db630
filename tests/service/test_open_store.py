from __future__ import annotations

import pytest

from service.open_store import DATABASES, open_store
from service.store.errors import StoreAwayError, StoreUrlError
from tests.every_store import URL_IN
from tests.running_service import free_port


@pytest.mark.parametrize("url", ["oracle://user:secret@host/headroom", "/data", ""])
def test_url_of_a_kind_that_there_is_not_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(StoreUrlError, match="begin with sqlite") as caught:
        open_store(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["clickhouse", "clickhouses"])
def test_an_archive_in_place_of_a_store_is_told_where_it_belongs(scheme: str) -> None:
    with pytest.raises(StoreUrlError, match="HEADROOM_SERVICE_ARCHIVE"):
        open_store(f"{scheme}://user:secret@host/headroom")


def test_a_server_that_is_not_there_is_told_with_what_to_do() -> None:
    with pytest.raises(StoreAwayError, match="where its URL is wrong, correct that and start again"):
        open_store(f"postgresql://headroom@127.0.0.1:{free_port()}/headroom")


def test_every_kind_of_store_is_asked_what_the_protocol_promises() -> None:
    assert URL_IN.keys() == DATABASES.keys()
