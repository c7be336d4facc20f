"""The running timers of one UE, by name, in an agenda."""

from collections.abc import Callable

from regstorm.records.ports import Agenda, Due


class TimerSet:
    """Starts, restarts and stops; a timer that expired is no longer running when its action is called."""

    __slots__ = ("_agenda", "_due")

    def __init__(self, agenda: Agenda) -> None:
        self._agenda = agenda
        self._due: dict[str, Due] = {}

    def start(self, name: str, due_s: float, action: Callable[[float], None]) -> None:
        """(Re)starts: `action(now)` at `due_s`."""
        running = self._due.get(name)
        if running is not None:
            running.cancel()

        self._due[name] = self._agenda.at(due_s, _Expiry(self._due, name, action))

    def stop(self, *names: str) -> None:
        """Stops those that run."""
        for name in names:
            due = self._due.pop(name, None)
            if due is not None:
                due.cancel()

    def runs(self, name: str) -> bool:
        """The timer was started and has neither expired nor been stopped."""
        return name in self._due

    @property
    def running(self) -> tuple[str, ...]:
        """Names of the timers that run, oldest first."""
        return tuple(self._due)


class _Expiry:
    """What the agenda calls. An object, not a closure: every UE has a timer or two all the time, and this is 150 octets
    less for each."""

    __slots__ = ("_action", "_due", "_name")

    def __init__(self, due: dict[str, Due], name: str, action: Callable[[float], None]) -> None:
        self._due = due
        self._name = name
        self._action = action

    def __call__(self, now: float) -> None:
        del self._due[self._name]
        self._action(now)
