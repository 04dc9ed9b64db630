"""Which process of a parallel run takes which file of tests next."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]  # it has no types
from xdist.workermanage import WorkerController  # type: ignore[import-untyped]

OF_SO_MANY = 3
"""One of so many processes begins at the end."""


class FromBothEnds(LoadFileScheduling):  # type: ignore[misc]  # nor here
    """Most processes take the next file, some the last: what waits runs beside what works, and a browser that
    lasts for a room of tests is not ended by a file of another.
    """

    def _assign_work_unit(self, node: WorkerController) -> None:
        if self.nodes.index(node) % OF_SO_MANY == OF_SO_MANY - 1:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)
