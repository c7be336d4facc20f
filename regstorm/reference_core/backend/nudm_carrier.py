"""The bus's way to the UDM: calls become HTTP/2 requests on one connection for each consumer, answers become replies.

A call that gets no answer gets no reply: the bus's timeout decides, as in process. Its stream is reset once the
consumer has given up, so that it does not stand among those which the peer allows.
"""

from typing import Final, NamedTuple

from regstorm.records import backend_counters as counters
from regstorm.records.operations import Nf, Operation
from regstorm.records.ports import Tally
from regstorm.reference_core.backend.connections import Connections
from regstorm.reference_core.backend.nudm_answers import answer_of
from regstorm.reference_core.backend.nudm_requests import Api, request_of
from regstorm.reference_core.backend.sbi_client import Answered, SbiClient, Unanswered
from regstorm.reference_core.backend.sbi_connection import Alive, Over
from regstorm.reference_core.backend.ways import Dial, Way
from regstorm.reference_core.bus import Call, Reply

CONSUMER_ON: Final = {"N13": Nf.AUSF, "N8": Nf.AMF, "N10": Nf.SMF}
"""Each of the UDM's interfaces has one consumer (TS 23.501 4.2.7)."""
SWEEP_EVERY_S: Final = 1.0
"""Requests whose consumer has given up are looked for this often."""


class _Asked(NamedTuple):
    operation: Operation
    reply: Reply
    deadline_s: float


class NudmConnection:
    """One consumer's connection to the UDM."""

    def __init__(self, consumer: Nf, api: Api, tally: Tally) -> None:
        self.ended_s: float | None = None
        self._api = api
        self._tally = tally
        self._client = SbiClient(api.authority(Nf.UDM), str(consumer))
        self._way: Way
        self._asked: dict[int, _Asked] = {}
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
        self._asked[self._client.request(request_of(call, self._api))] = _Asked(call.operation, reply, deadline_s)
        self._send()
        if self._client.over:
            self._end(now)

    def beat(self, now: float) -> bool:
        """See Connection."""
        self._sweep(now)
        alive = not self._beats_unanswered
        self._beats_unanswered += 1
        self._client.ping()
        self._send()
        return alive

    def receive(self, octets: bytes, now: float) -> None:
        """See Receiver."""
        for event in self._client.receive(octets):
            match event:
                case Answered(number, response):
                    asked = self._asked.pop(number, None)
                    if asked is not None:
                        asked.reply(answer_of(response, asked.operation), now)
                case Unanswered(number):
                    self._asked.pop(number, None)
                    self._tally.count(counters.STREAMS_RESET, now)
                case Alive():
                    self._beats_unanswered = 0
                case Over(peer_broke_it=True):
                    self._tally.count(f"{counters.BROKEN}.nudm", now)
        self._send()
        if self._client.over:
            self._end(now)

    def lost(self, now: float) -> None:
        """See Receiver."""
        if self.ended_s is None:
            self._tally.count(f"{counters.LOST}.nudm", now)
            self.ended_s = now
            self._asked.clear()

    def _end(self, now: float) -> None:
        self.lost(now)
        self._way.close()

    def _send(self) -> None:
        octets = self._client.octets()
        if octets:
            self._way.send(octets)

    def _sweep(self, now: float) -> None:
        self._next_sweep_s = now + SWEEP_EVERY_S
        for number in [number for number, asked in self._asked.items() if asked.deadline_s <= now]:
            del self._asked[number]
            self._client.withdraw(number)


class NudmCarrier:
    """All consumers' connections."""

    def __init__(self, api: Api, dial: Dial, tally: Tally) -> None:
        consumers = tuple(CONSUMER_ON.values())
        self._connections = Connections(consumers, lambda consumer: NudmConnection(consumer, api, tally), dial)

    def arrives(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """See bus.Producer."""
        connection = self._connections.of(CONSUMER_ON[call.operation.interface], now)
        if connection is not None:
            connection.ask(call, deadline_s, reply, now)

    def beat(self, now: float) -> bool:
        """See bus.Carrier."""
        return self._connections.beat(now)
