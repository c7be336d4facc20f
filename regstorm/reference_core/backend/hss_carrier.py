"""The bus's way to the HSS: Cx and Sh calls become Diameter requests on one connection for each consumer.

What is asked before capabilities are exchanged waits. A request that gets no answer gets no reply, as in process.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from protocols.diameter.messages import Identifiers
from regstorm.records import backend_counters as counters
from regstorm.records.operations import Nf
from regstorm.records.ports import Tally
from regstorm.reference_core.backend.connections import Connections
from regstorm.reference_core.backend.cx_sh import HssNames, answer_of, priority_avp, session_of
from regstorm.reference_core.backend.diameter_peer import (
    Alive,
    Answered,
    Asked,
    DiameterPeer,
    Node,
    NotUnderstood,
    Opened,
    Over,
    State,
)
from regstorm.reference_core.backend.nudm_carrier import SWEEP_EVERY_S
from regstorm.reference_core.backend.ways import Dial, Way
from regstorm.reference_core.bus import Call, Reply

CONSUMERS: Final = (Nf.ICSCF, Nf.SCSCF, Nf.TAS, Nf.IP_SM_GW)


class _Waits(NamedTuple):
    reply: Reply
    deadline_s: float


class HssConnection:
    """One consumer's connection to the HSS."""

    def __init__(self, consumer: Nf, names: HssNames, address: str, identifiers: Identifiers, tally: Tally) -> None:
        self.ended_s: float | None = None
        self._host = names.host(consumer)
        self._hss = names.host(Nf.HSS)
        self._identifiers = identifiers
        self._tally = tally
        self._peer = DiameterPeer(Node(self._host, names.realm, address), identifiers, connects=True)
        self._way: Way
        self._unsent: list[tuple[Call, _Waits]] = []
        self._asked: dict[int, _Waits] = {}
        self._next_sweep_s = 0.0
        self._beats_unanswered = 0

    def begin(self, way: Way, now: float) -> None:
        """See Connection."""
        self._way = way
        self._send()

    def ask(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """One request."""
        if now >= self._next_sweep_s:
            self._sweep(now)
        waits = _Waits(reply, deadline_s)
        if self._peer.state is State.OPEN:
            self._request(call, waits)
            self._send()
        else:
            self._unsent.append((call, waits))

    def beat(self, now: float) -> bool:
        """See Connection."""
        self._sweep(now)
        alive = not self._beats_unanswered
        self._beats_unanswered += 1  # before it is open, CEA is what is waited for
        self._peer.watch()
        self._send()
        return alive

    def receive(self, octets: bytes, now: float) -> None:
        """See Receiver."""
        for event in self._peer.receive(octets):
            match event:
                case Answered(message):
                    waits = self._asked.pop(message.hop_by_hop, None)
                    if waits is None:
                        self._tally.count(counters.UNEXPECTED, now)
                    else:
                        waits.reply(answer_of(message), now)
                case Opened():
                    self._beats_unanswered = 0
                    unsent, self._unsent = self._unsent, []
                    for call, waits in unsent:
                        self._request(call, waits)
                case Alive():
                    self._beats_unanswered = 0
                case Asked(message):
                    self._peer.refuse(message)  # this HSS sends no RTR, PPR or PNR
                case NotUnderstood():
                    self._tally.count(counters.UNEXPECTED, now)
                case Over(peer_broke_it=True):
                    self._tally.count(f"{counters.BROKEN}.diameter", now)
        self._send()
        if self._peer.over and self.ended_s is None:
            self.lost(now)
            self._way.close()

    def lost(self, now: float) -> None:
        """See Receiver."""
        if self.ended_s is None:
            self._tally.count(f"{counters.LOST}.diameter", now)
            self.ended_s = now
            self._asked.clear()
            self._unsent.clear()

    def _request(self, call: Call, waits: _Waits) -> None:
        session = session_of(call, self._identifiers.session_id(self._host))
        self._asked[self._peer.request(call.payload, self._hss, (priority_avp(call),), session)] = waits

    def _send(self) -> None:
        octets = self._peer.octets()
        if octets:
            self._way.send(octets)

    def _sweep(self, now: float) -> None:
        """Diameter has no word for "not interested any more": the answer, if it comes, is discarded."""
        self._next_sweep_s = now + SWEEP_EVERY_S
        for identifier in [identifier for identifier, waits in self._asked.items() if waits.deadline_s <= now]:
            del self._asked[identifier]
        self._unsent = [one for one in self._unsent if one[1].deadline_s > now]


class HssCarrier:
    """All consumers' connections."""

    def __init__(
        self, names: HssNames, address: str, identifiers: Callable[[Nf], Identifiers], dial: Dial, tally: Tally
    ) -> None:
        """`identifiers`: those of each consumer's node; `address`: Host-IP-Address of all of them."""

        def made(consumer: Nf) -> HssConnection:
            return HssConnection(consumer, names, address, identifiers(consumer), tally)

        self._connections = Connections(CONSUMERS, made, dial)

    def arrives(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """See bus.Producer. Who does not say who asks counts as the S-CSCF."""
        connection = self._connections.of(call.consumer or Nf.SCSCF, now)
        if connection is not None:
            connection.ask(call, deadline_s, reply, now)

    def beat(self, now: float) -> bool:
        """See bus.Carrier."""
        return self._connections.beat(now)
