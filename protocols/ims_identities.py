"""Identities of a subscriber in IMS when there is no ISIM: derived from the IMSI (TS 23.003 13.2–13.4B)."""

from functools import lru_cache
from typing import Final

from protocols.identities import Plmn, imsi_of, supi

SIP_PORT: Final = 5060
_IMSI_DIGITS: Final = 15


@lru_cache(maxsize=1024)
def home_domain(plmn: Plmn) -> str:
    """The home network domain name: `ims.mnc001.mcc001.3gppnetwork.org`. It is the realm of the digest as well."""
    return f"ims.mnc{plmn.mnc:0>3}.mcc{plmn.mcc}.3gppnetwork.org"


def private_identity(supi: str, plmn: Plmn) -> str:
    """The private user identity (IMPI): `001010000000001@ims.mnc001.mcc001.3gppnetwork.org`."""
    return f"{imsi_of(supi)}@{home_domain(plmn)}"


def public_identity(supi: str, plmn: Plmn) -> str:
    """The temporary public user identity (IMPU), as a SIP URI."""
    return f"sip:{private_identity(supi, plmn)}"


def supi_of_identity(identity: str, plmn: Plmn) -> str | None:
    """The SUPI behind a private or temporary public identity of this network; None if it is another's."""
    user, _, domain = identity.removeprefix("sip:").partition("@")
    home = plmn.mcc + plmn.mnc
    if domain != home_domain(plmn) or not user.startswith(home) or len(user) != _IMSI_DIGITS or not user.isdecimal():
        return None
    return supi(plmn, user[len(home) :])
