"""Kernel SCTP on the standard library's sockets: one-to-one style (RFC 6458 clause 4), in Linux's numbers.

Knows the options, structures and notifications of <linux/sctp.h>, which the `socket` module does not name; packs and
reads them. Decides nothing: what an event means for an association is in sctp.py.
"""

import socket
import sys
from collections.abc import Sequence
from enum import IntEnum
from struct import Struct
from typing import NamedTuple

IPPROTO_SCTP = 132  # socket.IPPROTO_SCTP is missing where Python was built without SCTP's headers
_SOL_SCTP = IPPROTO_SCTP

_SCTP_INITMSG, _SCTP_NODELAY, _SCTP_EVENTS = 2, 3, 11
_SCTP_RECVRCVINFO = 32
_SCTP_SOCKOPT_BINDX_ADD, _SCTP_SOCKOPT_CONNECTX = 100, 110
_SCTP_SNDINFO, _SCTP_RCVINFO = 2, 3  # kinds of ancillary data

MSG_NOTIFICATION = 0x8000
MSG_EOR = socket.MSG_EOR

_INITMSG = Struct("=HHHH")  # outbound streams, most inbound streams, attempts, longest time-out of one (ms)
_SNDINFO = Struct("=HHIIi")  # stream, flags, PPID, context, association
_RCVINFO = Struct("=HHHxxIIIIi")  # stream, sequence number, flags, PPID, TSN, cumulative TSN, context, association
_NOTIFICATION = Struct("=HHI")  # type, flags, length
_ASSOC_CHANGE = Struct("=HHHH")  # state, error, outbound streams, inbound streams; the association follows
# struct sctp_event_subscribe: data I/O, association, address, send failure, peer error, shutdown, partial delivery, …
_EVENTS = bytes((0, 1, 0, 0, 0, 1, 0, 0))
_ASSOC_CHANGE_TYPE, _SHUTDOWN_TYPE = 0x8001, 0x8005

_LINGER_AND_ABORT = Struct("=ii").pack(1, 0)  # SO_LINGER on, zero seconds: close() sends ABORT (RFC 6458 clause 8.1.4)
ANCILLARY_OCTETS = socket.CMSG_SPACE(_RCVINFO.size)


class InitSettings(NamedTuple):
    """What is said, and how patiently, when an association is set up."""

    outbound_streams: int = 16  # asked for; the peer may allow fewer (RFC 9260 clause 5.1.1); assumed
    inbound_streams: int = 64  # allowed to the peer, assumed
    attempts: int = 4  # INITs without an answer until the connection is `refused`; 8 in RFC 9260 clause 16
    longest_timeout_ms: int = 2000  # of one attempt; RTO.Max, a minute, in RFC 9260 clause 16


class Change(IntEnum):
    """What happened to an association (RFC 6458 clause 6.1.1); the last is SCTP_SHUTDOWN_EVENT of 6.1.5."""

    COMM_UP = 0
    COMM_LOST = 1
    RESTART = 2
    SHUTDOWN_COMP = 3
    CANT_STR_ASSOC = 4
    SHUTDOWN_BEGUN = -1


class Event(NamedTuple):
    """One notification."""

    change: Change
    error: int = 0  # the cause in the peer's ABORT; 0 if it named none, or if there was no ABORT
    outbound_streams: int = 0


def why_no_sctp() -> str | None:
    """Why this machine cannot do SCTP, in the kernel's words; None if it can."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SCTP).close()
    except OSError as error:
        return error.strerror or str(error)
    return None


def open_socket(family: int, settings: InitSettings) -> socket.socket:
    """A non-blocking socket that holds nothing back to bundle it and tells of events; what it accepts inherits that."""
    sock = socket.socket(family, socket.SOCK_STREAM, IPPROTO_SCTP)
    sock.setblocking(False)
    sock.setsockopt(_SOL_SCTP, _SCTP_INITMSG, _INITMSG.pack(*settings))
    sock.setsockopt(_SOL_SCTP, _SCTP_NODELAY, 1)
    sock.setsockopt(_SOL_SCTP, _SCTP_RECVRCVINFO, 1)
    sock.setsockopt(_SOL_SCTP, _SCTP_EVENTS, _EVENTS)
    return sock


def aborts_when_closed(sock: socket.socket) -> None:
    """From now on close() is an ABORT, also when the process dies: a crash must not look like a shutdown."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_AND_ABORT)


def bind_also(sock: socket.socket, hosts: Sequence[str]) -> None:
    """More local addresses for a bound socket, at the port that it has."""
    port = sock.getsockname()[1]
    sock.setsockopt(_SOL_SCTP, _SCTP_SOCKOPT_BINDX_ADD, packed_addresses(hosts, port))


def connect_to_all(sock: socket.socket, hosts: Sequence[str], port: int) -> None:
    """Begins one association with a peer that has several addresses; BlockingIOError as for connect()."""
    sock.setsockopt(_SOL_SCTP, _SCTP_SOCKOPT_CONNECTX, packed_addresses(hosts, port))


def packed_addresses(hosts: Sequence[str], port: int) -> bytes:
    """struct sockaddr_in and sockaddr_in6, one behind the other; ValueError for what is no address."""
    return b"".join(_packed_address(host, port) for host in hosts)


def _packed_address(host: str, port: int) -> bytes:
    family = family_of(host)
    try:
        octets = socket.inet_pton(family, host)
    except OSError:
        raise ValueError(f"several addresses must be written in numbers; {host} is not") from None
    head = int(family).to_bytes(2, sys.byteorder) + port.to_bytes(2, "big")
    if family == socket.AF_INET:
        return head + octets + bytes(8)
    return head + bytes(4) + octets + bytes(4)  # no flow label, no scope


def family_of(host: str) -> socket.AddressFamily:
    """IPv6 if it has a colon."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def send_message(sock: socket.socket, data: bytes, stream: int, ppid: int) -> None:
    """One message; the kernel takes all of it or, with BlockingIOError, nothing."""
    info = _SNDINFO.pack(stream, 0, socket.htonl(ppid), 0, 0)
    sock.sendmsg((data,), ((_SOL_SCTP, _SCTP_SNDINFO, info),), socket.MSG_NOSIGNAL)


def pending_error(sock: socket.socket) -> int:
    """The error that the next read would raise, which this takes away; 0 if there is none."""
    return sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)


def stream_and_ppid(ancillary: Sequence[tuple[int, int, bytes]]) -> tuple[int, int]:
    """Of a message, from what recvmsg brought beside it."""
    for level, kind, octets in ancillary:
        if level == _SOL_SCTP and kind == _SCTP_RCVINFO:
            stream, _, _, ppid, *_ = _RCVINFO.unpack_from(octets)
            return stream, socket.ntohl(ppid)
    return 0, 0


def read_event(notification: bytes) -> Event | None:
    """A notification; None if it is one that nobody subscribed to."""
    kind, _, _ = _NOTIFICATION.unpack_from(notification)
    if kind == _SHUTDOWN_TYPE:
        return Event(Change.SHUTDOWN_BEGUN)
    if kind != _ASSOC_CHANGE_TYPE:
        return None
    state, error, outbound, _ = _ASSOC_CHANGE.unpack_from(notification, _NOTIFICATION.size)
    return Event(Change(state), error, outbound)
