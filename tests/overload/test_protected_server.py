from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.overload.protected_server import ProtectedServer, drop_probabilities
from regstorm.records.core_settings import Shedding

ENDLESS_QUEUE = Shedding(queue_s=1e9, load_limit=1.0, period_s=1e9)
TAIL_DROP = Shedding(queue_s=1.0, rejection_cost=0.25, load_limit=1.0, period_s=1e9)


def server(capacity=10.0, shedding=ENDLESS_QUEUE, tiers=1, seed=1):
    return ProtectedServer(capacity, shedding, Random(seed), ordered_tiers=tiers)


def finish_until(server, now):
    """What the owner does: takes out what is done, when it is done."""
    done = []
    while server.next_finish is not None and server.next_finish <= now:
        at = server.next_finish
        done.append((at, server.finish(at)))
    return done


def run(server, offers):
    """Offers `(at, tier, cost)` in order of time; what finished when, and the numbers of the shed."""
    done, shed = [], []
    for number, (at, tier, cost) in enumerate(offers):
        done += finish_until(server, at)
        if not server.offer(at, tier, cost, number):
            shed.append(number)
    return done + finish_until(server, float("inf")), shed


def poisson(rate, seconds, tiers=(0,), seed=1):
    rng, at, offers = Random(seed), 0.0, []
    while (at := at + rng.expovariate(rate)) < seconds:
        offers.append((at, rng.choice(tiers), 1.0))
    return offers


def test_a_job_is_done_after_its_work():
    one = server(capacity=10)
    assert one.offer(5.0, 0, 2.0, "registration")
    assert one.next_finish == pytest.approx(5.2)
    assert one.finish(5.2) == "registration"
    assert one.next_finish is None


def test_it_says_when_each_job_will_be_done_as_it_begins_with_it():
    one, told = server(capacity=10), []
    one.begins = told.append
    one.offer(0.0, 0, 1.0, "first")
    one.offer(0.05, 0, 2.0, "second")
    assert told == pytest.approx([0.1])
    one.finish(one.next_finish)
    assert told == pytest.approx([0.1, 0.3])
    one.finish(one.next_finish)
    assert len(told) == 2


def test_not_ordered_it_serves_in_order_of_arrival_whatever_the_tier():
    done, _ = run(server(), [(0.0, 3, 1.0), (0.0, 2, 1.0), (0.0, 0, 1.0)])
    assert [job for _, job in done] == [0, 1, 2]


def test_ordered_it_serves_higher_tiers_first_and_never_interrupts():
    done, _ = run(server(tiers=4), [(0.0, 3, 1.0), (0.0, 3, 1.0), (0.0, 1, 1.0), (0.0, 0, 1.0), (0.0, 1, 1.0)])
    assert [job for _, job in done] == [0, 3, 2, 4, 1]


def test_a_newcomer_that_would_wait_longer_than_the_queue_is_shed():
    """10 pairs/s and one second of queue: one in service, ten ahead of the last that gets in."""
    _, shed = run(server(capacity=10, shedding=TAIL_DROP), [(0.0, 0, 1.0)] * 15)
    assert shed == [11, 12, 13, 14]


def test_ordered_a_newcomer_waits_only_for_its_own_tier_and_those_above():
    full_below = [(0.0, 1, 1.0)] * 11
    _, shed = run(server(shedding=TAIL_DROP, tiers=2), [*full_below, (0.0, 1, 1.0), (0.0, 0, 1.0)])
    assert shed == [11]


def test_a_rejection_is_done_ahead_of_the_queue_and_delays_it():
    offers = [(0.0, 0, 1.0)] * 11
    undisturbed, _ = run(server(shedding=TAIL_DROP), offers)
    delayed, shed = run(server(shedding=TAIL_DROP), [*offers, (0.01, 0, 1.0), (0.01, 0, 1.0)])
    assert len(shed) == 2
    assert delayed[0] == undisturbed[0]  # in service: never interrupted
    late = [b[0] - a[0] for a, b in zip(undisturbed[1:], delayed[1:], strict=True)]
    assert late == pytest.approx([2 * 0.25 / 10] * 10)


def test_a_server_that_has_only_refused_is_busy_with_refusing():
    shedding = Shedding(queue_s=0.5, rejection_cost=0.5, period_s=1e9)
    one = server(capacity=1, shedding=shedding)
    assert one.offer(0.0, 0, 1.0, "served")
    assert not one.offer(0.0, 0, 1.0, "shed")
    one.finish(1.0)
    assert one.offer(1.2, 0, 1.0, "next")
    assert one.next_finish == pytest.approx(2.5)


def test_above_its_limit_it_sheds_the_excess_of_the_period_before():
    one = server(capacity=100, shedding=Shedding(load_limit=0.9, queue_s=1000, rejection_cost=0))
    first, second = [(i / 200, 0, 1.0) for i in range(200)], [(1 + i / 2000, 0, 1.0) for i in range(2000)]
    _, shed = run(one, first + second)
    assert not [number for number in shed if number < 200]
    assert len(shed) / 2000 == pytest.approx(1 - 90 / 200, abs=0.04)


