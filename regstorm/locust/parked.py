"""Parked users: one Locust user is one UE, without a running greenlet.

Locust decides how many UEs exist (its runner, its dispatcher, its counts); it must not decide when they send, because
it spawns in one-second lumps, and a running greenlet costs 10 KiB and 50 µs for each UE. So a user's greenlet is
created, put into Locust's group and never started: a seat. What the UE does is driven by the hub that owns the clock.

This module is the only one that relies on how Locust's runner treats `User.start`, `User.stop` and its group;
tests/locust/test_parked_users.py holds it to that.
"""

from typing import Any, Protocol

from gevent import Greenlet
from gevent.pool import Group
from locust import User
from locust.env import Environment


class Hub(Protocol):
    """Who drives the UEs of one process."""

    def admit(self, user: "ParkedUe") -> None:
        """Locust has made `user`: give it a UE."""

    def release(self, user: "ParkedUe") -> None:
        """Locust takes `user` away."""


_HUBS: dict[int, Hub] = {}


def attach_hub(environment: Environment, hub: Hub) -> None:
    """Names the hub that drives the parked users of `environment`; before its runner spawns."""
    _HUBS[id(environment)] = hub


def detach_hub(environment: Environment) -> None:
    """Forgets the hub of `environment`."""
    _HUBS.pop(id(environment), None)


def _nothing(_user: User) -> None:
    """What a parked greenlet would run if anybody started it; Locust wants every user to have a task."""


class _Seat(Greenlet):
    """A greenlet that nobody starts. What it would run is the class's: handed in, it takes a dictionary for each UE."""

    __slots__ = ()

    def _run(self, user: User) -> None:
        _nothing(user)


class ParkedUe(User):
    """A seat for one UE in Locust's population."""

    abstract = True
    tasks = [_nothing]  # noqa: RUF012, Locust's own declaration
    host = "the bundled core, or the target of the storm"
    """What Locust shows as the host under test."""
    ue: Any = None
    """The machine that sits here, set by the hub."""
    seated = False

    def start(self, group: Group) -> Greenlet:
        """A greenlet in Locust's group that is never started, and a UE from the hub."""
        self._group = group
        self._greenlet = _Seat(None, self)
        group.add(self._greenlet)
        self._state = "running"
        self.seated = True
        _HUBS[id(self.environment)].admit(self)
        return self._greenlet

    def stop(self, force: bool = False) -> bool:
        """Leaves at once: there is no task to finish."""
        if self.seated:
            self.seated = False
            hub = _HUBS.get(id(self.environment))
            if hub is not None:
                hub.release(self)
            self._group.killone(self._greenlet, block=False)
        return True


class OutageUe(ParkedUe):
    """A UE of the outage group: its cell goes away, and it wants back in."""


class OnlineUe(ParkedUe):
    """A UE that is in service all the while."""
