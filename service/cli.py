"""The command line. Every command works on the data folder, also while a server runs on it."""

from __future__ import annotations

import sqlite3
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from sqlalchemy.exc import DatabaseError

from service.application import create_application, present
from service.background_demo import BackgroundDemo
from service.dashboard_key import FILE_NAME, dashboard_key
from service.ingest.count_file import CountFile, CountFileError, read_count_file
from service.ingest.site_file import SiteFileError, conflicts, read_site_file, records
from service.server import ServerError, configure_logging, listening_socket, run
from service.settings import ServiceSettings
from service.store import PassageTakenError, Store, StoreBusyError, StoreVersionError, open_store
from service.store.protocol import KeyScope, UnknownPassageError, WriteMode

application = typer.Typer(
    no_args_is_help=True, add_completion=False, help="The v3 service: serve it, fill it, make keys for it."
)
_sites = typer.Typer(no_args_is_help=True, help="Organizations and their sites.")
_counts = typer.Typer(no_args_is_help=True, help="Recorded counts.")
_keys = typer.Typer(no_args_is_help=True, help="API keys.")
application.add_typer(_sites, name="sites")
application.add_typer(_counts, name="counts")
application.add_typer(_keys, name="keys")

_said = Console(stderr=True, highlight=False)

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir", help="Folder of the service's files (else HEADROOM_DATA_DIR, else .headroom)."
    ),
]


@application.command()
def serve(
    data_dir: DataDir = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on (127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (8502).", min=1, max=65535)] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Load the demo's counts and keep feeding them.")
    ] = False,
    exit_with_parent: Annotated[
        bool, typer.Option("--exit-with-parent", help="End when standard input closes.")
    ] = False,
) -> None:
    """Serve the API until SIGTERM or Ctrl-C."""
    settings = _settings(data_dir, host=host, port=port)
    configure_logging()
    with _opened_store(settings) as store:
        background = _demo(store) if demo else None
        if background:
            dashboard_key(store, settings.data_dir)
            _said.print(f"The demo's read key is in {settings.data_dir / FILE_NAME}.")
        try:
            send_timeout = settings.send_timeout + settings.heartbeat
            listener = listening_socket(settings.host, settings.port, send_timeout.total_seconds())
        except ServerError as error:
            _fail(str(error))
        asgi = create_application(store, settings, demo=background)
        run(asgi, listener, settings, exit_with_parent=exit_with_parent)


@_sites.command("import")
def import_sites(
    file: Annotated[Path, typer.Argument(help="JSON file of organizations and their sites.")],
    data_dir: DataDir = None,
) -> None:
    """Insert or update the sites of a file, all of them or none."""
    try:
        content = read_site_file(file.read_bytes())
    except SiteFileError as error:
        _refuse(file, error.reasons)
    except OSError as error:
        _fail(f"Cannot read {file}: {error.strerror}.")
    with _opened_store(_settings(data_dir)) as store:
        if reasons := conflicts(content, store.catalogue):
            _refuse(file, reasons)
        try:
            store.catalogue.save_all(
                [
                    records(organization, store.catalogue.find, present())
                    for organization in content.organizations
                ]
            )
        except PassageTakenError as error:
            _refuse(file, [str(error)])
    sites = sum(len(organization.sites) for organization in content.organizations)
    _said.print(f"Imported {sites} sites of {len(content.organizations)} organizations.")


@_counts.command("import")
def import_counts(
    file: Annotated[
        Path, typer.Argument(help="CSV file, gzip or not: timestamp,passageId,forward,backward.")
    ],
    data_dir: DataDir = None,
    interval: Annotated[
        int, typer.Option(help="Minutes that a row counts; its people are spread over them.", min=1, max=1440)
    ] = 1,
) -> None:
    """Set the counts of a file; the same file twice changes nothing."""
    content = _read_counts(file, interval)
    with _opened_store(_settings(data_dir)) as store:
        _refuse_unknown_passages(file, content, store)
        try:
            store.metrics.append(content.counts, WriteMode.SET)
        except UnknownPassageError as error:
            _fail(f"{file} is refused, nothing of it was stored: {error}.")
    _said.print(f"Imported {content.rows} rows, {len(content.counts)} passage minutes.")


