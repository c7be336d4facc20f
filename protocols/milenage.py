"""MILENAGE, the algorithms f1 to f5* of a USIM and its home network (TS 35.206), on AES-128.

Everything is computed with two AES calls: one for TEMP, one for all the blocks that depend on it. Integers of 128
bits stand for blocks, because Python xors and rotates them faster than octets.
"""

from typing import Final, NamedTuple

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES128
from cryptography.hazmat.primitives.ciphers.modes import ECB

_BLOCK_MASK: Final = (1 << 128) - 1
_ECB: Final = ECB()
# c2–c5 of TS 35.206 4.1; c1 is zero. r1–r5 are 64, 0, 32, 64 and 96 bits.
_C2, _C3, _C4, _C5 = 1, 2, 4, 8
_IN_EVERY_BLOCK_OF_4: Final = sum(1 << 128 * block for block in range(4))
_IN_EVERY_BLOCK_OF_5: Final = sum(1 << 128 * block for block in range(5))


class KeysAndResponse(NamedTuple):
    """f2 (RES), f3 (CK), f4 (IK), f5 (AK) and f5* (AK for a resynchronisation) of one RAND."""

    res: bytes
    ck: bytes
    ik: bytes
    ak: bytes
    ak_star: bytes


class MacPair(NamedTuple):
    """f1 (MAC-A, the home network's) and f1* (MAC-S, the USIM's in a resynchronisation)."""

    mac_a: bytes
    mac_s: bytes


def opc_of(k: bytes, op: bytes) -> bytes:
    """OPc of a subscriber key and the operator's OP (TS 35.206 4.1)."""
    encrypted = Cipher(AES128(k), _ECB).encryptor().update(op)
    return (int.from_bytes(encrypted) ^ int.from_bytes(op)).to_bytes(16)


class Milenage:
    """The algorithm set of one subscriber.

    Holds an AES context (about 1 KiB): make it for a procedure, drop it after.
    """

    __slots__ = ("_encrypt", "_opc")

    def __init__(self, k: bytes, opc: bytes) -> None:
        self._encrypt = Cipher(AES128(k), _ECB).encryptor().update
        self._opc = int.from_bytes(opc)

    def f1(self, rand: bytes, sqn: int, amf: bytes) -> MacPair:
        """MAC-A and MAC-S over RAND, SQN (48 bits) and the authentication management field (2 octets)."""
        block = self._encrypt(self._block_of_f1(self._temp(rand), sqn, amf))
        return _macs(int.from_bytes(block) ^ self._opc)

    def f2345(self, rand: bytes) -> KeysAndResponse:
        """RES, CK, IK, AK and AK*: all that depends on RAND alone."""
        blocks = self._encrypt(self._blocks_of_f2345(self._temp(rand)))
        return _keys((int.from_bytes(blocks) ^ self._opc * _IN_EVERY_BLOCK_OF_4).to_bytes(64))

    def all(self, rand: bytes, sqn: int, amf: bytes) -> tuple[MacPair, KeysAndResponse]:
        """f1 to f5* at once, as the home network needs them for a vector; cheaper than one after the other."""
        temp = self._temp(rand)
        blocks = self._encrypt(self._block_of_f1(temp, sqn, amf) + self._blocks_of_f2345(temp))
        out = (int.from_bytes(blocks) ^ self._opc * _IN_EVERY_BLOCK_OF_5).to_bytes(80)
        return MacPair(out[:8], out[8:16]), _keys(out[16:])

    def _temp(self, rand: bytes) -> int:
        return int.from_bytes(self._encrypt((int.from_bytes(rand) ^ self._opc).to_bytes(16)))

    def _block_of_f1(self, temp: int, sqn: int, amf: bytes) -> bytes:
        in1 = int.from_bytes((sqn.to_bytes(6) + amf) * 2)
        return (temp ^ _rotated(in1 ^ self._opc, 64)).to_bytes(16)

    def _blocks_of_f2345(self, temp: int) -> bytes:
        t = temp ^ self._opc
        return (
            (t ^ _C2).to_bytes(16)
            + (_rotated(t, 32) ^ _C3).to_bytes(16)
            + (_rotated(t, 64) ^ _C4).to_bytes(16)
            + (_rotated(t, 96) ^ _C5).to_bytes(16)
        )


def _rotated(block: int, bits: int) -> int:
    return (block << bits | block >> 128 - bits) & _BLOCK_MASK


def _macs(out1: int) -> MacPair:
    octets = out1.to_bytes(16)
    return MacPair(octets[:8], octets[8:])


def _keys(out: bytes) -> KeysAndResponse:
    """OUT2–OUT5, 64 octets, cut as TS 35.206 4.1 says."""
    return KeysAndResponse(res=out[8:16], ck=out[16:32], ik=out[32:48], ak=out[:6], ak_star=out[48:54])
