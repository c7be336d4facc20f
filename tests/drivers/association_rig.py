"""Two ends of an association, ears that note what they hear, and a hand that pumps them.

Used by the suites that run over several transports. Which there are depends on the machine: kernel SCTP counts only
where the kernel has it, and tests/kernel_sctp/run_in_uml.sh takes the tests to a kernel that does.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from regstorm.drivers.association import Association, CloseReason, Listener, State, Transport
from regstorm.drivers.framed import FramedAssociation, FramedTransport
from regstorm.drivers.memory import MemoryTransport
from regstorm.drivers.sctp import SctpTransport, kernel_has_sctp, require_sctp
from regstorm.drivers.sctp_association import SctpAssociation
from regstorm.drivers.tcp import TcpTransport

NOW = 12.5
PATIENCE_S = 10  # wall time until something that must come counts as missing
FRAMED: dict[str, Callable[..., FramedTransport]] = {"tcp": TcpTransport, "memory": MemoryTransport}
TRANSPORTS: dict[str, Callable[..., Transport]] = dict(FRAMED)
if "REGSTORM_SCTP_EXPECTED" in os.environ:
    require_sctp()
if kernel_has_sctp():
    TRANSPORTS["sctp"] = SctpTransport


@dataclass
class Ear:
    """Notes what one end hears."""

    end: Association
    messages: list[tuple[bytes, int, int]] = field(default_factory=list)
    ends: list[CloseReason] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.end.on_message = self._message
        self.end.on_closed = self._closed

    def _message(self, data: bytes, stream: int, ppid: int, now: float) -> None:
        assert now == NOW
        assert not self.ends, "a message after the end"
        self.messages.append((data, stream, ppid))

    def _closed(self, reason: CloseReason, now: float) -> None:
        assert now == NOW
        self.ends.append(reason)


class Wiring:
    """A transport with a listener, and a hand that pumps what the tests want pumped."""

    def __init__(self, transport: Transport, listener: Listener | None = None) -> None:
        self.transport = transport
        self.listener = listener or transport.listen(lambda association: None)
        self.pairs: list[tuple[Association, Association]] = []

    def connect(self) -> tuple[Association, Association]:
        return self.adopt(self.transport.connect(self.listener.address))

    def adopt(self, near: Association) -> tuple[Association, Association]:
        """Accepts the other end of `near`, and waits until both are up."""
        deadline = time.monotonic() + PATIENCE_S
        while (far := self.listener.accept()) is None:
            if near.wait_readable(0.001):
                near.receive()
            assert near.reason is None, near.reason
            assert time.monotonic() < deadline, "nobody arrives at the listener"
        self.pairs.append((near, far))
        while not (is_up(near) and is_up(far)):
            assert time.monotonic() < deadline, "the association does not come up"
            for end in (near, far):
                end.receive()
        for end in (near, far):
            end.attended()
        return near, far

    def pair(self) -> tuple[Ear, Ear]:
        near, far = self.connect()
        return Ear(near), Ear(far)

    def settle(self) -> None:
        """Pumps until everything sent has been heard, and every end that one side knows of is known to both."""
        for near, far in self.pairs:
            deadline = time.monotonic() + PATIENCE_S
            while True:
                moved = False
                for end in (near, far):
                    end.flush()
                    if end.receive():
                        moved = True
                    end.dispatch(NOW)
                if not (under_way(near, far) or under_way(far, near)):
                    break
                if moved:
                    deadline = time.monotonic() + PATIENCE_S
                else:
                    assert time.monotonic() < deadline, "what was sent does not arrive"
                    (far if under_way(near, far) else near).wait_readable(0.001)


def is_up(end: Association) -> bool:
    return not isinstance(end, SctpAssociation) or end.outbound_streams is not None


def under_way(end: Association, peer: Association) -> bool:
    """Something that `end` sent, or its end, has yet to be heard by `peer`."""
    if peer.reason is not None:
        return False
    if end.state is not State.ESTABLISHED or end.queued_octets > 0:
        return True
    if isinstance(end, FramedAssociation) and isinstance(peer, FramedAssociation):
        return peer.wire_received != end.wire_sent
    return peer.counters.received != end.counters.sent


def hear_the_end(ear: Ear) -> None:
    while ear.end.reason is None:
        assert ear.end.wait_readable(5)
        ear.end.flush()
        ear.end.receive()
    ear.end.dispatch(NOW)


def top_stream(end: Association) -> int:
    """The last stream that it may send on."""
    return end.outbound_streams - 1 if isinstance(end, SctpAssociation) else 65535


def broken_off(end: Association) -> CloseReason:
    """What this end hears when its peer breaks off without the word `abort`: SCTP has no other way."""
    return CloseReason.ABORT if isinstance(end, SctpAssociation) else CloseReason.LOST
