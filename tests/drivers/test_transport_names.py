"""Transports by name, and what is said where the kernel has no SCTP (regstorm/drivers/transports.py, sctp.py)."""

import pytest

from regstorm.drivers import sctp_socket
from regstorm.drivers.sctp import SctpUnavailable, kernel_has_sctp
from regstorm.drivers.sctp_association import folded
from regstorm.drivers.sctp_socket import Change, Event, packed_addresses, read_event
from regstorm.drivers.tcp import TcpTransport
from regstorm.drivers.transports import transport_named


def test_tcp_is_there_on_every_machine():
    assert isinstance(transport_named("tcp"), TcpTransport)


def test_an_unknown_name_is_told_which_there_are():
    with pytest.raises(ValueError, match="no transport udp; choose tcp or sctp"):
        transport_named("udp")


def test_without_sctp_in_the_kernel_one_line_says_what_to_do(monkeypatch):
    monkeypatch.setattr(sctp_socket, "why_no_sctp", lambda: "Protocol not supported")
    assert not kernel_has_sctp()
    with pytest.raises(SctpUnavailable, match=r"\(Protocol not supported\).*modprobe sctp.*tcp transport") as told:
        transport_named("sctp")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("streams", "on"),
    [(1, [0, 0, 0, 0, 0]), (2, [0, 1, 1, 1, 1]), (3, [0, 1, 2, 1, 2]), (16, [0, 1, 2, 3, 4])],
)
def test_a_stream_beyond_those_there_are_is_folded_and_stream_0_kept_apart(streams, on):
    assert [folded(stream, streams) for stream in range(5)] == on


def test_addresses_are_packed_as_the_kernel_wants_them():
    assert packed_addresses(("10.0.0.1", "::1"), 38412) == (
        (2).to_bytes(2, "little") + (38412).to_bytes(2, "big") + bytes((10, 0, 0, 1)) + bytes(8)
    ) + ((10).to_bytes(2, "little") + (38412).to_bytes(2, "big") + bytes(4) + bytes(15) + b"\x01" + bytes(4))


def test_a_name_among_several_addresses_is_a_mistake_of_the_program():
    with pytest.raises(ValueError, match="localhost is not"):
        packed_addresses(("127.0.0.1", "localhost"), 38412)


# Notifications as Linux 6.1 gave them.
@pytest.mark.parametrize(
    ("octets", "event"),
    [
        ("01800000140000000000000010001000 03000000", Event(Change.COMM_UP, 0, 16)),
        ("01800000180000000100000c00000000 04000000 000c0004", Event(Change.COMM_LOST, 0x0C00, 0)),
        ("02800000 00000000", None),
    ],
    ids=["up", "lost by an ABORT with a cause", "nobody subscribed to"],
)
def test_notifications_are_read(octets, event):
    assert read_event(bytes.fromhex(octets)) == event
