"""An outage that somebody's own commands make: one takes the target down, another brings it back."""

import shlex
import subprocess
import time
from collections.abc import Callable

import gevent
import gevent.subprocess

from regstorm.records.population import Outage
from regstorm.records.target import TargetOutage

PATIENCE_S = 60.0  # wall time for a command


class OutageCommands:
    """Runs them at the scenario's seconds, counted from `zero` (time of day); a target is met at speed 1."""

    def __init__(self, commands: TargetOutage, outage: Outage, zero: float, lose: Callable[[str], None]) -> None:
        """`lose(why)`: a command failed, so there is no outage to measure."""
        self._lose = lose
        self._waiting = [
            gevent.spawn_later(max(0.0, zero + at_s - time.time()), self._run, command)
            for begins_s in (outage.beginnings_s if commands.how == "command" else ())
            for at_s, command in ((begins_s, commands.begin), (begins_s + outage.lasts_s, commands.end))
        ]

    def cancel(self) -> None:
        """Those that have not begun do not begin."""
        gevent.killall(self._waiting, block=False)

    def _run(self, command: str) -> None:
        try:
            ended = gevent.subprocess.run(
                shlex.split(command), stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=False
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            self._lose(f"{command}: {error}")
            return
        if ended.returncode != 0:
            self._lose(
                f"{command}: ended with {ended.returncode}: {ended.stderr.decode(errors='replace').strip()[-200:]}"
            )
