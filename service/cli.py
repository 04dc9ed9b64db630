"""The command line. It works on the store that the settings name, mostly also while a service runs."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from service.application import create_application
from service.check_command import check
from service.chosen_workers import chosen_workers
from service.clock import present
from service.console import DataDir, fail, number_of, opened_store, said, say, settings_with, store_errors
from service.dashboard_key import (
    ADMIN_FILE_NAME,
    DEMO_ORGANIZATION,
    FILE_NAME,
    OWN_ORGANIZATION,
    administrator_key,
    dashboard_key,
)
from service.ingest.count_csv import CountFileError
from service.ingest.count_file import Absent, CheckedCounts, read_count_file
from service.ingest.count_report import import_series
from service.ingest.row_spacing import LONGEST_INTERVAL
from service.ingest.site_file import SiteFileError, conflicts, read_site_file, site_import
from service.ingest.staged_counts import StagingError
from service.key_commands import keys
from service.move_command import migrate_store
from service.open_store import chosen_store
from service.sensor_commands import sensors
from service.server import ServerError, configure_logging, listening_socket, run
from service.settings import SettingsError
from service.shown_counters import shown_counters
from service.store.audit_protocol import COMMAND_LINE
from service.store.errors import (
    FoldedCountsError,
    ImportUnfinishedError,
    PassageTakenError,
    UnknownPassageError,
)
from service.store.protocol import CountSeries, Organization, Store
from service.store.sqlite.backup import back_up, restore

application = typer.Typer(
    no_args_is_help=True, add_completion=False, help="The v3 service: serve it, fill it, make keys for it."
)
_sites = typer.Typer(no_args_is_help=True, help="Organizations and their sites.")
_counts = typer.Typer(no_args_is_help=True, help="Recorded counts.")
application.add_typer(_sites, name="sites")
application.add_typer(_counts, name="counts")
application.command()(check)
application.command("migrate-store")(migrate_store)
application.add_typer(keys, name="keys")
application.add_typer(sensors, name="sensors")


@application.command()
def serve(
    data_dir: DataDir = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on (127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (8502).", min=1, max=65535)] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Load the demo's counts and keep feeding them.")
    ] = False,
    *,
    pull: Annotated[
        Path | None,
        typer.Option(
            envvar="HEADROOM_SERVICE_PULL", help="Settings of sources that are pulled, in TOML or JSON."
        ),
    ] = None,
    own: Annotated[
        bool,
        typer.Option(
            "--own", help="Keep keys for a dashboard beside it, of an organization that is set up there."
        ),
    ] = False,
    exit_with_parent: Annotated[
        bool, typer.Option("--exit-with-parent", help="End when standard input closes.")
    ] = False,
) -> None:
    """Serve the API until SIGTERM or Ctrl-C."""
    settings = settings_with(data_dir, host=host, port=port)
    try:
        workers = chosen_workers(demo=demo, pull=pull)
    except SettingsError as error:
        fail(str(error))
    configure_logging()
    with opened_store(settings) as store:
        if demo or own:
            _write_keys(store, settings.data_dir, DEMO_ORGANIZATION if demo else OWN_ORGANIZATION)
            say(f"The {'demo' if demo else 'dashboard'}'s read key is in {settings.data_dir / FILE_NAME}.")
        try:
            send_timeout = settings.send_timeout + settings.heartbeat
            listener = listening_socket(settings.host, settings.port, send_timeout.total_seconds())
        except ServerError as error:
            fail(str(error))
        asgi = create_application(store, settings, workers=workers)
        run(asgi, listener, settings, exit_with_parent=exit_with_parent)


@application.command()
def backup(
    file: Annotated[Path, typer.Argument(help="Where the copy goes, best on another disk.")],
    data_dir: DataDir = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace a file that is there.")] = False,
) -> None:
    """Copy the store to a file, also while a server writes to it."""
    with store_errors():
        size = back_up(chosen_store(settings_with(data_dir)), file, replace=replace)
    say(f"Wrote {file}, {size / 1e6:,.1f} MB.")


@application.command("restore")
def restore_backup(
    file: Annotated[Path, typer.Argument(help="A file that `backup` wrote.")],
    data_dir: DataDir = None,
) -> None:
    """Replace the store by a backup; the server has to be ended first, the replaced store is kept."""
    with store_errors():
        kept = restore(chosen_store(settings_with(data_dir)), file)
    replaced = f" The store that was there is now {kept}." if kept else ""
    say(f"Restored {file}.{replaced}")


@_sites.command("import")
def import_sites(
    file: Annotated[
        Path,
        typer.Argument(
            help="JSON file of organizations and their sites, or what GET /v3/sites/{id} answers."
        ),
    ],
    data_dir: DataDir = None,
    organization: Annotated[
        str | None,
        typer.Option(help="To whom a site alone in its file belongs, instead of its organizationId."),
    ] = None,
    top_zone: Annotated[
        str | None, typer.Option(help="Id of the zone that is the whole site, for a site alone in its file.")
    ] = None,
) -> None:
    """Insert or update the sites of a file, all of them or none."""
    try:
        content = read_site_file(file.read_bytes(), organization=organization, top_zone=top_zone)
    except SiteFileError as error:
        _refuse(file, error.reasons)
    except OSError as error:
        fail(f"Cannot read {file}: {error.strerror}.")
    with opened_store(settings_with(data_dir), will_store=True) as store:
        if reasons := conflicts(content, store.catalogue):
            _refuse(file, reasons)
        try:
            sites = site_import(
                content, store.catalogue, lambda owner: shown_counters(store.sensors.lines(owner)), present()
            )
            store.catalogue.save_all(sites.content, author=COMMAND_LINE)
        except SiteFileError as error:
            _refuse(file, error.reasons)
        except PassageTakenError as error:
            _refuse(file, [str(error)])
    number = sum(len(records) for _, records in sites.content)
    say(f"Imported {number_of(number, 'site')} of {number_of(len(sites.content), 'organization')}.")
    for note in sites.notes:
        say(note)


@_counts.command("import")
def import_counts(
    file: Annotated[
        Path, typer.Argument(help="CSV file, gzip or not: timestamp,passageId,forward,backward.")
    ],
    data_dir: DataDir = None,
    interval: Annotated[
        int | None,
        typer.Option(
            help="Minutes that a row counts; its people are spread over them. Left out: 1, if the file shows"
            " no other.",
            min=1,
            max=LONGEST_INTERVAL,
        ),
    ] = None,
    absent: Annotated[
        Absent,
        typer.Option(
            help="What minutes without a row are: missing, or zero for every passage of the file from its"
            " site's first row to its last (counts that are stored already stay)."
        ),
    ] = Absent.MISSING,
) -> None:
    """Set the counts of a file, all of them or none; the same file twice changes nothing.

    Sensors and readers go on meanwhile. Once "Storing" begins the file is taken: what is missing when this is
    ended is stored by the service that runs, or by the next command.
    """
    _check_readable(file)
    with (
        opened_store(settings_with(data_dir), will_store=True) as store,
        closing(_read_counts(file, interval, absent, store)) as counts,
    ):
        try:
            _store_counts(store, counts)
        except ImportUnfinishedError as error:
            fail(
                f"{file} is taken, and not all of it is stored yet: {error} The rest is stored by the service"
                " that runs, or by the next command that opens the store."
            )
        except (UnknownPassageError, FoldedCountsError) as error:
            fail(f"{file} is refused, nothing of it was stored: {error}.")
        except StagingError as error:
            _fail_staging(file, error)
        filled = f" and {counts.filled} absent ones as zero" if absent is Absent.ZERO else ""
        minutes = number_of(counts.minutes, "passage minute")
        say(f"Imported {number_of(counts.rows, 'row')}, {minutes}{filled}.")
        for note in counts.notes:
            say(note)


def _write_keys(store: Store, data_dir: Path, owner: Organization) -> None:
    kept = (("read", FILE_NAME, dashboard_key), ("admin", ADMIN_FILE_NAME, administrator_key))
    for kind, file_name, write in kept:
        try:
            write(store, data_dir, owner)
        except OSError as error:
            whose = "demo" if owner is DEMO_ORGANIZATION else "dashboard"
            fail(f"Cannot keep the {whose}'s {kind} key in {data_dir / file_name}: {error.strerror}.")


def _check_readable(file: Path) -> None:
    try:
        file.open("rb").close()
    except OSError as error:
        fail(f"Cannot read {file}: {error.strerror}.")


def _read_counts(file: Path, interval: int | None, absent: Absent, store: Store) -> CheckedCounts:
    bar = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    find_sites = store.catalogue.site_ids_of_passages
    try:
        with Progress(*bar, console=said) as progress:
            task = progress.add_task(f"Reading {file.name}", total=file.stat().st_size)
            return read_count_file(
                file,
                interval,
                present(),
                find_sites,
                absent=absent,
                progress=lambda read: progress.update(task, completed=read),
            )
    except CountFileError as error:
        counted = [f"{problem}: {rows}" for problem, rows in error.problems.items()]
        _refuse(file, [*error.reasons, *([f"In all {', '.join(counted)}."] if counted else [])])
    except StagingError as error:
        _fail_staging(file, error)
    except (OSError, EOFError, zlib.error) as error:
        fail(f"Cannot read {file}: {getattr(error, 'strerror', None) or error}.")


def _fail_staging(file: Path, error: StagingError) -> NoReturn:
    fail(
        f"Cannot keep the rows of {file} in a temporary file while they are checked: {error}. TMPDIR says"
        " in which folder."
    )


def _store_counts(store: Store, counts: CheckedCounts) -> None:
    """With a bar of passage minutes that goes on as they are kept aside, and one as they are stored."""
    bar = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    total = counts.minutes + counts.filled
    with Progress(*bar, console=said) as progress:
        keeping, storing = (progress.add_task(name, total=total) for name in ("Keeping aside", "Storing"))

        def kept() -> Iterator[CountSeries]:
            for series in counts.series():
                yield series
                progress.advance(keeping, len(series.minutes))

        import_series(store, kept(), lambda minutes: progress.advance(storing, minutes))


def _refuse(file: Path, reasons: list[str] | tuple[str, ...]) -> NoReturn:
    fail("\n  ".join([f"{file} is refused, nothing of it was stored:", *reasons]))
