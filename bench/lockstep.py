"""What the lockstep clock costs: actions per second, and messages per second over TCP and in memory.

    python bench/lockstep.py

Two shapes of traffic over 20 associations: `lonely`, one message in flight at a time (the worst case: a send and a
receive call of the kernel for each), and `busy`, 200 UEs per instant. Each message is 80 octets and is answered.
The last line writes a capture of the lonely traffic as well.
"""

import tempfile
import time
from pathlib import Path

from regstorm.drivers.framed import FramedTransport
from regstorm.drivers.lockstep import LockstepClock
from regstorm.drivers.memory import MemoryTransport
from regstorm.drivers.pcap import Capture
from regstorm.drivers.tcp import TcpTransport

PAYLOAD = bytes(80)
ASSOCIATIONS = 20


def actions_per_second(count: int) -> float:
    """A thousand chains of trivial actions, each its own instant."""
    clock = LockstepClock()

    def chain(period_s: float):
        def action(now: float) -> None:
            clock.at(now + period_s, action)

        return action

    for n in range(1000):
        clock.at(n * 1e-4, chain(1 + n * 1e-6))
    began = time.perf_counter()
    clock.run(until_s=count / 1000)
    return clock.actions / (time.perf_counter() - began)


def guarded_actions_per_second(count: int) -> float:
    """As above, but every action cancels a guard timer of 15 s and starts another, as procedures do."""
    clock = LockstepClock()

    def chain(period_s: float):
        guard = clock.at(15, int)

        def action(now: float) -> None:
            nonlocal guard
            guard.cancel()
            guard = clock.at(now + 15, int)
            clock.at(now + period_s, action)

        return action

    for n in range(1000):
        clock.at(n * 1e-4, chain(1 + n * 1e-6))
    began = time.perf_counter()
    clock.run(until_s=count / 1000)
    return clock.actions / (time.perf_counter() - began)


def messages_per_second(
    transport: FramedTransport, per_instant: int, count: int, capture: Capture | None = None
) -> float:
    """Requests and answers, `per_instant` requests at a time."""
    clock = LockstepClock()

    def accepted(far) -> None:
        far.on_message = lambda data, stream, ppid, now: far.send(data, stream, ppid)

    listener = transport.listen(accepted)
    ends = [clock.connect(transport, listener) for _ in range(ASSOCIATIONS)]
    heard = 0

    def answered(data: bytes, stream: int, ppid: int, now: float) -> None:
        nonlocal heard
        heard += 1

    for gnb, end in enumerate(ends):
        end.on_message = answered
        if capture is not None:
            capture.attach(gnb, end, clock.peer(end), clock.now)
    turn = 0

    def action(now: float) -> None:
        nonlocal turn
        for _ in range(per_instant):
            turn += 1
            ends[turn % ASSOCIATIONS].send(PAYLOAD)
        clock.at(now + 0.001, action)

    clock.at(0.0, action)
    began = time.perf_counter()
    clock.run(until_s=1e9, finished=lambda: heard >= count)
    rate = 2 * heard / (time.perf_counter() - began)
    for end in ends:
        end.abort()
    clock.run(until_s=0.0)
    listener.close()
    return rate


def main() -> None:
    print(f"{actions_per_second(300_000):12,.0f} actions/s")
    print(f"{guarded_actions_per_second(150_000):12,.0f} actions/s, each restarting a guard timer")
    for name, transport in (("TCP", TcpTransport()), ("memory", MemoryTransport())):
        print(f"{messages_per_second(transport, 1, 30_000):12,.0f} messages/s, {name}, lonely")
        print(f"{messages_per_second(transport, 200, 150_000):12,.0f} messages/s, {name}, busy")
    with tempfile.TemporaryDirectory() as folder, Capture(Path(folder) / "bench.pcap") as capture:
        rate = messages_per_second(TcpTransport(), 1, 30_000, capture)
    print(f"{rate:12,.0f} messages/s, TCP, lonely, captured")


if __name__ == "__main__":
    main()
