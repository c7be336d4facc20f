"""What kernel SCTP carries: messages per second one way over one association, and CPU time for each of them.

    python bench/sctp.py                                             over TCP, and over SCTP if this kernel has it
    tests/kernel_sctp/run_in_uml.sh .venv/bin/python bench/sctp.py   both in user-mode Linux

Both ends are in this process, so the figures hold for both together. Messages have 80 octets, about those of NAS in
NGAP. `busy`: 100 are sent before each flush, as many UEs do together; `lonely`: one at a time, each heard before the
next. System calls in user-mode Linux cost many times what they cost natively: its figures compare transports with each
other, and are no forecast for a real kernel.
"""

import time

from regstorm.drivers.sctp import SctpTransport, kernel_has_sctp
from regstorm.drivers.sctp_association import SctpAssociation
from regstorm.drivers.tcp import TcpAssociation, TcpTransport

PAYLOAD = bytes(80)
End = TcpAssociation | SctpAssociation


def connected(transport: TcpTransport | SctpTransport) -> tuple[End, End]:
    """Both ends, up."""
    listener = transport.listen(lambda association: None)
    near: End = transport.connect(listener.address)
    far: End | None
    while (far := listener.accept()) is None:
        near.wait_readable(0.001)
    while any(isinstance(end, SctpAssociation) and end.outbound_streams is None for end in (near, far)):
        near.receive()
        far.receive()
    listener.close()
    return near, far


def one_way(transport: TcpTransport | SctpTransport, per_flush: int, count: int) -> tuple[float, float]:
    """Messages per second of wall time, and CPU microseconds for each."""
    near, far = connected(transport)
    far.on_message = lambda data, stream, ppid, now: None
    began_wall_s, began_cpu_s = time.perf_counter(), time.process_time()
    while far.counters.received < count:
        for n in range(per_flush):
            near.send(PAYLOAD, stream=n % 16)
        near.flush()
        while far.counters.received < near.counters.sent:
            near.flush()
            if not far.receive():
                far.wait_readable(0.01)
            far.dispatch(0.0)
    wall_s, cpu_s = time.perf_counter() - began_wall_s, time.process_time() - began_cpu_s
    received = far.counters.received
    near.abort()
    far.abort()
    return received / wall_s, cpu_s / received * 1e6


def main() -> None:
    transports: list[tuple[str, TcpTransport | SctpTransport]] = [("TCP", TcpTransport())]
    if kernel_has_sctp():
        transports.append(("SCTP", SctpTransport()))
    else:
        print("no SCTP in this kernel: see the top of this file")
    for name, transport in transports:
        for shape, per_flush in (("busy", 100), ("lonely", 1)):
            rate, cpu_us = one_way(transport, per_flush, 20_000)
            print(f"{rate:12,.0f} messages/s, {cpu_us:6.1f} µs of CPU each, {name}, {shape}")


if __name__ == "__main__":
    main()
