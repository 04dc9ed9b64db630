from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from service.store.sqlite import connections


def test_what_is_acknowledged_is_on_disk_though_most_tests_do_without(tmp_path: Path) -> None:
    """Of the module as a service reads it: the one of this process is changed for tests."""
    spec = spec_from_file_location("connections_anew", connections.__file__)
    assert spec
    assert spec.loader
    anew = module_from_spec(spec)
    spec.loader.exec_module(anew)
    file = tmp_path / "file"
    file.touch()
    for module, level in ((anew, 2), (connections, 0)):
        engine = module.engine_of(file, set())
        with engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == level
        engine.dispose()
