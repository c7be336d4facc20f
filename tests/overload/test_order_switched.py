"""A server whose order changes while jobs wait: nobody is lost, and nobody who waits is overtaken."""

from random import Random

from regstorm.overload.protected_server import ProtectedServer
from regstorm.records.core_settings import Shedding

ENDLESS_QUEUE = Shedding(queue_s=1e9, load_limit=1.0, period_s=1e9)


def drained(server):
    done = []
    while server.next_finish is not None:
        done.append(server.finish(server.next_finish))
    return done


def test_what_waits_without_order_goes_before_a_higher_tier_that_comes_after_the_switch():
    server = ProtectedServer(10.0, ENDLESS_QUEUE, Random(1))
    for job in ("a", "b", "c"):
        server.offer(0.0, 0, 1.0, job)
    server.order_by(3)
    server.offer(0.0, 2, 1.0, "low")
    server.offer(0.0, 1, 1.0, "high")
    assert server.ordered
    assert drained(server) == ["a", "b", "c", "high", "low"]


def test_what_waits_by_tiers_keeps_that_order_when_tiers_are_given_up():
    server = ProtectedServer(10.0, ENDLESS_QUEUE, Random(1), ordered_tiers=3)
    for job, tier in (("in service", 0), ("low", 2), ("middle", 1), ("high", 0)):
        server.offer(0.0, tier, 1.0, job)
    server.order_by(1)
    server.offer(0.0, 0, 1.0, "newcomer")
    assert not server.ordered
    assert drained(server) == ["in service", "high", "middle", "low", "newcomer"]
    assert server.waiting == 0


def test_the_bound_of_the_queue_counts_what_waited_before_the_switch():
    server = ProtectedServer(10.0, Shedding(queue_s=1.0, load_limit=1.0, period_s=1e9), Random(1))
    accepted = sum(server.offer(0.0, 0, 1.0, number) for number in range(20))
    assert accepted == 11  # one in service, and a second of work
    server.order_by(2)
    assert not server.offer(0.0, 1, 1.0, "newcomer")
