"""The names under which the functions of one IMS core know each other."""

from typing import Final, NamedTuple

from protocols.identities import Plmn
from protocols.ims_identities import SIP_PORT, home_domain


def sbc_addresses(place: int) -> tuple[str, str]:
    """The service addresses of the SBC at `place`; both are one node with one gate and one memory."""
    return f"10.2.{place}.1", f"10.2.{place}.2"


PCSCF_ADDRESSES: Final = sbc_addresses(0)
"""Those of the only SBC, or of the first."""


class ImsNames(NamedTuple):
    """Domain, and SIP URIs without parameters."""

    plmn: Plmn
    domain: str
    icscf: str
    scscf: str
    tas: str
    ip_sm_gw: str

    @staticmethod
    def of(plmn: Plmn) -> "ImsNames":
        """Those of the home network."""
        domain = home_domain(plmn)
        return ImsNames(
            plmn,
            domain,
            *(f"sip:{node}.{domain}:{SIP_PORT}" for node in ("icscf", "scscf", "tas", "ipsmgw")),
        )


def host_of(uri: str) -> str:
    """Host and port of one of these URIs, as a Via has them."""
    return uri.removeprefix("sip:")
