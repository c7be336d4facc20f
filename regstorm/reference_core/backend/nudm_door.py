"""The UDM's front door on HTTP/2: requests of any consumer become calls, whatever answers them becomes responses.

What is no request of the catalogue is answered here and costs the UDM nothing; everything else is a pair, offered to
the same server as in process. What that sheds in silence stays unanswered here too.
"""

from math import inf

from regstorm.records import backend_counters as counters
from regstorm.records import counters as core_counters
from regstorm.records.ports import Tally
from regstorm.reference_core.backend.http_messages import Problem
from regstorm.reference_core.backend.nudm_answers import response_of
from regstorm.reference_core.backend.nudm_calls import call_of
from regstorm.reference_core.backend.nudm_requests import Api
from regstorm.reference_core.backend.sbi_connection import Over
from regstorm.reference_core.backend.sbi_server import Asked, SbiServer
from regstorm.reference_core.backend.ways import Receiver, Way
from regstorm.reference_core.bus import Answer, Call, Producer


class NudmDoor:
    """Takes in any number of connections."""

    def __init__(self, api: Api, udm: Producer, tally: Tally) -> None:
        self.api = api
        self.udm = udm
        self.tally = tally

    def accept(self, way: Way, now: float) -> Receiver:
        """Somebody has connected."""
        return _Visitor(self, way)


class _Visitor:
    """One consumer at the door."""

    def __init__(self, door: NudmDoor, way: Way) -> None:
        self._door = door
        self._way = way
        self._server = SbiServer()
        self._ended = False
        self._send()

    def receive(self, octets: bytes, now: float) -> None:
        """See Receiver."""
        for event in self._server.receive(octets):
            match event:
                case Asked():
                    self._asked(event, now)
                case Over(peer_broke_it=True):
                    self._door.tally.count(f"{counters.BROKEN}.nudm", now)
        self._send()
        if self._server.over and not self._ended:
            self._ended = True
            self._way.close()

    def lost(self, now: float) -> None:
        """See Receiver."""
        self._ended = True

    def _asked(self, asked: Asked, now: float) -> None:
        call = call_of(asked.request)
        if isinstance(call, Problem):
            self._door.tally.count(core_counters.DECODE_ERRORS, now)
            self._door.tally.count(f"{core_counters.DECODE_ERRORS}.nudm", now)
            self._server.respond(asked.stream, call)
            return
        self._door.udm.arrives(call, inf, lambda answer, at: self._answer(asked, call, answer), now)

    def _answer(self, asked: Asked, call: Call, answer: Answer) -> None:
        if not self._ended:
            response = response_of(answer, call, asked.request.body, self._door.api)
            self._server.respond(asked.stream, response)
            self._send()

    def _send(self) -> None:
        octets = self._server.octets()
        if octets:
            self._way.send(octets)
