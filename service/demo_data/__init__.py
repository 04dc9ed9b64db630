"""The recordings that are shipped with the service; README.md here says whose they are."""

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent

HARDBRUECKE: Final = _FOLDER / "hardbruecke_2024-01-16_2024-03-19.csv.gz"
SDU_ROOMS: Final = _FOLDER / "sdu_rooms_2017.csv.gz"
