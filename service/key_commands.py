"""`keys create`, `keys list`, `keys revoke` and `keys rotate`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta
from typing import Annotated, Final

import typer
from rich.table import Column, Table

from service.clock import present
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
from service.store.audit_protocol import COMMAND_LINE
from service.store.errors import KeyRotationError, KeyTermsError
from service.store.key_protocol import KeyRecord
from service.store.key_secret import key_id_in
from service.store.protocol import KeyScope, Store

keys = typer.Typer(no_args_is_help=True, help="API keys.")

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_LONGEST_OVERLAP: Final = 30 * 24
"""Hours."""


@keys.command("create")
def create_key(
    organization: Annotated[str, typer.Option(help="Id of the organization the key belongs to.")],
    name: Annotated[str, typer.Option(help="What the key is for.")],
    *,
    scope: Annotated[KeyScope, typer.Option(help="What it may do.")] = KeyScope.READ,
    expires: Annotated[
        str | None,
        typer.Option(
            help="Its last day, as 2027-01-31, until 23:59:59 UTC; or a time with its offset, as"
            " 2027-01-31T18:00:00+01:00. Left out: never."
        ),
    ] = None,
    site: Annotated[
        list[str] | None,
        typer.Option(help="Id of a site that a key of scope read reads; may be given again. Left out: all."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Make a key and print its secret, this once."""
    expires_at = None if expires is None else _end(expires)
    with opened_store(settings_with(data_dir), will_store=True) as store:
        known = sorted(known.id for known in store.catalogue.organizations())
        if organization not in known:
            fail(f"There is no organization {organization!r}; known are: {', '.join(known) or 'none'}.")
        try:
            key, secret = store.keys.create(
                organization, name, scope, expires_at=expires_at, site_ids=site or None, author=COMMAND_LINE
            )
        except KeyTermsError as error:
            fail(f"No key was made: {error}.")
        _hand_out(store, key.id, secret)


@keys.command("list")
def list_keys(data_dir: DataDir = None) -> None:
    """List keys, without their secrets. Times are UTC."""
    # A cut id could not be revoked.
    table = Table(
        Column("id", no_wrap=True), "organization", "name", "scope", "sites", "created", "expires", "revoked",
        "last used", "from",
    )  # fmt: skip
    now = present()
    with opened_store(settings_with(data_dir)) as store:
        for key in store.keys.list_keys():
            table.add_row(*map(literal, _row(key, now)))
    try:
        answer(shown(table))
    except OSError as error:
        fail(f"The keys cannot be written to standard output: {error.strerror or error}.")


def _id_of(text: str) -> str:
    """Whoever found a secret where none should be has no id: it has one in it, and is never printed again."""
    return key_id_in(text) or text


KeyId = Annotated[
    str, typer.Argument(help="The key's id, as `keys list` shows it, or its secret.", callback=_id_of)
]


@keys.command("revoke")
def revoke_key(
    key_id: KeyId,
    data_dir: DataDir = None,
) -> None:
    """Revoke a key; streams that it has open end within seconds."""
    with opened_store(settings_with(data_dir), will_store=True) as store:
        if not store.keys.revoke(key_id, author=COMMAND_LINE):
            fail(f"There is no key {key_id!r}.")
    say(f"Revoked {key_id}.")


@keys.command("rotate")
def rotate_key(
    key_id: KeyId,
    overlap: Annotated[
        int, typer.Option(help="Hours for which the old key still opens.", min=0, max=_LONGEST_OVERLAP)
    ] = 24,
    data_dir: DataDir = None,
) -> None:
    """Make a key like another, print its secret, this once, and let the other expire."""
    with opened_store(settings_with(data_dir), will_store=True) as store:
        try:
            made = store.keys.rotate(key_id, timedelta(hours=overlap), author=COMMAND_LINE)
        except KeyRotationError as error:
            fail(f"No key was made: {error}.")
        if made is None:
            fail(f"There is no key {key_id!r}.")
        key, secret = made
        _hand_out(store, key.id, secret)
        old = store.keys.find(key_id)
    end = old and old.expires_at
    say(f"{key_id} is replaced by {key.id}" + (f" and opens until {_written(end)}." if end else "."))


def _end(text: str) -> datetime:
    """When a key expires: at the last second of a day, UTC, or at a time with its offset."""
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        given = None
    if given is not None and _DAY.fullmatch(text):
        return datetime.combine(given.date(), time.max, UTC)
    if given is None or given.tzinfo is None:
        fail(
            f"No key was made: --expires {text!r} is neither a day, as 2027-01-31, nor a time with its"
            " offset, as 2027-01-31T18:00:00+01:00."
        )
    return given


def _row(key: KeyRecord, now: datetime) -> tuple[str, ...]:
    used = key.last_used
    expires = _written(key.expires_at) + (" (expired)" if key.is_expired(now) else "")
    return (
        key.id,
        key.organization_id,
        key.name,
        key.scope.value,
        "all" if key.site_ids is None else ", ".join(sorted(key.site_ids)),
        _written(key.created_at),
        expires,
        _written(key.revoked_at),
        _written(used.at) if used else "",
        used.address if used else "",
    )


def _written(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat(timespec="seconds")


def _hand_out(store: Store, key_id: str, secret: str) -> None:
    """Print the secret; a key whose secret nobody received opens nothing."""
    try:
        answer(f"{secret}\n")
    except OSError as error:
        with store_errors(f"Key {key_id}, whose secret reached nobody, is not revoked: "):
            store.keys.revoke(key_id, author=COMMAND_LINE)
        fail(
            f"The secret cannot be written to standard output: {error.strerror or error}."
            f" Key {key_id} is revoked again: make another."
        )
