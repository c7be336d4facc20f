"""The user plane in a capture: what the N3 paths carried, as UDP on port 2152 between the addresses that NGAP names."""

from protocols.gtpu import PORT
from protocols.udp import Endpoint, address_text, udp_packet
from regstorm.drivers.association import Association, CloseReason
from regstorm.drivers.pcap import CORE_MAC, GNBS_MAX, Capture
from regstorm.reference_core.smf import UPF_ADDRESS
from ue_models.gnb_user_plane import n3_address

_IPV4 = b"\x08\x00"
_UPF: Endpoint = (address_text(UPF_ADDRESS), PORT)
_UPF_MAC = bytes.fromhex(CORE_MAC.replace(":", ""))


def attach_n3(capture: Capture, gnb: int, near: Association, far: Association) -> None:
    """Captures the path of base station `gnb` (from 0): `near` is its end, `far` the UPF's."""
    if not 0 <= gnb < GNBS_MAX:
        raise ValueError(f"base stations are numbered 0 to {GNBS_MAX - 1} in a capture, not {gnb}")
    own = address_text(n3_address(gnb + 1)), PORT
    mac = b"\x02\x00\x0a\x00" + bytes((gnb // 250, gnb % 250 + 1))
    near.tap = _Tap(capture, mac + _UPF_MAC + _IPV4, _UPF, own)
    far.tap = _Tap(capture, _UPF_MAC + mac + _IPV4, own, _UPF)


class _Tap:
    """At one end: what arrives there came from `source`."""

    def __init__(self, capture: Capture, ethernet: bytes, source: Endpoint, destination: Endpoint) -> None:
        self._capture, self._ethernet, self._source, self._destination = capture, ethernet, source, destination

    def message(self, data: bytes, stream: int, ppid: int, now: float) -> None:
        """See association.Tap."""
        self._capture.write(self._ethernet + udp_packet(self._source, self._destination, data), now)

    def closed(self, reason: CloseReason, ended_here: bool, now: float) -> None:
        """UDP has no end."""
