"""How an older store gets the tables of this version: by Alembic, one step for each format that was released.

A new store is made as `schema` has it, and marked as the newest; the steps lead to the same (their test).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, select

from service.store.archive_tables import METADATA
from service.store.errors import StoreVersionError
from service.store.prepared import Prepared
from service.store.schema import ALEMBIC_VERSION, VERSION

_NOTED: Final = Prepared(select(ALEMBIC_VERSION.c.version_num))
_FOLDER: Final = Path(__file__).resolve().parent


def make_tables(connection: Connection) -> None:
    """All of them, where there are none, in a transaction that the caller ends."""
    METADATA.create_all(connection)
    connection.execute(ALEMBIC_VERSION.insert().values(version_num=str(VERSION)))


def noted_version(connection: Connection) -> int | None:
    """Format of a store in which it is noted by Alembic; None: its table is not there, or empty."""
    if not connection.dialect.has_table(connection, ALEMBIC_VERSION.name):
        return None
    noted = connection.execute(select(ALEMBIC_VERSION.c.version_num)).scalar()
    return None if noted is None else int(noted)


def noted_format(connection: Connection) -> int:
    """`noted_version` of a store that is open: asked by each who writes."""
    [(noted,)] = _NOTED.run(connection)
    return int(noted)


def later_format(where: str, version: int) -> StoreVersionError:
    """Of a store that a later version has made, or brought up to date while it was open."""
    return StoreVersionError(
        f"{where} has format {version}, made by a later version of the service; this one reads {VERSION}."
        " Update the service, or restore a backup that this version made."
    )


def upgrade(connection: Connection, version: int) -> None:
    """Bring a store of an earlier format to `VERSION`, in a transaction that the caller ends."""
    # Few starts need it, and to import it takes as long as to open a store.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    if noted_version(connection) is None:
        command.stamp(config, str(version))
    command.upgrade(config, str(VERSION))
