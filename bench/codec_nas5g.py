"""How much faster than pycrate the NAS-5GS codec is, for every message of a registration.

    python bench/codec_nas5g.py [--floor 50]

Both sides make the same octets from the same values and read the same octets back to values: pycrate by building
the element from a dictionary and `to_bytes`, and by `parse_NAS5G` without looking into containers, and `get_val`.
Median of several rounds of CPU time, pycrate and ours in turns, so that a busy machine disturbs both alike. Exit 1 if
a ratio is below the floor.
"""

import argparse
import gc
import statistics
import sys
from collections.abc import Callable
from time import process_time

from protocols.nas5g.declared import build, parse
from protocols.nas5g.decode import decode, decode_5gsm
from protocols.nas5g.encode import encode
from protocols.nas5g.warm import REGISTRATION

FIVEGSM = b"\x2e"
ROUNDS = 7
ROUND_S = 0.01


def read_with_pycrate(octets: bytes) -> object:
    return parse(octets).get_val()


def cost_us(call: Callable[[], object]) -> float:
    """CPU time of one call in one round, in µs."""
    calls = 1
    while True:
        start = process_time()
        for _ in range(calls):
            call()
        spent = process_time() - start
        if spent >= ROUND_S:
            return spent / calls * 1e6
        calls *= 2


def compare(reference: Callable[[], object], ours: Callable[[], object]) -> tuple[float, float]:
    """Medians of both, in µs, measured in turns."""
    pairs = [(cost_us(reference), cost_us(ours)) for _ in range(ROUNDS)]
    return statistics.median(p for p, _ in pairs), statistics.median(o for _, o in pairs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--floor", type=float, default=50, help="least ratio, default 50")
    floor = parser.parse_args().floor
    gc.freeze()
    print(f"{'':35}{'encode µs':^29}{'decode µs':^29}")
    print(f"{'message':35}" + f"{'pycrate':>9}{'ours':>8}{'ratio':>8}    " * 2)
    worst = float("inf")
    for name, message in REGISTRATION.items():
        octets = encode(message)
        assert octets == build(message)
        encoding = compare(lambda m=message: build(m), lambda m=message: encode(m))
        read = decode_5gsm if octets[:1] == FIVEGSM else decode
        decoding = compare(lambda o=octets: read_with_pycrate(o), lambda o=octets, r=read: r(o))
        cells = "".join(f"{p:9.1f}{o:8.2f}{p / o:8.0f}    " for p, o in (encoding, decoding))
        print(f"{name:35}{cells}", flush=True)
        worst = min(worst, *(p / o for p, o in (encoding, decoding)))
    print(f"lowest ratio {worst:.0f}, floor {floor:.0f}")
    return 0 if worst >= floor else 1


if __name__ == "__main__":
    sys.exit(main())
