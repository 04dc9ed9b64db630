from __future__ import annotations

import pytest

from service.open_store import open_store
from service.store.errors import StoreUrlError


@pytest.mark.parametrize("url", ["postgresql://user:secret@host/headroom", "/data", ""])
def test_url_of_a_kind_that_there_is_not_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(StoreUrlError, match="begin with sqlite") as caught:
        open_store(url)
    assert "secret" not in str(caught.value)
