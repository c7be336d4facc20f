"""TCP without a framing of ours, driven by the lockstep clock: octets in order, orderly ends, resets, bounds."""

import pytest

from regstorm.drivers.association import CloseReason
from regstorm.drivers.lockstep import LockstepClock
from regstorm.drivers.octets import OctetTransport


class End:
    def __init__(self, association):
        self.association = association
        self.heard, self.closed = bytearray(), None
        association.on_message = lambda data, stream, ppid, now: self.heard.extend(data)
        association.on_closed = lambda reason, now: setattr(self, "closed", reason)


class Rig:
    def __init__(self, **transport):
        self.clock = LockstepClock()
        self.transport = OctetTransport(**transport)
        self.far = None
        self.listener = self.transport.listen(self._arrived)
        self.near = End(self.clock.connect(self.transport, self.listener))

    def _arrived(self, association):
        self.far = End(association)

    def run(self):
        self.clock.at(self.clock.now + 1.0, lambda now: None)
        self.clock.run(self.clock.now + 1.0)

    def close(self):
        self.near.association.cut()
        self.listener.close()
        self.run()


@pytest.fixture
def rig():
    made = Rig()
    yield made
    made.close()


def test_octets_arrive_as_they_were_sent_without_a_frame_around_them(rig):
    rig.near.association.send(b"abc")
    rig.near.association.send(b"def")
    rig.far.association.send(b"123")
    rig.run()
    assert (bytes(rig.far.heard), bytes(rig.near.heard)) == (b"abcdef", b"123")


def test_a_megabyte_arrives_whole(rig):
    rig.near.association.send(bytes(1 << 20))
    rig.run()
    assert len(rig.far.heard) == 1 << 20


def test_an_end_that_shuts_down_sends_what_it_has_and_both_hear_an_orderly_end(rig):
    rig.near.association.send(b"last words")
    rig.near.association.shutdown()
    rig.near.association.send(b"too late")
    rig.run()
    assert bytes(rig.far.heard) == b"last words"
    assert rig.near.closed == rig.far.closed == CloseReason.SHUTDOWN
    assert rig.near.association.counters.sends_after_close == 1


def test_an_abort_is_a_reset_to_the_peer(rig):
    rig.near.association.abort()
    rig.run()
    assert (rig.near.closed, rig.far.closed) == (CloseReason.ABORT, CloseReason.LOST)


def test_an_outbox_that_would_outgrow_its_bound_ends_the_connection():
    rig = Rig(outbox_limit=10)
    rig.near.association.send(b"12345678901")
    rig.run()
    assert rig.near.closed is CloseReason.OVERFLOW
    rig.close()


def test_nobody_listens_where_a_listener_has_closed(rig):
    rig.listener.close()
    refused = End(rig.clock.connect(rig.transport, rig.listener))
    rig.run()
    assert refused.closed is CloseReason.REFUSED
