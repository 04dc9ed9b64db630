"""A module for each form in which counters give what they counted when they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.sensors.exports.axis_3d_export import AXIS_3D_EXPORT
from service.sensors.exports.export import Export
from service.sensors.exports.hikvision_search import HIKVISION_SEARCH

EXPORTS: Final[Mapping[str, Export]] = {one.name: one for one in (AXIS_3D_EXPORT, HIKVISION_SEARCH)}
"""By what stands in the settings."""
