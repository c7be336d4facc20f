"""Garbage collection as pauses: on the paced clock a collection that walks everything is lateness for everybody.

Reference counts free nearly all that a storm makes; cycles are few. So what stands when a storm begins is set apart,
and after that the young are looked at often enough, the old hardly ever.
"""

import gc

AS_USUAL = gc.get_threshold()
YOUNG, MIDDLE, OLD = 20_000, 20, 1_000
"""Allocations to a collection of the youngest, and collections of one generation to one of the next (gc module)."""


def keep_pauses_short() -> None:
    """When everything that a run is made of stands, and before its clock begins."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)


def collect_as_usual() -> None:
    """When the run is over: another may follow in this process."""
    gc.set_threshold(*AS_USUAL)
    gc.unfreeze()
