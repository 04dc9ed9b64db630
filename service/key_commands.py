"""`keys create`, `keys list` and `keys revoke`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from service.console import (
    DataDir,
    answer,
    fail,
    literal,
    opened_store,
    say,
    settings_with,
    shown,
    store_errors,
)
from service.store.errors import KeyNameError
from service.store.protocol import KeyScope, Store

keys = typer.Typer(no_args_is_help=True, help="API keys.")


@keys.command("create")
def create_key(
    organization: Annotated[str, typer.Option(help="Id of the organization the key belongs to.")],
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scope: Annotated[KeyScope, typer.Option(help="What it may do.")] = KeyScope.READ,
    data_dir: DataDir = None,
) -> None:
    """Make a key and print its secret, this once."""
    with opened_store(settings_with(data_dir), will_store=True) as store:
        known = sorted(known.id for known in store.catalogue.organizations())
        if organization not in known:
            fail(f"There is no organization {organization!r}; known are: {', '.join(known) or 'none'}.")
        try:
            key, secret = store.keys.create(organization, name, scope)
        except KeyNameError as error:
            fail(f"No key was made: {error}.")
        _hand_out(store, key.id, secret)


@keys.command("list")
def list_keys(data_dir: DataDir = None) -> None:
    """List keys, without their secrets."""
    table = Table("id", "organization", "name", "scope", "created", "revoked")
    with opened_store(settings_with(data_dir)) as store:
        for key in store.keys.list_keys():
            revoked = key.revoked_at.isoformat(timespec="seconds") if key.revoked_at else ""
            created = key.created_at.isoformat(timespec="seconds")
            columns = (key.id, key.organization_id, key.name, key.scope.value, created, revoked)
            table.add_row(*map(literal, columns))
    try:
        answer(shown(table))
    except OSError as error:
        fail(f"The keys cannot be written to standard output: {error.strerror or error}.")


@keys.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(help="The key's id, as `keys list` shows it.")],
    data_dir: DataDir = None,
) -> None:
    """Revoke a key; streams that it has open end within seconds."""
    with opened_store(settings_with(data_dir), will_store=True) as store:
        if not store.keys.revoke(key_id):
            fail(f"There is no key {key_id!r}.")
    say(f"Revoked {key_id}.")


def _hand_out(store: Store, key_id: str, secret: str) -> None:
    """Print the secret; a key whose secret nobody received opens nothing."""
    try:
        answer(f"{secret}\n")
    except OSError as error:
        with store_errors(f"Key {key_id}, whose secret reached nobody, is not revoked: "):
            store.keys.revoke(key_id)
        fail(
            f"The secret cannot be written to standard output: {error.strerror or error}."
            f" Key {key_id} is revoked again: make another."
        )
