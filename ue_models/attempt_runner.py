"""Drives one attempt of a procedure: feeds it events, performs its steps, notices its end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from ue_models.procedures.steps import RECEIVE, Attempt, ConnectionLost, Event, Result, Step


@dataclass(slots=True)
class Running(Generic[Result]):
    """An attempt under way. `connection_refused`: its initial message found no connection."""

    procedure: str
    attempt: Attempt[Result]
    started: float
    connection_refused: bool = False

    def begin(self, perform: Callable[[Step], None]) -> Result | None:
        """Runs to the first wait; how it ended if it ended already."""
        return self._run(None, perform)

    def take(self, event: Event, perform: Callable[[Step], None]) -> Result | None:
        """Gives it an event; how it ended if that ended it."""
        return self._run(event, perform)

    def _run(self, event: Event | None, perform: Callable[[Step], None]) -> Result | None:
        attempt = self.attempt
        try:
            step = next(attempt) if event is None else attempt.send(event)
            while True:
                if step is not RECEIVE:
                    perform(step)
                    step = next(attempt)
                elif self.connection_refused:
                    self.connection_refused = False
                    step = attempt.send(ConnectionLost())
                else:
                    return None
        except StopIteration as end:
            result: Result = end.value
            return result
