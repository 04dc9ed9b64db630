from __future__ import annotations

import pytest

from service.open_store import DATABASES, open_store
from service.store.errors import StoreUrlError
from tests.every_store import URL_IN


@pytest.mark.parametrize("url", ["oracle://user:secret@host/headroom", "/data", ""])
def test_url_of_a_kind_that_there_is_not_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(StoreUrlError, match="begin with sqlite") as caught:
        open_store(url)
    assert "secret" not in str(caught.value)


def test_every_kind_of_store_is_asked_what_the_protocol_promises() -> None:
    assert URL_IN.keys() == DATABASES.keys()
