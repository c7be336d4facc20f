"""The generator's end of a core's control socket, and the core as a child process.

Everything here waits cooperatively: other greenlets of the process go on. Commands may be given from any greenlet.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import gevent
import gevent.socket
import gevent.subprocess
from gevent.event import AsyncResult

from regstorm.drivers import control
from regstorm.drivers.association import Address
from regstorm.records.run_record import Backend
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy

START_S = 30.0  # wall time for a core's process to begin to listen
SET_UP_S = 120.0  # wall time to provision a whole population
STOP_S = 5.0  # wall time for a core's last words
END_S = 2.0  # wall time for a child to exit after its last words
_READ_OCTETS: Final = 1 << 16

OnSeconds = Callable[[int, list[tuple[dict[str, int], dict[str, int]]]], None]
"""Called with the first scenario second and what was counted, and the levels, from it on."""

OnService = Callable[[float, list[tuple[float, int, bool]]], None]
"""Called with a scenario second and what has changed up to it in the core's part of full service (control.Service)."""


def nobody_counts_service(through_s: float, changes: list[tuple[float, int, bool]]) -> None:
    """For a storm without IMS."""


class CoreUnusable(RuntimeError):
    """The core cannot be started, reached or set up. `str()` is the one line to show."""


class CoreLink:
    """A core's control socket. `lost` is None while the core is there, else one line that says what happened."""

    def __init__(
        self,
        address: Address,
        on_seconds: OnSeconds,
        on_lost: Callable[[str], None],
        on_service: OnService = nobody_counts_service,
    ) -> None:
        """`on_lost(why)`: called once if the core goes without having been told to stop."""
        self.lost: str | None = None
        self.sip_address: Address | None = None
        """Where the SBC listens outside of PDU sessions, if it was set up so."""
        self.explain_loss: Callable[[], str] = lambda: "the core has closed its control socket"
        self._on_seconds = on_seconds
        self._on_lost = on_lost
        self._on_service = on_service
        self._ready: AsyncResult = AsyncResult()
        self._ended: AsyncResult = AsyncResult()
        self._leaving = False
        try:
            self._socket = gevent.socket.create_connection(address, timeout=START_S)
        except OSError as error:
            raise CoreUnusable(
                f"no core answers at {address[0]}:{address[1]} (control): {error.strerror or error}"
            ) from None
        self._socket.settimeout(None)
        self._reader = gevent.spawn(self._read)

    # ---- commands

    def set_up(
        self,
        scenario: Scenario,
        strategy: Strategy,
        seed: int,
        outage_ues: int,
        online_ues: int,
        sip: control.SipAt | None = None,
        backend: Backend = "in_process",
    ) -> Address:
        """A core for one storm, provisioned; returns where it listens for gNBs. `scenario` is that of the sample.

        `sip`: the SBC listens there as well, and `sip_address` says where that is.
        """
        self._ready = AsyncResult()
        self._send(
            control.SetUp(
                scenario=scenario,
                strategy=strategy,
                seed=seed,
                outage_ues=outage_ues,
                online_ues=online_ues,
                sip=sip,
                backend=backend,
            )
        )
        try:
            ready = self._ready.get(timeout=SET_UP_S)
        except gevent.Timeout:
            raise CoreUnusable(f"the core was not set up within {SET_UP_S:g} s") from None
        self.sip_address = ready.sip
        return ready.host, ready.port

    def begin(self, zero: float, speed: float) -> None:
        """Scenario second 0 is at time of day `zero`."""
        self._send(control.Begin(zero=zero, speed=speed))

    def outage(self, outage_ues: int, at_s: float | None = None) -> None:
        """The core loses the first `outage_ues` UEs at a scenario second, or now."""
        self._send(control.Outage(outage_ues=outage_ues, at_s=at_s))

    def switch(self, strategy: Strategy, at_s: float | None = None) -> None:
        """Another strategy from a scenario second on, or from now."""
        self._send(control.Switch(strategy=strategy, at_s=at_s))

    def capacity(self, nodes: tuple[str, ...], capacity: float, at_s: float | None = None) -> None:
        """Nodes can do so much of what they could by the scenario, from a scenario second on, or from now."""
        self._send(control.Capacity(nodes=nodes, capacity=capacity, at_s=at_s))

    def incidents(self, scenario: Scenario, later: tuple[tuple[float, Strategy], ...]) -> None:
        """What the scenario says will happen to the core; `later` are the strategies that it puts in force."""
        for incident in scenario.incidents:
            if incident.capacity is not None:
                self.capacity(incident.nodes, incident.capacity, incident.at_s)
        for at_s, strategy in later:
            self.switch(strategy, at_s)

    def restart_sbc(self, down_s: float, at_s: float | None = None) -> None:
        """The SBC goes down at a scenario second, or now, and comes back without bindings."""
        self._send(control.RestartSbc(down_s=down_s, at_s=at_s))

    def stop(self, ended_s: float) -> control.Ended | None:
        """The run has ended; what the core has to say about it, None if it says nothing any more.

        All its seconds have been handed to `on_seconds` on return.
        """
        if self.lost is not None:
            return None
        self._leaving = True
        self._ended = AsyncResult()
        self._send(control.Stop(ended_s=ended_s))
        with suppress(gevent.Timeout, CoreUnusable):
            ended: control.Ended = self._ended.get(timeout=STOP_S)
            return ended
        return None

    def close(self) -> None:
        """Lets go of the socket; to the core that is the end if it was not told to stop."""
        self._leaving = True
        self._reader.kill(block=False)
        self._socket.close()

    # ---- reports

    def _send(self, message: control.Command) -> None:
        if self.lost is not None:
            raise CoreUnusable(self.lost)
        with suppress(OSError):  # the reader learns it too, and tells
            self._socket.sendall(control.as_line(message))

    def _read(self) -> None:
        lines = control.Lines()
        why = None
        try:
            while octets := self._socket.recv(_READ_OCTETS):
                for line in lines.take(octets):
                    self._heard(control.report(line))
        except OSError:
            pass
        except control.NotUnderstood as error:
            why = f"the core says what is not understood: {error}"
        self._lose(why)

    def _heard(self, report: control.Report) -> None:
        match report:
            case control.Ready():
                if not self._ready.ready():  # something was refused on the way: that is the answer
                    self._ready.set(report)
            case control.Seconds(first=first, seconds=seconds):
                self._on_seconds(first, seconds)
            case control.Service(through_s=through_s, changes=changes):
                self._on_service(through_s, changes)
            case control.Ended():
                self._ended.set(report)
            case control.Refused(why=why):
                self._ready.set_exception(CoreUnusable(f"the core refuses: {why}"))

    def _lose(self, why: str | None) -> None:
        if self.lost is not None or (self._leaving and self._ended.ready()):
            return
        self.lost = why or self.explain_loss()
        for waited_for in (self._ready, self._ended):
            if not waited_for.ready():
                waited_for.set_exception(CoreUnusable(self.lost))
        if not self._leaving:
            self._on_lost(self.lost)