def test_after_an_idle_period_it_sheds_nothing():
    one = server(capacity=100, shedding=Shedding(load_limit=0.9, queue_s=1000))
    _, shed = run(one, [(i / 1000, 0, 1.0) for i in range(1000)] + [(2.5 + i / 1000, 0, 1.0) for i in range(500)])
    assert shed == []


def test_not_ordered_it_sheds_any_message_alike():
    offers = poisson(rate=2000, seconds=5, tiers=(0, 1, 2))
    _, shed = run(server(capacity=1000, shedding=Shedding()), offers)
    shares = [
        sum(offers[number][1] == tier for number in shed) / sum(one[1] == tier for one in offers) for tier in range(3)
    ]
    assert min(shares) > 0.4
    assert max(shares) - min(shares) < 0.05


def test_ordered_it_sheds_the_lowest_tier_first():
    offers = poisson(rate=1200, seconds=5, tiers=(0, 1, 2))
    # tiers 0 and 1 are 800 pairs/s together, below the limit of 900
    _, shed = run(server(capacity=1000, shedding=Shedding(), tiers=3), offers)
    assert shed
    assert {offers[number][1] for number in shed} == {2}


@pytest.mark.parametrize(
    ("offered", "expected"),
    [
        ([50, 30, 10], [0, 0, 0]),
        ([50, 30, 20], [0, 0, 0.5]),
        ([50, 80, 20], [0, 0.5, 1]),
        ([180, 0, 20], [0.5, 0, 1]),
        ([120], [0.25]),
    ],
)
def test_the_lowest_tier_pays_first_for_what_is_above_the_limit(offered, expected):
    assert drop_probabilities(offered, limit=90) == pytest.approx(expected)


def test_an_owner_that_is_late_costs_no_capacity_and_serves_nothing_before_it_was_offered():
    one = server(capacity=10)
    for job in "abc":
        one.offer(0.0, 0, 1.0, job)
    one.finish(0.35)
    assert one.next_finish == pytest.approx(0.2)
    assert [one.finish(0.35), one.finish(0.35)] == ["b", "c"]
    one.offer(1.0, 0, 1.0, "d")
    one.offer(2.0, 0, 1.0, "e")
    one.finish(2.0)
    assert one.next_finish == pytest.approx(2.1)


def test_taking_out_a_job_that_is_not_done_is_a_mistake():
    one = server()
    with pytest.raises(ValueError, match="no job"):
        one.finish(0.0)
    one.offer(0.0, 0, 1.0, "a")
    with pytest.raises(ValueError, match="no job"):
        one.finish(0.05)


class VirtualFinishTime:
    """The same server in O(1), without a queue: what is known of it is when it will be done with all it has."""

    def __init__(self, capacity, shedding, seed):
        self.capacity, self.shedding, self.rng = capacity, shedding, Random(seed)
        self.done_at = self.offered = self.drop_probability = 0.0
        self.period = 0

    def offer(self, now, cost):
        """When the job will be done, None if it is shed."""
        while self.period < int(now / self.shedding.period_s):
            limit = self.shedding.load_limit * self.capacity * self.shedding.period_s
            self.drop_probability = max(0.0, 1 - limit / self.offered) if self.offered else 0.0
            self.offered, self.period = 0.0, self.period + 1
        self.offered += cost
        self.done_at = max(self.done_at, now)
        too_long = self.done_at - now > self.shedding.queue_s
        if too_long or (self.drop_probability and self.rng.random() < self.drop_probability):
            self.done_at += self.shedding.rejection_cost * cost / self.capacity
            return None
        self.done_at += cost / self.capacity
        return self.done_at


def varied_traffic(seed, load):
    """Stretches of calm, storm and silence, some seconds each; costs vary."""
    rng, at, offers = Random(seed), 0.0, []
    for _ in range(12):
        rate, until = rng.choice((0.5, 1.0, load)) * 100, at + rng.uniform(0.3, 4)
        while (at := at + rng.expovariate(rate)) < until:
            offers.append((at, rng.randrange(4), rng.choice((0.5, 1.0, 1.5))))
        at += rng.choice((0.0, 0.0, 2.7))
    return offers


def test_it_says_how_many_wait_behind_the_job_in_service():
    one = server(tiers=4)
    for tier in (3, 0, 2):
        one.offer(0.0, tier, 1.0, tier)
    assert one.waiting == 2
    finish_until(one, 0.25)
    assert one.waiting == 0


@pytest.mark.parametrize(("capacity", "tiers"), [(0, 1), (-1, 1), (1, 0)])
def test_a_server_without_capacity_or_tiers_is_a_mistake(capacity, tiers):
    with pytest.raises(ValueError, match="at least one tier"):
        server(capacity=capacity, tiers=tiers)


