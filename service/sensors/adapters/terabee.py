"""Terabee People Counting L and XL: a running total each way, over HTTP or MQTT.

Who set a name and a password for HTTP finds them in the body, too: they are not read, and no error repeats
what a body holds.
"""

from __future__ import annotations

from typing import Final

from service.sensors.adapter import Adapter, Form
from service.sensors.checked_report import checked_report
from service.sensors.json_report import ReportModel, Text, Total, read_json
from service.sensors.told_count import Kind, Report, ToldCount
from service.sensors.told_time import IsoOrNumberTime, identity_of


class _Body(ReportModel):
    count_in: Total
    count_out: Total
    timestamp: IsoOrNumberTime
    device_id: Text


def _read(body: bytes) -> Report:
    told = read_json(body, _Body)
    return checked_report(
        [
            ToldCount(
                serial=told.device_id,
                line="",
                kind=Kind.CUMULATIVE,
                start=None,
                end=told.timestamp,
                forward=told.count_in,
                backward=told.count_out,
                identity=f"{identity_of(told.timestamp)} {told.count_in} {told.count_out}",
            )
        ]
    )


TERABEE: Final = Adapter(
    maker="terabee",
    title="Terabee People Counting L and XL",
    kinds=frozenset({Kind.CUMULATIVE}),
    form=Form.JSON,
    forward="count_in",
    has_lines=False,
    read=_read,
)
