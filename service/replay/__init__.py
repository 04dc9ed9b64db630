"""Recordings played as if they were happening now: what was counted then, at the same weekday and hour."""

from service.replay.rooms_replay import RoomDay, RoomsReplay, read_room_days
from service.replay.stop_replay import StopReplay, read_stop, recorded_minutes, stop_record

__all__ = [
    "RoomDay",
    "RoomsReplay",
    "StopReplay",
    "read_room_days",
    "read_stop",
    "recorded_minutes",
    "stop_record",
]
