"""Which process of a parallel run takes which file of tests next."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]  # xdist has no types
from xdist.workermanage import WorkerController  # type: ignore[import-untyped]

ONE_IN = 3
"""So many processes have one among them that begins at the end."""


class FromBothEnds(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """Most processes take the next file, some the last: what waits runs beside what works, and a browser that
    lasts for a room of tests is not ended by a file of another.
    """

    def _assign_work_unit(self, node: WorkerController) -> None:
        if self.nodes.index(node) % ONE_IN == ONE_IN - 1:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)
