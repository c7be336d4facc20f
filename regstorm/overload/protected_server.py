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
from math import floor
from random import Random
from typing import Generic, TypeVar

from regstorm.records.scenario import Shedding

Job = TypeVar("Job")


class ProtectedServer(Generic[Job]):
    """A single server, exact and event-driven. The owner calls `finish` when `next_finish` has come.

    `now` never decreases over all calls; work is in the unit of `capacity` (for a UDM: pairs).
    """

    __slots__ = (
        "_drop_probability",
        "_finishes",
        "_free_at",
        "_in_service",
        "_limit",
        "_offered_in_period",
        "_period_ends",
        "_queue_s",
        "_queued_work",
        "_queues",
        "_rejection_cost",
        "_rng",
        "_second_per_work",
        "_started_work",
        "_waiting",
        "capacity",
        "offered",
        "offered_work",
        "period_s",
        "rejection_work",
        "served",
        "served_work",
        "shed",
        "shed_work",
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

        self._queues: tuple[deque[tuple[float, Job]], ...] = tuple(deque() for _ in range(ordered_tiers))
        self._queued_work = [0.0] * ordered_tiers
        self._waiting = 0
        self._in_service: tuple[float, Job] | None = None
        self._finishes = 0.0
        """When the job in service is done."""
        self._free_at = 0.0
        """When the server is done with the job in service and with all rejections so far."""

        self._offered_in_period = [0.0] * ordered_tiers
        self._drop_probability = [0.0] * ordered_tiers
        self._period_ends = self.period_s

        self.offered = self.served = self.shed = 0
        """Jobs."""
        self.offered_work = self.served_work = self.shed_work = 0.0
        self.rejection_work = 0.0
        self._started_work = 0.0

    @property
    def ordered(self) -> bool:
        """Higher tiers go first."""
        return len(self._queues) > 1

    @property
    def next_finish(self) -> float | None:
        """When the job in service is done; None: no job is there. Stands until `finish` has been called."""
        return None if self._in_service is None else self._finishes

    @property
    def waiting(self) -> int:
        """Jobs in the queues, without the one in service."""
        return self._waiting

    def busy_s(self, now: float) -> float:
        """Seconds that the server has worked until `now`, on jobs and on rejections."""
        ahead_s = self._free_at - now
        return self._started_work * self._second_per_work - (ahead_s if ahead_s > 0 else 0.0)

    def offer(self, now: float, tier: int, cost: float, job: Job) -> bool:
        """True: `job` is served or waits; False: it is shed, and the rejection has taken its work."""
        if now >= self._period_ends:
            self._begin_period(now)
        if len(self._queues) == 1:
            tier = 0
        self.offered += 1
        self.offered_work += cost
        self._offered_in_period[tier] += cost
        if self._sheds(now, tier):
            self._reject(now, cost)
            return False
        if self._in_service is None:
            self._serve(now, (cost, job))
        else:
            if self._free_at < now and not self._waiting:
                self._free_at = now  # the owner is late with `finish`: nothing is served before it was offered
            self._queues[tier].append((cost, job))
            self._queued_work[tier] += cost
            self._waiting += 1
        return True

    def finish(self, now: float) -> Job:
        """Takes out the job that is done and starts the next: highest tier first, then in order of arrival.

        The next one starts where this one ended even if the owner is late, so that lateness costs no capacity.
        """
        if self._in_service is None or now < self._finishes:
            raise ValueError(f"no job is done at {now}")
        cost, job = self._in_service
        self.served += 1
        self.served_work += cost
        self._in_service = None
        if self._waiting:
            self._serve(self._free_at, self._next_job())
        return job

    def order_by(self, tiers: int) -> None:
        """Another order from now on (1: none). What waits already keeps its order, ahead of what comes."""
        waiting = deque(job for queue in self._queues for job in queue)
        self._queues = (waiting, *(deque() for _ in range(tiers - 1)))
        self._queued_work = [sum(work for work, _ in waiting), *[0.0] * (tiers - 1)]
        self._offered_in_period = [0.0] * tiers
        self._drop_probability = [0.0] * tiers

    def take_capacity(self, capacity: float) -> None:
        """It can do so much from now on: processing units are lost or come back. The job in service keeps its time."""
        if capacity <= 0:
            raise ValueError(f"a server needs a capacity, not {capacity}")
        ratio = capacity / self.capacity
        self.capacity = capacity
        self._second_per_work = 1.0 / capacity
        self._limit *= ratio
        self._started_work *= ratio  # so that the seconds worked so far stay what they were

    def lose_work(self, now: float) -> None:
        """What it was at and what waits is gone, and what it counted of its load: it is down, or starts again."""
        for queue in self._queues:
            queue.clear()
        tiers = len(self._queues)
        self._queued_work, self._offered_in_period, self._drop_probability = ([0.0] * tiers for _ in range(3))
        self._waiting = 0
        self._in_service = None
        ahead_s = max(0.0, self._free_at - now)
        self._started_work -= ahead_s * self.capacity
        self._free_at = min(self._free_at, now)

    def _sheds(self, now: float, tier: int) -> bool:
        ahead_s = self._free_at - now if self._free_at > now else 0.0
        if self._waiting:
            ahead_s += sum(self._queued_work[: tier + 1]) * self._second_per_work
        if ahead_s > self._queue_s:
            return True
        probability = self._drop_probability[tier]
        return probability > 0.0 and self._rng.random() < probability

    def _reject(self, now: float, cost: float) -> None:
        work = self._rejection_cost * cost
        self.shed += 1
        self.shed_work += cost
        self.rejection_work += work
        self._work_on(now, work)

    def _serve(self, now: float, job: tuple[float, Job]) -> None:
        self._in_service = job
        self._work_on(now, job[0])
        self._finishes = self._free_at

    def _work_on(self, now: float, work: float) -> None:
        """Puts `work` behind what the server is at; an idle server begins now."""
        self._started_work += work
        idle = self._free_at < now and not self._waiting
        self._free_at = (now if idle else self._free_at) + work * self._second_per_work

    def _next_job(self) -> tuple[float, Job]:
        tier = next(tier for tier, queue in enumerate(self._queues) if queue)
        queue = self._queues[tier]
        job = queue.popleft()
        self._waiting -= 1
        # an empty queue holds exactly no work: rounding must not add up over millions of jobs
        self._queued_work[tier] = self._queued_work[tier] - job[0] if queue else 0.0
        return job

    def _begin_period(self, now: float) -> None:
        """Sets the drop probabilities from the load of the period before; after an idle one they are zero."""
        idle_s = now - self._period_ends
        if idle_s >= self.period_s:
            self._drop_probability = [0.0] * len(self._queues)
        else:
            offered = [work / self.period_s for work in self._offered_in_period]
            self._drop_probability = drop_probabilities(offered, self._limit)
        self._offered_in_period = [0.0] * len(self._queues)
        self._period_ends = (floor(now / self.period_s) + 1) * self.period_s


def drop_probabilities(offered: list[float], limit: float) -> list[float]:
    """For each tier, the share to be shed so that `limit` is left of what was offered; the lowest tier pays first."""
    room = limit
    probabilities = []
    for load in offered:
        probabilities.append(0.0 if load <= room else 1.0 - room / load)
        room = max(0.0, room - load)
    return probabilities
