"""What the cryptography of a registration costs, in µs per operation: median of the repetitions, and the smallest.

    python bench/crypto.py [REPETITIONS]

Measure on an otherwise idle machine; one repetition is 1 000 calls.
"""

import statistics
import sys
import time
from random import Random

from protocols.aka import UsimSqn, answer_challenge, generate_vector, next_sqn, resynchronise
from protocols.credentials import credentials, prior_context
from protocols.identities import Plmn, serving_network_name
from protocols.milenage import Milenage
from protocols.nas_security import HeaderType, SecurityContext, Side
from protocols.suci import conceal, conceal_profile_a, deconceal, home_network_key
from protocols.timers import GprsTimer2

CALLS = 1000


def operations():
    """Name and call of each measured operation."""
    rng, plmn = Random(1), Plmn("001", "01")
    snn, subscriber = serving_network_name(plmn), credentials(1, 0, plmn)
    milenage, rand = Milenage(subscriber.k, subscriber.opc), rng.randbytes(16)
    vector = generate_vector(milenage, next_sqn(subscriber.sqn), rand, subscriber.amf_field, snn)
    usim, advanced = UsimSqn(subscriber.sqn), UsimSqn(next_sqn(subscriber.sqn))
    auts = answer_challenge(milenage, advanced, rand, vector.autn, snn, subscriber.supi).auts
    private, ephemeral = rng.randbytes(32), rng.randbytes(32)
    home = home_network_key(1, private)
    concealed = conceal_profile_a(subscriber.supi, plmn, home, ephemeral)
    kamf, message = rng.randbytes(32), rng.randbytes(47)
    ue, network = SecurityContext(Side.UE, 0, kamf), SecurityContext(Side.NETWORK, 0, kamf)

    def there():
        ue.uplink_count &= 0xFF  # far from the end, however often it is called
        return ue.protect(message, HeaderType.CIPHERED)

    def there_and_back():
        ue.uplink_count = network.uplink_count = 5
        return network.unprotect(ue.protect(message, HeaderType.CIPHERED))

    def fresh():
        return SecurityContext(Side.UE, 0, kamf).protect(message, HeaderType.CIPHERED)

    return {
        "Milenage, context made": lambda: Milenage(subscriber.k, subscriber.opc),
        "Milenage f1–f5*": lambda: milenage.all(rand, subscriber.sqn, subscriber.amf_field),
        "generate_vector": lambda: generate_vector(milenage, subscriber.sqn, rand, subscriber.amf_field, snn),
        "answer_challenge": lambda: answer_challenge(milenage, usim, rand, vector.autn, snn, subscriber.supi),
        "resynchronise": lambda: resynchronise(milenage, rand, auts),
        "protect 47 octets, NEA2 and NIA2": there,
        "protect and unprotect 47 octets": there_and_back,
        "new security context and first protect": fresh,
        "conceal, null-scheme": lambda: conceal(subscriber.supi, plmn),
        "conceal, profile A": lambda: conceal_profile_a(subscriber.supi, plmn, home, ephemeral),
        "deconceal, profile A": lambda: deconceal(concealed, {1: private}),
        "credentials": lambda: credentials(1, 7, plmn),
        "prior_context": lambda: prior_context(1, 7, plmn, 2, 1, 0),
        "GprsTimer2.of": lambda: GprsTimer2.of(97.3, 0.2),
    }


def microseconds(call) -> float:
    """Mean of one repetition."""
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS * 1e6


def main() -> None:
    """Print the table."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(f"{'operation':40} {'median µs':>10} {'min µs':>8}")
    for name, call in operations().items():
        measured = [microseconds(call) for _ in range(repetitions)]
        print(f"{name:40} {statistics.median(measured):10.2f} {min(measured):8.2f}")


if __name__ == "__main__":
    main()
