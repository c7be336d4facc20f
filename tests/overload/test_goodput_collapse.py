"""A server that sheds at random against a chain of messages: goodput collapses as the closed form says."""

from heapq import heappop, heappush
from random import Random

import pytest

from regstorm.measures.goodput import closed_form
from regstorm.overload.protected_server import ProtectedServer
from regstorm.records.core_settings import Shedding

K = 25
CAPACITY = 2000.0
"""Messages per second."""


def goodput(x: float, warm_up_s: float, until_s: float) -> float:
    """Measured: chains begin at random, each message follows the answer to the one before."""
    rng = Random(1)
    shedding = Shedding(rejection_cost=0, queue_s=1e6, load_limit=1.0, period_s=0.2)
    server: ProtectedServer[int] = ProtectedServer(CAPACITY, shedding, rng)
    offers = [(0.0, 0, 0)]
    number = finished = 0
    finish_s = None
    while True:
        if finish_s is not None and finish_s <= offers[0][0]:
            done = server.finish(finish_s)
            if done == K - 1:
                finished += finish_s > warm_up_s
            else:
                number += 1
                heappush(offers, (finish_s, number, done + 1))
        else:
            now, _, position = heappop(offers)
            if now > until_s:
                return finished / (until_s - warm_up_s) / (CAPACITY / K)
            if position == 0:
                number += 1
                heappush(offers, (now + rng.expovariate(x * CAPACITY / K), number, 0))
            server.offer(now, 0, 1.0, position)
        finish_s = server.next_finish


@pytest.mark.parametrize(("x", "expected"), [(1.2, 0.84), (1.5, 0.65), (2.0, 0.44), (3.0, 0.21), (5.0, 0.055)])
def test_the_closed_form_itself(x, expected):
    assert closed_form(x, K) == pytest.approx(expected, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("x", [1.2, 1.5, 2.0, 3.0])
def test_goodput_collapses_as_the_closed_form_says(x):
    assert goodput(x, warm_up_s=10, until_s=210) == pytest.approx(closed_form(x, K), rel=0.05)
