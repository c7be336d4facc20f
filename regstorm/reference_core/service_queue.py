"""A protected server and the agenda that tells it when a job is done."""

from collections.abc import Callable

from regstorm.overload.protected_server import ProtectedServer
from regstorm.records.ports import Agenda, Due

Job = Callable[[float], None]


class ServiceQueue:
    """Does each job when its work is finished, in the order of the server; what is shed is never done."""

    def __init__(self, server: ProtectedServer[Job], agenda: Agenda) -> None:
        self.server = server
        self._agenda = agenda
        self._finish_due: Due | None = None
        server.begins = self._await_finish

    def offer(self, now: float, tier: int, cost: float, job: Job) -> bool:
        """False: shed. True: `job(now)` is called when the server is done with it, later than this call."""
        return self.server.offer(now, tier, cost, job)

    def _await_finish(self, due_s: float) -> None:
        self._finish_due = self._agenda.at(due_s, self._finish)

    def lose_work(self, now: float) -> None:
        """The server is down: what it was at and what waits is never done."""
        self.server.lose_work(now)
        if self._finish_due is not None:
            self._finish_due.cancel()
            self._finish_due = None

    def _finish(self, now: float) -> None:
        self._finish_due = None
        job = self.server.finish(now)
        job(now)
