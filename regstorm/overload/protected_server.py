"""Protected server: what every network function does to survive more work than it can do.

It works off one job at a time at `capacity` and holds a bounded queue: a newcomer that would wait longer than
`queue_s` is shed. Each `period_s` it looks at the load offered in the period before; what was above `load_limit` of
its capacity is shed at random in the next one. A rejection is work too: it costs a share of the work refused and is
done ahead of the queue, so a server that rejects much serves little.

Not ordered, it has one queue and sheds any message alike. Ordered, it serves higher tiers first, a newcomer waits
only for its own tier and those above, and the lowest tier is shed first.

It never interrupts: once a job has been chosen its finish time stands. There is no backlog limit on rejections:
that a server can be kept busy with nothing but refusing is the collapse which the model is about.
"""

from collections import deque
from collections.abc import Callable, Sequence
from math import floor
from random import Random
from typing import Any, Generic, TypeVar

from regstorm.records.core_settings import Shedding

Job = TypeVar("Job")


class _Lane(Generic[Job]):
    """What waits in one tier, and what was offered in it."""

    __slots__ = ("before", "drop_probability", "offered", "queue", "work")

    def __init__(self, before: "Sequence[_Lane[Job]]") -> None:
        self.before = before
        """Those that are served before it."""
        self.queue: deque[tuple[float, Job]] = deque()
        self.work = 0.0
        """Of all that waits."""
        self.offered = 0.0
        """In the period that runs."""
        self.drop_probability = 0.0


