"""AKA as IMS uses it: RES, CK and IK as they are, no key hierarchy behind them (TS 33.203 6.1, TS 33.102 6.3).

Both sides, as pure functions. The sequence numbers are those of protocols.aka: one USIM serves both domains.
"""

import hmac
from typing import NamedTuple

from protocols.aka import MacFailure, SynchFailure, UsimSqn, auts_of
from protocols.milenage import Milenage


class ImsVector(NamedTuple):
    """An authentication vector as the HSS hands it to the S-CSCF (SIP-Auth-Data-Item, TS 29.228 6.3)."""

    rand: bytes
    autn: bytes
    xres: bytes
    ck: bytes
    ik: bytes


class ImsAnswer(NamedTuple):
    """The network is genuine: RES is the password of the digest; `sqn` is what the USIM remembers from now on."""

    res: bytes
    ck: bytes
    ik: bytes
    sqn: UsimSqn


def generate_ims_vector(milenage: Milenage, sqn: int, rand: bytes, amf_field: bytes) -> ImsVector:
    """The HSS's work: a challenge with this SQN (48 bits), RAND (16 octets) and AMF field."""
    (mac_a, _), keys = milenage.all(rand, sqn, amf_field)
    sqn_xor_ak = (sqn ^ int.from_bytes(keys.ak)).to_bytes(6)
    return ImsVector(rand, sqn_xor_ak + amf_field + mac_a, keys.res, keys.ck, keys.ik)


def answer_ims_challenge(
    milenage: Milenage, sqn_ms: UsimSqn, rand: bytes, autn: bytes
) -> ImsAnswer | MacFailure | SynchFailure:
    """The UE's work on RAND and AUTN (TS 33.102 6.3.3): MAC first, then SQN. The separation bit is not looked at."""
    if len(rand) != 16 or len(autn) != 16:
        return MacFailure()
    sqn_xor_ak, amf_field, mac = autn[:6], autn[6:8], autn[8:]
    keys = milenage.f2345(rand)
    sqn = int.from_bytes(sqn_xor_ak) ^ int.from_bytes(keys.ak)
    if not hmac.compare_digest(milenage.f1(rand, sqn, amf_field).mac_a, mac):
        return MacFailure()
    if not sqn_ms.accepts(sqn):
        return SynchFailure(auts_of(milenage, rand, sqn_ms.highest, keys.ak_star))
    return ImsAnswer(keys.res, keys.ck, keys.ik, sqn_ms.after(sqn))
