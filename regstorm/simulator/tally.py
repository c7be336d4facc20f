"""Counts of the running second, handed to the timeline once a second: a counter costs one addition."""

from collections import defaultdict

from regstorm.measures.timeline import Timeline


class SecondTally:
    """A Tally (records.ports) for what is counted millions of times. `counts` may be added to directly."""

    __slots__ = ("_timeline", "counts")

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self.counts: defaultdict[str, int] = defaultdict(int)

    def count(self, name: str, now: float, amount: int = 1) -> None:
        """In the second that runs; `now` is not looked at."""
        self.counts[name] += amount

    def gauge(self, name: str, change: int) -> None:
        """A level goes to the timeline at once."""
        self._timeline.gauge(name, change)

    def flush(self, second: float) -> None:
        """Everything up to the end of the second that began at `second` has happened, nothing after it."""
        for name, amount in self.counts.items():
            self._timeline.count(name, second, amount)
        self.counts.clear()
