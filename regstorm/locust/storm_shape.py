"""The shape of a storm for Locust: the whole population at once, until everybody is back or time is up.

Only a locustfile that subclasses it has it: Locust takes any shape that it sees in a locustfile's namespace.
"""

from locust import LoadTestShape

from regstorm.locust.plugin import conductor_of


class UntilEverybodyIsBack(LoadTestShape):
    """Ends the run by itself; how many users there are is the scenario's business, not -u's."""

    abstract = True

    def reset_time(self) -> None:
        """Locust calls it when somebody starts a run."""
        super().reset_time()
        conductor = None if self.runner is None else conductor_of(self.runner.environment)
        if conductor is not None:
            conductor.want()

    def tick(self) -> tuple[int, float] | None:
        """Asked once a second: users and spawn rate, or None at the end."""
        assert self.runner is not None
        conductor = conductor_of(self.runner.environment)
        ues = None if conductor is None else conductor.population()
        return None if ues is None else (ues, ues)
