"""Values between messages and the wire: PLMN identities and security capabilities, both ways.

Pure functions; the small caches only spare work.
"""

from functools import lru_cache

from protocols.field_kinds import bcd_digits, bcd_octets
from protocols.identities import Plmn

Bitmaps = tuple[int, int, int, int]  # NR ciphering, NR integrity, E-UTRA ciphering, E-UTRA integrity

_FILLER = "f"


@lru_cache(maxsize=4096)
def plmn_octets(plmn: Plmn) -> bytes:
    """The three octets of a PLMN identity (9.3.3.5): MCC digits, then MNC digits with a filler before two."""
    mcc, mnc = plmn
    if len(mcc) != 3 or len(mnc) not in (2, 3):
        raise ValueError(f"no PLMN: {plmn}")
    third = mnc[2:] or _FILLER
    return bcd_octets(mcc[:2]) + bytes((int(third, 16) << 4 | int(mcc[2]),)) + bcd_octets(mnc[:2])


@lru_cache(maxsize=4096)
def plmn_of(octets: bytes) -> Plmn | None:
    """The PLMN identity of three octets; None if a digit is none."""
    digits = bcd_digits(octets, 6)
    mcc, third, mnc = digits[:3], digits[3], digits[4:]
    if not (mcc + mnc).isdecimal() or third not in "0123456789f":
        return None
    return Plmn(mcc, mnc if third == _FILLER else mnc + third)


@lru_cache(maxsize=1024)
def security_bitmaps(capability: bytes) -> Bitmaps:
    """The NGAP bitmaps of a NAS UE security capability (TS 38.413 9.3.1.86 from TS 24.501 9.11.3.54).

    NAS numbers algorithms from 0 (the null algorithm) at the top bit of an octet, NGAP from 1: the null algorithms
    drop out. Only two octets mean no E-UTRA algorithms.
    """
    if len(capability) < 2:
        raise ValueError(f"a UE security capability has at least two octets: {capability.hex()}")
    nr_ea, nr_ia, eutra_ea, eutra_ia = (*capability[:4], 0, 0)[:4]
    return nr_ea & 127, nr_ia & 127, eutra_ea & 127, eutra_ia & 127


@lru_cache(maxsize=1024)
def security_capability(bitmaps: Bitmaps) -> bytes:
    """The NAS capability of NGAP bitmaps, null algorithms included (every UE has them, TS 33.501 5.2)."""
    octets = bytes(128 | bitmap for bitmap in bitmaps)
    return octets if any(bitmaps[2:]) else octets[:2]
