"""One UE's call flow as a ladder in the terminal: what it sent and heard, its timers, its causes, each with its time.

Reads traces.jsonl of a run directory (docs/run-record.md). Knows nothing of how it was recorded.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from regstorm.records.files import BadFile

TRACES = "traces.jsonl"
WIDTH = 88
"""Between the UE's line and the network's."""
_NOTES = {
    "started": "{name} started ({detail})",
    "stopped": "{name} stopped",
    "expired": "{name} EXPIRED",
    "attempt": "begins: {name}",
    "ended": "ended: {name}: {detail}",
    "rejected": "rejected: {name} ({detail})",
    "waiting": "wait for {name} {detail}",
    "service": "{name}",
    "lost": "{name}: {detail}",
    "link": "{name}",
}


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a trace."""

    ue: str
    at_s: float
    event: str
    name: str
    detail: str


def read_traces(run: Path) -> list[Event]:
    """All events of a run directory. Raises BadFile with one line."""
    path = run / TRACES
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        raise BadFile(f"{path}: there is none: the run was not started with --trace N") from None
    return [_event(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def ladder(events: Iterable[Event], outage_end_s: float) -> Iterator[str]:
    """The lines; times are scenario seconds, and seconds since the end of the outage."""
    yield f"{'scenario s':>11} {'since outage':>13}   UE{'network':>{WIDTH}}"
    before_s = None
    for event in events:
        same_moment = before_s is not None and event.at_s == before_s
        before_s = event.at_s
        when = " " * 25 if same_moment else f"{event.at_s:11.3f} {event.at_s - outage_end_s:+13.3f}"
        yield f"{when}   {_rung(event)}"


def _rung(event: Event) -> str:
    detail = f" ({event.detail})" if event.detail else ""
    match event.event:
        case "up":
            return f"|{f' {event.name}{detail} ':-<{WIDTH - 1}}>|"
        case "down":
            return f"|<{f' {event.name}{detail} ':-<{WIDTH - 1}}|"
    return f"|   {_NOTES.get(event.event, '{name} {detail}').format(name=event.name, detail=event.detail)}"


def _event(path: Path, number: int, line: bytes) -> Event:
    try:
        told = orjson.loads(line)
        return Event(told["ue"], float(told["at_s"]), told["event"], told["name"], told.get("detail", ""))
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        raise BadFile(f"{path}: line {number}: expected an event with ue, at_s, event and name") from None
