"""Seating a whole population at once, in a process that runs one storm and no web page."""

import gevent
from locust.env import Environment
from locust.runners import LocalRunner

from regstorm.drivers.people import Seats
from regstorm.locust.parked import OnlineUe, OutageUe, ParkedUe
from regstorm.records.population import Population


class Seating:
    """Gives every parked user its UE, in the order in which Locust makes them."""

    def __init__(self, seats: Seats) -> None:
        self._seats = seats

    def admit(self, user: ParkedUe) -> None:
        """The next UE of its group."""
        user.ue = self._seats.take_online() if isinstance(user, OnlineUe) else self._seats.take_outage()

    def release(self, user: ParkedUe) -> None:
        """The UE stays in the storm, without its user."""
        user.ue = None


def everybody_seated(environment: Environment, population: Population) -> LocalRunner:
    """A runner whose users are the whole population; a hub has been attached."""
    gevent.config.track_greenlet_tree = False  # a greenlet for each UE would remember who made it, 0.7 KiB for each
    OutageUe.fixed_count, OnlineUe.fixed_count = population.outage_ues, population.online_ues
    ues = population.outage_ues + population.online_ues
    runner = environment.create_local_runner()
    runner.start(ues, spawn_rate=ues)
    runner.spawning_greenlet.join()
    if runner.user_count != ues:
        raise RuntimeError(f"Locust has {runner.user_count} users of {ues}")
    return runner