@_keys.command("create")
def create_key(
    organization: Annotated[str, typer.Option(help="Id of the organization the key belongs to.")],
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scope: Annotated[KeyScope, typer.Option(help="What it may do.")] = KeyScope.READ,
    data_dir: DataDir = None,
) -> None:
    """Make a key and print its secret, this once."""
    with _opened_store(_settings(data_dir)) as store:
        known = sorted(known.id for known in store.catalogue.organizations())
        if organization not in known:
            _fail(f"There is no organization {organization!r}; known are: {', '.join(known) or 'none'}.")
        _, secret = store.keys.create(organization, name, scope)
    sys.stdout.write(f"{secret}\n")


@_keys.command("list")
def list_keys(data_dir: DataDir = None) -> None:
    """List keys, without their secrets."""
    table = Table("id", "organization", "name", "scope", "created", "revoked")
    with _opened_store(_settings(data_dir)) as store:
        for key in store.keys.list_keys():
            revoked = key.revoked_at.isoformat(timespec="seconds") if key.revoked_at else ""
            created = key.created_at.isoformat(timespec="seconds")
            table.add_row(key.id, key.organization_id, key.name, key.scope.value, created, revoked)
    # Piped, the table is as wide as it needs to be: a cut id could not be revoked.
    Console(width=None if sys.stdout.isatty() else 240).print(table)


@_keys.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(help="The key's id, as `keys list` shows it.")],
    data_dir: DataDir = None,
) -> None:
    """Revoke a key; streams that it has open end within seconds."""
    with _opened_store(_settings(data_dir)) as store:
        if not store.keys.revoke(key_id):
            _fail(f"There is no key {key_id!r}.")
    _said.print(f"Revoked {key_id}.")


def _demo(store: Store) -> BackgroundDemo:
    # Its libraries and recordings are no other command's business.
    from service import demo  # noqa: PLC0415

    return BackgroundDemo(store, demo.load, demo.play)


def _settings(data_dir: Path | None, **given: str | int | None) -> ServiceSettings:
    chosen: dict[str, Any] = {"data_dir": data_dir, **given}
    try:
        return ServiceSettings(**{name: value for name, value in chosen.items() if value is not None})
    except ValidationError as error:
        problems = (f"{problem['loc'][0]} ({problem['msg']})" for problem in error.errors())
        _fail(f"These settings cannot be read: {', '.join(problems)}.")


@contextmanager
def _opened_store(settings: ServiceSettings) -> Iterator[Store]:
    try:
        store = open_store(settings.data_dir)
    except (OSError, DatabaseError, sqlite3.Error, StoreVersionError, StoreBusyError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "orig", None) or error
        _fail(f"Cannot keep data in {settings.data_dir}: {reason}.")
    try:
        yield store
    except StoreBusyError as error:
        _fail(f"Nothing was stored in {settings.data_dir}; try again: {error}.")
    finally:
        store.close()


def _read_counts(file: Path, interval: int) -> CountFile:
    bar = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    try:
        with Progress(*bar, console=_said) as progress:
            task = progress.add_task(f"Reading {file.name}", total=file.stat().st_size)
            return read_count_file(
                file, interval, present(), lambda read: progress.update(task, completed=read)
            )
    except CountFileError as error:
        more = error.bad_rows - len(error.reasons)
        _refuse(file, [*error.reasons, *([f"and {more} more bad rows"] if more > 0 else [])])
    except (OSError, EOFError, zlib.error) as error:
        _fail(f"Cannot read {file}: {getattr(error, 'strerror', None) or error}.")


def _refuse_unknown_passages(file: Path, content: CountFile, store: Store) -> None:
    known = store.catalogue.site_ids_of_passages(content.first_lines.keys())
    unknown = [
        f"line {line}: there is no passage {passage_id!r}"
        for passage_id, line in content.first_lines.items()
        if passage_id not in known
    ]
    if unknown:
        _refuse(file, unknown)


def _refuse(file: Path, reasons: list[str] | tuple[str, ...]) -> NoReturn:
    _fail("\n  ".join([f"{file} is refused, nothing of it was stored:", *reasons]))


def _fail(message: str) -> NoReturn:
    _said.print(message, markup=False, soft_wrap=True)
    raise typer.Exit(1)
