"""Ends on sockets under an event loop: readiness watchers of gevent call the three verbs, nobody pumps."""

import gevent
import pytest
from association_rig import TRANSPORTS
from gevent.event import Event

from regstorm.drivers.association import Association, CloseReason
from regstorm.drivers.sctp_association import SctpAssociation
from regstorm.drivers.tcp import TcpAssociation

READ, WRITE = 1, 2


class Watched:
    """What a paced clock does for one end: flush once per loop iteration, receive when readable."""

    def __init__(self, end: TcpAssociation | SctpAssociation) -> None:
        self.end = end
        self._loop = gevent.get_hub().loop
        self._reading = self._loop.io(end.fileno(), READ)
        self._writing = self._loop.io(end.fileno(), WRITE)
        self._reading.start(self._readable)
        end.woken = lambda: self._loop.run_callback(self._flush)

    def _readable(self) -> None:
        self.end.receive()
        self._tell()

    def _flush(self) -> None:
        self.end.attended()
        if self.end.flush():
            self._writing.stop()
        elif not self._writing.active:
            self._writing.start(self._flush)
        self._tell()

    def _tell(self) -> None:
        self.end.dispatch(self._loop.now())
        if self.end.fileno() < 0:
            self._reading.stop()
            self._writing.stop()


@pytest.fixture(params=sorted(TRANSPORTS.keys() - {"memory"}))
def pair(request):
    transport = TRANSPORTS[request.param]()
    listener = transport.listen(lambda association: None)
    near = transport.connect(listener.address)
    while (far := listener.accept()) is None:
        near.wait_readable(0.001)
    yield near, far
    near.cut()
    far.cut()
    listener.close()


def test_requests_answers_and_a_shutdown_under_a_loop(pair):
    near, far = pair
    heard: list[bytes] = []
    ends: list[tuple[Association, CloseReason]] = []
    over = Event()
    far.on_message = lambda data, stream, ppid, now: far.send(data)

    def answered(data: bytes, stream: int, ppid: int, now: float) -> None:
        heard.append(data)
        if len(heard) == 400:
            near.shutdown()

    def closed(end: Association, reason: CloseReason) -> None:
        ends.append((end, reason))
        if len(ends) == 2:
            over.set()

    near.on_message = answered
    near.on_closed = lambda reason, now: closed(near, reason)
    far.on_closed = lambda reason, now: closed(far, reason)
    near.outbox_limit = far.outbox_limit = 64 * 1024 * 1024
    watched = [Watched(near), Watched(far)]
    step = 100 if isinstance(near, TcpAssociation) else 10
    sent = [bytes([n % 256]) * (1 + step * n) for n in range(400)]  # 8 MB or 0.8: more than the kernel takes at once
    for data in sent:
        near.send(data)
    assert over.wait(timeout=10)
    assert heard == sent
    assert {reason for _, reason in ends} == {CloseReason.SHUTDOWN}
    assert len(watched) == 2
