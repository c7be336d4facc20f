"""The bundled core alone: gNBs connect on one socket, a generator commands it on another (control.py).

The process: its two sockets, whose command reaches which core (core_session.py), and when it ends.

As a generator's child (`--child-of PID`) it says on stdout where its control socket is, does one storm and exits; it
also exits when the control connection ends, and the kernel ends it when its parent is gone, whatever happened to
either. By itself (`regstorm core`) it serves one storm after the other until it is told to end; with a `first`
set-up it is there at once, for gNBs that nobody commands.

Nothing of the storm is decided here, and Locust is not imported.
"""

import ctypes
import os
import resource
import signal
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import gevent
import gevent.socket
from gevent.event import Event

from regstorm.drivers import control
from regstorm.drivers.association import Address, Association, Listener, Transport
from regstorm.drivers.core_session import CoreSession
from regstorm.drivers.generator_connection import GeneratorConnection
from regstorm.drivers.metrics import serve_metrics
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.sip_side import sockets_at
from regstorm.drivers.tcp import LOOPBACK, TcpTransport
from regstorm.drivers.transports import TRANSPORT_NAMES, transport_named
from regstorm.measures import prometheus
from regstorm.records.operations import Nf

ENDED, LOST, TAKEN, INTERRUPTED = 0, 1, 2, 130
DOOR_OPTIONS = {Nf.UDM: "--nudm-listen", Nf.HSS: "--diameter-listen"}
PARTING_S = 0.05  # wall time in which a parent that is ending has ended
_PR_SET_PDEATHSIG = 1  # prctl(2)


@dataclass(frozen=True, slots=True)
class CoreOptions:
    """Where and for whom."""

    listen_at: Address = (LOOPBACK, 0)
    control_at: Address = (LOOPBACK, 0)
    transport: Transport | None = None
    """TCP if None."""
    first: control.SetUp | None = None
    """A core that is there without a generator."""
    speed: float = 1.0
    """Of the first core's clock."""
    child_of: int | None = None
    metrics_port: int = 0
    """Serves metrics for Prometheus on loopback; 0: serves none."""
    sip_at: Address | None = None
    """Where the SBC listens outside of PDU sessions, over UDP and TCP; None: nowhere."""
    doors_at: Mapping[Nf, Address] | None = None
    """Where the doors of UDM and HSS are; None: on no socket, unless a set-up wants it."""


class AddressTaken(Exception):
    """Somebody listens there already. `str()` is the one line to show."""


