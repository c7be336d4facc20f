"""How much faster than pycrate the NGAP codec is, for every message of a registration.

    python bench/codec_ngap.py [--floor 50]

Both sides make the same octets from the same values and read the same octets back to values: pycrate by set_val and
to_aper of a ready dictionary, and by from_aper and get_val. A third column shows our walker, which reads what no
template knows. Median of several rounds of CPU time, pycrate and ours in turns, so that a busy machine disturbs both
alike. Exit 1 if a ratio is below the floor (the walker has none).
"""

import argparse
import gc
import statistics
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

from pycrate_asn1dir import NGAP

from protocols.identities import Plmn, STmsi
from protocols.nas5g.messages import Snssai
from protocols.ngap import causes
from protocols.ngap import messages as m
from protocols.ngap.decode import Counters, _decode_walking, decode
from protocols.ngap.encode import encode

ROUNDS = 7
ROUND_S = 0.01
AMF, RAN = 70_000, 80_000
SLICE = Snssai(1, 0x010203)
LOCATION = m.UserLocation(Plmn("001", "01"), 0x123456789, 1)
GUAMI = m.Guami(Plmn("001", "01"), 1, 2, 3)
SESSION = m.PduSessionResource(1, SLICE, bytes((10, 0, 0, 1)), bytes(4), bytes(71))
TUNNEL = m.PduSessionTunnel(1, bytes((10, 0, 1, 1)), bytes(4))
CAPABILITY = bytes.fromhex("e0e0")

REGISTRATION: dict[str, m.Message] = {
    "Initial UE Message": m.InitialUeMessage(RAN, bytes(30), LOCATION),
    "Initial UE Message, 5G-S-TMSI": m.InitialUeMessage(RAN, bytes(37), LOCATION, s_tmsi=STmsi(1, 2, 3)),
    "Downlink NAS Transport": m.DownlinkNasTransport(AMF, RAN, bytes(42)),
    "Uplink NAS Transport": m.UplinkNasTransport(AMF, RAN, bytes(21), LOCATION),
    "Initial Context Setup Request": m.InitialContextSetupRequest(
        AMF, RAN, GUAMI, (SLICE,), CAPABILITY, bytes(32), bytes(48)
    ),
    "Initial Context Setup Request, session": m.InitialContextSetupRequest(
        AMF, RAN, GUAMI, (SLICE,), CAPABILITY, bytes(32), bytes(14), (SESSION._replace(nas=b""),)
    ),
    "Initial Context Setup Response": m.InitialContextSetupResponse(AMF, RAN),
    "Initial Context Setup Response, session": m.InitialContextSetupResponse(AMF, RAN, (TUNNEL,)),
    "Initial Context Setup Failure": m.InitialContextSetupFailure(AMF, RAN, causes.RADIO_NETWORK_UNSPECIFIED),
    "PDU Session Resource Setup Request": m.PduSessionResourceSetupRequest(AMF, RAN, (SESSION,)),
    "PDU Session Resource Setup Response": m.PduSessionResourceSetupResponse(AMF, RAN, (TUNNEL,)),
    "PDU Session Resource Release Command": m.PduSessionResourceReleaseCommand(AMF, RAN, (1,), bytes(20)),
    "PDU Session Resource Release Response": m.PduSessionResourceReleaseResponse(AMF, RAN, (1,)),
    "UE Context Release Request": m.UeContextReleaseRequest(AMF, RAN, causes.USER_INACTIVITY),
    "UE Context Release Command": m.UeContextReleaseCommand(AMF, RAN, causes.NORMAL_RELEASE),
    "UE Context Release Complete": m.UeContextReleaseComplete(AMF, RAN),
}

_PDU: Any = NGAP.NGAP_PDU_Descriptions.NGAP_PDU


def write_with_pycrate(value: object) -> bytes:
    _PDU.set_val(value)
    octets: bytes = _PDU.to_aper()
    return octets


def read_with_pycrate(octets: bytes) -> object:
    _PDU.from_aper(octets)
    return _PDU.get_val()


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


def medians(*calls: Callable[[], object]) -> list[float]:
    """Medians of all calls, in µs, measured in turns."""
    rounds = [[cost_us(call) for call in calls] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


def measure(message: m.Message) -> tuple[list[float], list[float]]:
    """pycrate's and our cost in µs: of encoding, and of decoding by template and by walker."""
    octets = encode(message)
    value = read_with_pycrate(octets)
    if write_with_pycrate(value) != octets or decode(octets) != message:
        raise SystemExit(f"not the same octets or values: {message}")
    encoding = medians(lambda: write_with_pycrate(value), lambda: encode(message))
    counters = Counters()
    decoding = medians(
        lambda: read_with_pycrate(octets),
        lambda: decode(octets, counters),
        lambda: _decode_walking(octets, counters),
    )
    return encoding, decoding


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--floor", type=float, default=50, help="least ratio, default 50")
    floor = parser.parse_args().floor
    gc.freeze()
    print(f"{'':40}{'encode µs':^29}{'decode µs':^29}")
    print(f"{'message':40}" + f"{'pycrate':>9}{'ours':>8}{'ratio':>8}    " * 2 + f"{'walker':>8}")
    worst = float("inf")
    for name, message in REGISTRATION.items():
        (reference_out, ours_out), (reference_in, ours_in, walker) = measure(message)
        out, in_ = reference_out / ours_out, reference_in / ours_in
        worst = min(worst, out, in_)
        print(
            f"{name:40}{reference_out:9.1f}{ours_out:8.2f}{out:8.0f}    "
            f"{reference_in:9.1f}{ours_in:8.2f}{in_:8.0f}    {walker:8.1f}"
        )
    print(f"worst ratio {worst:.0f}, floor {floor:.0f}")
    return 0 if worst >= floor else 1


if __name__ == "__main__":
    sys.exit(main())