def test_nothing_shed_it_finishes_as_a_server_known_by_its_virtual_finish_time():
    offers = varied_traffic(seed=3, load=0.9)
    reference = VirtualFinishTime(100, ENDLESS_QUEUE, seed=1)
    done, shed = run(server(capacity=100), offers)
    assert shed == []
    assert [job for _, job in done] == list(range(len(offers)))
    assert [at for at, _ in done] == pytest.approx([reference.offer(at, cost) for at, _, cost in offers])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shedding", [Shedding(), Shedding(rejection_cost=0.5, queue_s=3.0)])
def test_not_ordered_it_sheds_the_same_jobs_as_a_server_known_by_its_virtual_finish_time(seed, shedding):
    offers = varied_traffic(seed, load=2.5)
    reference = VirtualFinishTime(100, shedding, seed)
    _, shed = run(server(capacity=100, shedding=shedding, seed=seed), offers)
    assert shed == [number for number, (at, _, cost) in enumerate(offers) if reference.offer(at, cost) is None]
    assert len(shed) > 20


traffic = st.lists(
    st.tuples(st.floats(0, 0.4), st.integers(0, 3), st.sampled_from([0.5, 1.0, 2.5])), min_size=1, max_size=120
)


def alone_when_chosen(job, chosen_s, offers, done):
    """No other job waited when the server began with this one, and nothing was offered in the very same moment."""
    finished = {one: at for at, one in done}
    others = [(number, at) for number, (at, _, _) in enumerate(offers) if number != job]
    waits = any(at < chosen_s and finished.get(number, 0.0) > chosen_s + 1e-9 for number, at in others)
    return not waits and all(abs(at - chosen_s) > 1e-9 for _, at in others)


def free_again(numbers, offers, work, capacity):
    """When a server that never rests while there is work is done with these, in whatever order it takes them."""
    free_at = 0.0
    for number in numbers:
        free_at = max(free_at, offers[number][0]) + work[number] / capacity
    return free_at


@settings(max_examples=60)
@given(traffic, st.sampled_from([1, 4]), st.sampled_from([0.0, 0.25, 1.0]))
def test_work_is_conserved_and_never_done_above_capacity(gaps, tiers, rejection_cost):
    shedding = Shedding(queue_s=0.5, load_limit=0.8, rejection_cost=rejection_cost)
    one = server(capacity=5.0, shedding=shedding, tiers=tiers)
    at, offers = 0.0, []
    for gap, tier, cost in gaps:
        at += gap
        offers.append((at, tier, cost))
    done, shed = run(one, offers)
    assert sorted([job for _, job in done] + shed) == list(range(len(offers)))
    assert one.offered_work == pytest.approx(sum(cost for _, _, cost in offers))
    assert one.rejection_work == pytest.approx(rejection_cost * sum(offers[job][2] for job in shed))
    work = {number: rejection_cost * cost for number, (_, _, cost) in enumerate(offers)}
    work |= {job: offers[job][2] for _, job in done}
    for (before_s, _), (finished_s, job) in pairwise([(0.0, None), *done]):
        chosen_s = max(before_s, offers[job][0])
        if alone_when_chosen(job, chosen_s, offers, done):
            before = [number for number, (at, _, _) in enumerate(offers) if at < chosen_s or number == job]
            assert finished_s == pytest.approx(free_again(before, offers, work, 5.0))
    for finished, job in done:
        assert finished >= offers[job][0] + offers[job][2] / 5.0 - 1e-9
    for (before, _), (finished, job) in pairwise(done):
        assert finished - before >= offers[job][2] / 5.0 - 1e-9


def test_a_server_that_loses_half_of_its_units_takes_twice_as_long_from_then_on():
    one = server(capacity=10, shedding=TAIL_DROP)
    for number in range(5):
        one.offer(0.0, 0, 1.0, number)
    assert [at for at, _ in finish_until(one, 0.2)] == pytest.approx([0.1, 0.2])
    one.take_capacity(5)
    assert one.capacity == 5
    assert [at for at, _ in finish_until(one, 1.0)] == pytest.approx([0.3, 0.5, 0.7])  # one was in service already
    accepted = [one.offer(0.7, 0, 1.0, number) for number in range(10)]
    assert accepted.count(True) == 6  # one in service, and a second of work in the queue
    with pytest.raises(ValueError, match="a capacity, not 0"):
        one.take_capacity(0)


def test_random_shedding_begins_at_the_limit_of_what_is_left():
    shedding = Shedding(queue_s=100, load_limit=0.5, period_s=1)
    one = server(capacity=100, shedding=shedding)
    one.take_capacity(50)
    for number in range(50):
        assert one.offer(0.0, 0, 1.0, number)
    shed = sum(not one.offer(1.0, 0, 1.0, number) for number in range(50))
    assert 15 <= shed <= 35  # 25 of the 50 were above half of 50