class CoreChild:
    """A core in a process of its own that lives no longer than this one."""

    def __init__(
        self,
        on_seconds: OnSeconds,
        on_lost: Callable[[str], None],
        host: str = "127.0.0.1",
        transport: str = "tcp",
        on_service: OnService = nobody_counts_service,
    ) -> None:
        """Starts it and connects to its control socket. `host`, `transport`: where and how it listens for gNBs."""
        command = [sys.executable, "-m", "regstorm.drivers.core_process", "--child-of", str(os.getpid())]
        self._process = gevent.subprocess.Popen(
            [*command, "--listen", f"{host}:0", "--transport", transport],
            stdin=gevent.subprocess.DEVNULL,
            stdout=gevent.subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C in the terminal is for the generator, which tells its core to stop
        )
        try:
            self.control_port = self._control_port()
            self.link = CoreLink(("127.0.0.1", self.control_port), on_seconds, on_lost, on_service)
        except CoreUnusable:
            self.end()
            raise
        except BaseException:
            self.kill()
            raise
        self.link.explain_loss = self._how_it_ended

    @property
    def pid(self) -> int:
        """Of the process."""
        return int(self._process.pid)

    def end(self) -> None:
        """No process is left; whoever wants the core's last words has asked for them before."""
        link = getattr(self, "link", None)
        if link is not None:
            link.close()
        for give_up in (self._process.terminate, self._process.kill):
            with suppress(gevent.subprocess.TimeoutExpired):
                self._process.wait(timeout=END_S)
                break
            give_up()
        else:
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def kill(self) -> None:
        """No process is left, whatever it is doing."""
        self._process.kill()
        self.end()

    def _control_port(self) -> int:
        line = b""
        with gevent.Timeout(START_S, False):
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
        word, _, port = line.decode(errors="replace").strip().partition(" ")
        if word != control.FIRST_WORD or not port.isdigit():
            raise CoreUnusable(f"the core's process did not start: {self._how_it_ended()}")
        return int(port)

    def _how_it_ended(self) -> str:
        with suppress(gevent.subprocess.TimeoutExpired):
            code = self._process.wait(timeout=1.0)
            how = f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
            return f"the core's process (pid {self.pid}) {how}"
        return f"the core's process (pid {self.pid}) has closed its control socket"
