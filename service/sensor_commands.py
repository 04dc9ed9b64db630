"""`sensors list` and `sensors place`: for whoever has a shell; a browser asks /admin/sensors."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.table import Table

from service.console import DataDir, answer, fail, literal, opened_store, say, settings_with, shown
from service.sensors.counting import Outcome
from service.sensors.taking import go_on, place
from service.store.audit_protocol import COMMAND_LINE
from service.store.errors import UnknownLineError, UnknownPassageError
from service.store.sensor_protocol import Placement, SensorLine
from service.store.series_import import ROOM_SECONDS

sensors = typer.Typer(no_args_is_help=True, help="Counters that sent reports.")

Owner = Annotated[str, typer.Option("--organization", help="Id of the organization whose counters they are.")]


@sensors.command("list")
def list_sensors(organization: Owner, data_dir: DataDir = None) -> None:
    """List the lines of counters, where they count, and what waits."""
    table = Table("number", "maker", "serial", "line", "passage", "last heard", "waiting")
    with opened_store(settings_with(data_dir)) as store:
        for line in store.sensors.lines(organization):
            table.add_row(*map(literal, _row(line)))
    try:
        answer(shown(table))
    except OSError as error:
        fail(f"The counters cannot be written to standard output: {error.strerror or error}.")


@sensors.command("place")
def place_sensor(
    organization: Owner,
    number: Annotated[int, typer.Argument(help="The line's number, as `sensors list` shows it.")],
    passage: Annotated[str | None, typer.Argument(help="Id of the passage; left out: nowhere.")] = None,
    swapped: Annotated[
        bool, typer.Option("--swapped", help="What it calls in leads from toZoneId to fromZoneId.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Let a line count at a passage; what waits of it is counted."""
    with opened_store(settings_with(data_dir), will_store=True) as store:
        line = store.sensors.find(organization, number)
        if line is None:
            fail(f"There is no counter {number} of {organization!r}.")
        placement = None if passage is None else Placement(passage, swapped)
        try:
            with store.sensors.writing() as rows:
                outcomes = place(rows, line, placement, COMMAND_LINE)
            had_waited = outcomes.total()
            while outcomes.pop(Outcome.WAITING, 0):
                # In pieces: a service that stores beside it would not get its turn.
                time.sleep(ROOM_SECONDS)
                with store.sensors.writing() as rows:
                    outcomes += go_on(rows, number)
        except (UnknownLineError, UnknownPassageError) as error:
            fail(f"Nothing was changed: {error}.")
    said = [f"{number} {outcome}" for outcome, number in outcomes.items()]
    if (others := had_waited - outcomes.total()) > 0:
        said.append(f"{others} by the service")
    became = ", ".join(said)
    where = f"counts at {passage}" if passage else "counts nowhere, its reports wait"
    say(f"{line.name.serial} {line.name.line}".strip() + f" {where}. {became}".rstrip())


def _row(line: SensorLine) -> tuple[str, ...]:
    placement, name = line.placement, line.name
    where = "" if placement is None else f"{placement.passage_id}{' (swapped)' * placement.is_swapped}"
    heard = line.last_heard.isoformat(timespec="seconds")
    return (str(line.number), name.maker, name.serial, name.line, where, heard, str(line.waiting))
