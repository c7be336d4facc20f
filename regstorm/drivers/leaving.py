"""Leaving a core that is not ours as it was found: everybody deregisters, one after the other."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol, TypeVar

from regstorm.drivers.paced import PacedClock

TRY_AGAIN_AFTER_S: Final = 0.2
"""Whoever is busy with another attempt leaves after it."""


class Leaver(Protocol):
    """A UE, or a phone."""

    def deregister(self, now: float) -> bool:
        """False if it may not begin now."""


User = TypeVar("User", bound=Leaver)


def leave(
    clock: PacedClock, users: Sequence[User], per_s: float, is_there: Callable[[User], bool], guard_s: float
) -> None:
    """Returns when nobody is there any more, or `guard_s` after the last one was to go."""
    began_s = clock.time_s
    for number, user in enumerate(users):
        clock.at(began_s + number / per_s, partial(_go, clock, user, is_there))
    last_s = began_s + len(users) / per_s
    clock.run(last_s + guard_s, lambda: clock.time_s >= last_s and not any(is_there(user) for user in users))


def _go(clock: PacedClock, user: User, is_there: Callable[[User], bool], now: float) -> None:
    if not user.deregister(now) and is_there(user):
        clock.at(now + TRY_AGAIN_AFTER_S, partial(_go, clock, user, is_there))