class CoreProcess:
    """Serves storms; one at a time."""

    def __init__(self, options: CoreOptions, say: Callable[[str], None]) -> None:
        """Takes both addresses. Raises AddressTaken."""
        self._options = options
        self._say = say
        self._transport: Transport = options.transport or TcpTransport()
        self._code: int | None = None
        self._changed = Event()
        self._session: CoreSession | None = None
        self._generator: GeneratorConnection | None = None
        self._n2 = self._reserve(options.listen_at)
        self.n2_address: Address = self._n2.address
        self._control = self._listen_for_generator(options.control_at)
        self.control_address: Address = self._control.getsockname()[:2]
        self.sip_address: Address | None = self._find_sip_address(options.sip_at)
        self.door_addresses: dict[Nf, Address] | None = self._find_door_addresses(options.doors_at)

    def run(self) -> int:
        """Until it is told to end; the exit code."""
        accepting = gevent.spawn(self._accept)
        metrics = serve_metrics(self._options.metrics_port, self.metrics) if self._options.metrics_port else None
        try:
            if self._options.first is not None:
                self._set_up(self._options.first)
                self._begin(control.Begin(zero=time.time(), speed=self._options.speed))
            while self._code is None:
                self._changed.clear()
                session = self._session
                if session is not None and session.begun:
                    session.run()
                elif self._code is None:
                    self._changed.wait()
            return self._code
        finally:
            accepting.kill()
            if metrics is not None:
                metrics.stop()
            self._control.close()
            self._discard_session()
            self._n2.close()
            if self._generator is not None:
                self._generator.close()

    def metrics(self) -> str:
        """The counters of the core that is there, for Prometheus."""
        return "" if self._session is None else prometheus.of_timeline(self._session.timeline)

    def end(self, code: int, why: str = "") -> None:
        """run() returns soon."""
        if self._code is None:
            if why:
                self._say(why)
            self._code = code
        self._wake()

    def asked_to_end(self) -> None:
        """A signal: somebody's wish, or the kernel's word that the parent is gone (perhaps before it has gone)."""
        if self._options.child_of is None:
            self.end(ENDED)
        else:
            gevent.spawn_later(PARTING_S, self._end_as_a_child)

    def _end_as_a_child(self) -> None:
        if os.getppid() != self._options.child_of:
            self.end(LOST, "the generator's process is gone: the core ends too")
        else:
            self.end(ENDED)

    # ---- storms

    def _set_up(self, wanted: control.SetUp) -> None:
        self._discard_session()
        self._session = CoreSession(wanted, partial(self._listen_for_gnbs), self.sip_address, self.door_addresses)
        self._wake()

    def _begin(self, command: control.Begin) -> None:
        assert self._session is not None
        self._session.begin(command)
        self._wake()

    def _discard_session(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _wake(self) -> None:
        self._changed.set()
        if self._session is not None:
            self._session.clock.stop()

    # ---- sockets

    def _reserve(self, address: Address) -> Listener:
        """Takes the address for gNBs before anybody relies on it; whoever connects meanwhile waits in the backlog."""
        try:
            return self._transport.listen(_nobody_yet, address)
        except OSError as error:
            raise AddressTaken(_taken(address, "--listen", error)) from None

    def _listen_for_gnbs(self, clock: PacedClock, on_association: Callable[[Association], None]) -> Listener:
        """The listener of a new session, at the same address."""
        self._n2.close()
        self._n2 = clock.listen(self._transport, on_association, self.n2_address)
        return self._n2

    def _listen_for_generator(self, address: Address) -> gevent.socket.socket:
        listener = gevent.socket.socket(gevent.socket.AF_INET, gevent.socket.SOCK_STREAM)
        listener.setsockopt(gevent.socket.SOL_SOCKET, gevent.socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen(4)
        except OSError as error:
            listener.close()
            self._n2.close()
            raise AddressTaken(_taken(address, "--control", error)) from None
        return listener

    def _find_sip_address(self, wanted: Address | None) -> Address | None:
        """An address that is free for both transports now; each session listens there."""
        if wanted is None:
            return None
        try:
            sockets = sockets_at(wanted, lambda payload, source, now: None, lambda connection: None)
        except OSError as error:
            self._control.close()
            self._n2.close()
            raise AddressTaken(_taken(wanted, "--sip-listen", error)) from None
        for one in sockets:
            one.close()
        return sockets[0].address

    def _find_door_addresses(self, wanted: Mapping[Nf, Address] | None) -> dict[Nf, Address] | None:
        """Addresses that are free now; each session listens there."""
        if wanted is None:
            return None
        found = {}
        for nf, address in wanted.items():
            try:
                listener = TcpTransport().listen(_nobody_yet, address)
            except OSError as error:
                self._control.close()
                self._n2.close()
                raise AddressTaken(_taken(address, DOOR_OPTIONS[nf], error)) from None
            found[nf] = listener.address
            listener.close()
        return found

    def _accept(self) -> None:
        while True:
            sock, _ = self._control.accept()
            if self._generator is not None:
                with suppress(OSError):
                    sock.sendall(control.as_line(control.Refused(why="another generator commands this core")))
                sock.close()
                continue
            self._generator = GeneratorConnection(sock, self._obey, self._generator_gone)

    # ---- the generator

    def _obey(self, command: control.Command) -> control.Report | None:
        session = self._session
        match command:
            case control.SetUp():
                self._set_up(command)
                assert self._session is not None
                sip = self._session.sip
                return control.Ready(
                    host=self.n2_address[0], port=self.n2_address[1], sip=None if sip is None else sip.address
                )
            case _ if session is None:
                return control.Refused(why="there is no core yet: set_up comes first")
            case control.Begin():
                session.tell = self._tell
                self._begin(command)
            case control.Outage():
                session.outage(command)
            case control.Switch():
                session.switch(command)
            case control.Capacity():
                why = session.capacity(command)
                return None if why is None else control.Refused(why=why)
            case control.RestartSbc():
                session.restart_sbc(command)
            case control.Stop():
                ended = session.ended(command.ended_s)
                self._discard_session()
                if self._generator is not None:
                    self._generator.stopped = True
                if self._options.child_of is not None:
                    gevent.spawn_later(0.0, self._exit_after_last_words)
                return ended
        return None

    def _exit_after_last_words(self) -> None:
        if self._generator is not None:
            self._generator.drain()
        self.end(ENDED)

    def _tell(self, report: control.Report) -> None:
        if self._generator is not None:
            self._generator.tell(report)

    def _generator_gone(self, stopped: bool) -> None:
        self._generator = None
        if not stopped:
            self.end(LOST, "the generator is gone without a word (its control connection ended): the core ends too")
        elif self._options.child_of is not None:
            self.end(ENDED)


def _nobody_yet(association: Association) -> None:
    """No core is set up: nobody accepts from this listener."""


def _taken(address: Address, option: str, error: OSError) -> str:
    return (
        f"{option} {address[0]}:{address[1]}: cannot listen there: {os.strerror(error.errno) if error.errno else error}"
    )


def raise_file_limit() -> None:
    """As many open files as this process may have: an association is one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _end_with_parent(parent: int) -> bool:
    """The kernel ends this process when its parent ends; False if that has happened already."""
    with suppress(OSError, AttributeError):  # Linux only; elsewhere the control socket alone tells
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    return os.getppid() == parent


def serve(options: CoreOptions, say: Callable[[str], None], ready: Callable[[CoreProcess], None]) -> int:
    """Runs a core until it is told to end; the exit code. Raises AddressTaken."""
    raise_file_limit()
    process = CoreProcess(options, say)
    gevent.signal_handler(signal.SIGINT, process.end, INTERRUPTED)
    gevent.signal_handler(signal.SIGTERM, process.asked_to_end)
    ready(process)
    return process.run()


def main() -> int:
    """A generator's child."""
    parser = ArgumentParser(description="The bundled core as a generator's child.")
    parser.add_argument("--child-of", type=int, required=True)
    parser.add_argument("--listen", default=f"{LOOPBACK}:0")
    parser.add_argument("--transport", default="tcp", choices=TRANSPORT_NAMES)
    arguments = parser.parse_args()
    if not _end_with_parent(arguments.child_of):
        return LOST
    host, _, port = arguments.listen.rpartition(":")
    transport = transport_named(arguments.transport)
    options = CoreOptions(listen_at=(host, int(port)), transport=transport, child_of=arguments.child_of)

    def ready(process: CoreProcess) -> None:
        print(control.FIRST_WORD, process.control_address[1], flush=True)

    try:
        return serve(options, _say, ready)
    except AddressTaken as taken:
        _say(str(taken))
        return TAKEN


def _say(text: str) -> None:
    print(f"regstorm core: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
