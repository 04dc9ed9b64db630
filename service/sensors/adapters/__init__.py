"""A module for each maker whose counters are understood; a new one is added to the list.

Counters of others are read by a mapping that a person writes: `service/sensors/adapters/generic.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.sensors.adapter import Adapter
from service.sensors.adapters.axis_3d import AXIS_3D
from service.sensors.adapters.axis_aoa import AXIS_AOA
from service.sensors.adapters.hikvision import HIKVISION
from service.sensors.adapters.irisys import IRISYS
from service.sensors.adapters.milesight import MILESIGHT
from service.sensors.adapters.terabee import TERABEE
from service.sensors.adapters.xovis_3 import XOVIS_3
from service.sensors.adapters.xovis_5 import XOVIS_5

ADAPTERS: Final[Mapping[str, Adapter]] = {
    one.maker: one for one in (AXIS_3D, AXIS_AOA, HIKVISION, IRISYS, MILESIGHT, TERABEE, XOVIS_3, XOVIS_5)
}
"""By what stands in an address."""