class ProtectedServer(Generic[Job]):
    """A single server, exact and event-driven. The owner calls `finish` when `next_finish` has come: `begins` tells it.

    `now` never decreases over all calls; work is in the unit of `capacity` (for a UDM: pairs).
    """

    __slots__ = (
        "_free_at",
        "_in_service",
        "_lanes",
        "_limit",
        "_offered_before",
        "_period_ends",
        "_queue_s",
        "_rejection_cost",
        "_rng",
        "_second_per_work",
        "begins",
        "capacity",
        "next_finish",
        "ordered",
        "period_s",
        "rejection_work",
        "waiting",
    )

    def __init__(self, capacity: float, shedding: Shedding, rng: Random, ordered_tiers: int = 1) -> None:
        """`capacity` in work per second; `ordered_tiers` 1: not ordered, whatever tier is offered."""
        if capacity <= 0 or ordered_tiers < 1:
            raise ValueError(f"a server needs a capacity and at least one tier, not {capacity} and {ordered_tiers}")
        self.capacity = capacity
        self.period_s = shedding.period_s
        self._second_per_work = 1.0 / capacity
        self._queue_s = shedding.queue_s
        self._rejection_cost = shedding.rejection_cost
        self._limit = shedding.load_limit * capacity
        self._rng = rng

        self.ordered = ordered_tiers > 1
        """Higher tiers go first."""
        self._lanes: list[_Lane[Job]] = _lanes(ordered_tiers)
        """By tier; not ordered, there is one for all."""
        self.waiting = 0
        """Jobs in the queues, without the one in service."""
        self._in_service: Any = None
        """The job; of no meaning without a `next_finish`."""
        self.next_finish: float | None = None
        """When the job in service is done; None: no job is there. Stands until `finish` has been called."""
        self.begins: Callable[[float], None] = _nobody_listens
        """Called whenever a job is begun, with the time when it will be done."""
        self._free_at = 0.0
        """When the server is done with the job in service and with all rejections so far."""

        self._offered_before = 0.0
        """Before the period that runs."""
        self._period_ends = self.period_s

        self.rejection_work = 0.0

    @property
    def offered_work(self) -> float:
        """All work that it was asked for so far."""
        return self._offered_before + sum(lane.offered for lane in self._lanes)

    def offer(self, now: float, tier: int, cost: float, job: Job) -> bool:
        """True: `job` is served or waits; False: it is shed, and the rejection has taken its work."""
        if now >= self._period_ends:
            self._begin_period(now)
        if not self.ordered:
            tier = 0
        lane = self._lanes[tier]
        lane.offered += cost
        free_at, waiting = self._free_at, self.waiting
        ahead_s = free_at - now if free_at > now else 0.0
        if waiting:
            work = lane.work
            for before in lane.before:
                work += before.work
            ahead_s += work * self._second_per_work
        elif free_at < now:
            free_at = now  # idle, or its owner is late with `finish`: nothing is served before it was offered
        if ahead_s > self._queue_s or (lane.drop_probability and self._rng.random() < lane.drop_probability):
            work = self._rejection_cost * cost
            self.rejection_work += work
            self._free_at = free_at + work * self._second_per_work
            return False
        if self.next_finish is not None:
            self._free_at = free_at
            lane.queue.append((cost, job))
            lane.work += cost
            self.waiting = waiting + 1
        else:
            self._in_service = job
            self._free_at = self.next_finish = finish_s = free_at + cost * self._second_per_work
            begins = self.begins  # called as a method it would be looked for in the class first, each time
            begins(finish_s)
        return True

    def finish(self, now: float) -> Job:
        """Takes out the job that is done and starts the next: highest tier first, then in order of arrival.

        The next one starts where this one ended even if the owner is late, so that lateness costs no capacity.
        """
        job: Job = self._in_service
        if self.next_finish is None or now < self.next_finish:
            raise ValueError(f"no job is done at {now}")
        if not self.waiting:
            self._in_service = self.next_finish = None
            return job
        self.waiting -= 1
        for lane in self._lanes:
            queue = lane.queue
            if queue:
                break
        cost, self._in_service = queue.popleft()
        # an empty queue holds exactly no work: rounding must not add up over millions of jobs
        lane.work = lane.work - cost if queue else 0.0
        self._free_at = self.next_finish = finish_s = self._free_at + cost * self._second_per_work
        begins = self.begins
        begins(finish_s)
        return job

    def order_by(self, tiers: int) -> None:
        """Another order from now on (1: none). What waits already keeps its order, ahead of what comes."""
        waiting = deque(job for lane in self._lanes for job in lane.queue)
        self._offered_before = self.offered_work
        self.ordered = tiers > 1
        self._lanes = _lanes(tiers)
        self._lanes[0].queue = waiting
        self._lanes[0].work = sum(work for work, _ in waiting)

    def take_capacity(self, capacity: float) -> None:
        """It can do so much from now on: processing units are lost or come back. The job in service keeps its time."""
        if capacity <= 0:
            raise ValueError(f"a server needs a capacity, not {capacity}")
        ratio = capacity / self.capacity
        self.capacity = capacity
        self._second_per_work = 1.0 / capacity
        self._limit *= ratio

    def lose_work(self, now: float) -> None:
        """What it was at and what waits is gone, and what it counted of its load: it is down, or starts again."""
        self._offered_before = self.offered_work
        self._lanes = _lanes(len(self._lanes))
        self.waiting = 0
        self._in_service = self.next_finish = None
        self._free_at = min(self._free_at, now)

    def _begin_period(self, now: float) -> None:
        """Sets the drop probabilities from the load of the period before; after an idle one they are zero."""
        lanes = self._lanes
        if now - self._period_ends >= self.period_s:
            probabilities = [0.0] * len(lanes)
        else:
            probabilities = drop_probabilities([lane.offered / self.period_s for lane in lanes], self._limit)
        self._offered_before = self.offered_work
        for lane, probability in zip(lanes, probabilities, strict=True):
            lane.offered = 0.0
            lane.drop_probability = probability
        self._period_ends = (floor(now / self.period_s) + 1) * self.period_s


def _lanes(tiers: int) -> list[_Lane[Any]]:
    lanes: list[_Lane[Any]] = []
    for _ in range(tiers):
        lanes.append(_Lane(tuple(lanes)))
    return lanes


def _nobody_listens(finish_s: float) -> None:
    pass


def drop_probabilities(offered: list[float], limit: float) -> list[float]:
    """For each tier, the share to be shed so that `limit` is left of what was offered; the lowest tier pays first."""
    room = limit
    probabilities = []
    for load in offered:
        probabilities.append(0.0 if load <= room else 1.0 - room / load)
        room = max(0.0, room - load)
    return probabilities
