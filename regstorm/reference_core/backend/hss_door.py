"""The HSS's front door on Diameter: Cx and Sh requests of any peer become calls, whatever answers them goes back.

Capabilities and watchdogs are answered here and cost the HSS nothing; everything else is a pair, offered to the same
server as in process. What that sheds in silence stays unanswered here too.
"""

from math import inf

from protocols.diameter.messages import Identifiers, Message
from protocols.diameter.numbers import ResultCode
from regstorm.records import backend_counters as counters
from regstorm.records import counters as core_counters
from regstorm.records.operations import Nf
from regstorm.records.ports import Tally
from regstorm.reference_core.backend.cx_sh import HssNames, call_of
from regstorm.reference_core.backend.diameter_peer import Asked, DiameterPeer, Node, NotUnderstood, Over
from regstorm.reference_core.backend.ways import Receiver, Way
from regstorm.reference_core.bus import Answer, Failed, Producer


class HssDoor:
    """Takes in any number of peers."""

    def __init__(self, names: HssNames, address: str, identifiers: Identifiers, hss: Producer, tally: Tally) -> None:
        self.names = names
        self.node = Node(names.host(Nf.HSS), names.realm, address)
        self.identifiers = identifiers
        self.hss = hss
        self.tally = tally

    def accept(self, way: Way, now: float) -> Receiver:
        """Somebody has connected."""
        return _Visitor(self, way)


class _Visitor:
    """One peer at the door."""

    def __init__(self, door: HssDoor, way: Way) -> None:
        self._door = door
        self._way = way
        self._peer = DiameterPeer(door.node, door.identifiers, connects=False)
        self._ended = False

    def receive(self, octets: bytes, now: float) -> None:
        """See Receiver."""
        for event in self._peer.receive(octets):
            match event:
                case Asked(message):
                    self._asked(message, now)
                case NotUnderstood():
                    self._door.tally.count(core_counters.DECODE_ERRORS, now)
                    self._door.tally.count(f"{core_counters.DECODE_ERRORS}.diameter", now)
                case Over(peer_broke_it=True):
                    self._door.tally.count(f"{counters.BROKEN}.diameter", now)
        self._send()
        if self._peer.over and not self._ended:
            self._ended = True
            self._way.close()

    def lost(self, now: float) -> None:
        """See Receiver."""
        self._ended = True

    def _asked(self, message: Message, now: float) -> None:
        call = call_of(message, self._door.names.plmn)
        if call is None:
            self._peer.refuse(message)
            return
        self._door.hss.arrives(call, inf, lambda answer, at: self._answer(message, answer), now)

    def _answer(self, request: Message, answer: Answer) -> None:
        """What the HSS says; DIAMETER_TOO_BUSY where its door refuses (RFC 6733 7.1.3)."""
        if self._ended:
            return
        if isinstance(answer, Failed):
            self._peer.refuse(request, ResultCode.TOO_BUSY)
        else:
            self._peer.answer(request, answer)
        self._send()

    def _send(self) -> None:
        octets = self._peer.octets()
        if octets:
            self._way.send(octets)
