"""What a server reports of its load, and does, when processing units are lost."""

from random import Random

import pytest

from regstorm.overload.load_meter import LoadMeter
from regstorm.overload.protected_server import ProtectedServer
from regstorm.records.core_settings import Shedding

PATIENT = Shedding(queue_s=100.0, load_limit=1.0, period_s=1e9)


def test_load_is_a_share_of_the_capacity_that_is_left():
    server = ProtectedServer(10.0, PATIENT, Random(1))
    meter = LoadMeter(server)
    for number in range(10):
        server.offer(0.0, 0, 1.0, number)
    assert meter() == pytest.approx(1.0)

    server.take_capacity(5.0)
    for number in range(10):
        server.offer(1.0, 0, 1.0, number)
    assert meter() == pytest.approx(2.0)


def test_a_meter_knows_nothing_of_what_was_asked_for_before_it_was_there():
    server = ProtectedServer(10.0, PATIENT, Random(1))
    for number in range(1000):
        server.offer(0.0, 0, 1.0, number)

    meter = LoadMeter(server)

    assert meter() == 0
    server.offer(1.0, 0, 5.0, "later")
    assert meter() == pytest.approx(0.5)


@pytest.mark.parametrize("tiers", [1, 3])
def test_a_server_that_goes_down_forgets_its_work_and_serves_at_once_when_it_is_back(tiers):
    server = ProtectedServer(1.0, PATIENT, Random(1), ordered_tiers=tiers)
    for number in range(5):
        server.offer(0.0, 0, 1.0, number)

    server.lose_work(2.5)

    assert (server.next_finish, server.waiting) == (None, 0)
    assert server.offer(3.0, 0, 1.0, "later")
    assert server.next_finish == 4.0
    assert server.finish(4.0) == "later"
