"""128-NEA2 and 128-NIA2, the AES algorithms that protect NAS (TS 33.501 annex D, TS 33.401 B.1.3 and B.2.3).

Each object keeps one AES context and uses it for every message of its key, because making a context costs more than
a message does. Contexts weigh about 1 KiB each: whoever holds many UEs drops them when a UE goes idle.
"""

from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES128
from cryptography.hazmat.primitives.ciphers.modes import CBC, ECB

_ECB: Final = ECB()
_CBC_FROM_ZERO: Final = CBC(bytes(16))
_BLOCK: Final = 16
_BLOCK_MASK: Final = (1 << 128) - 1
_NO_COUNTER: Final = bytes(4)


def bearer_direction(bearer: int, direction: int) -> bytes:
    """BEARER (5 bits), DIRECTION (0 up, 1 down) and the zeros behind them: four octets."""
    return bytes((bearer << 3 | direction << 2, 0, 0, 0))


class Nea2:
    """AES-128 in counter mode; the counter blocks of a message go through one ECB call."""

    __slots__ = ("_encrypt",)

    def __init__(self, key: bytes) -> None:
        self._encrypt = Cipher(AES128(key), _ECB).encryptor().update

    def apply(self, count: int, bearer_direction: bytes, message: bytes) -> bytes:
        """Cipher or decipher (it is the same) with a COUNT of 32 bits."""
        size = len(message)
        blocks = (size + _BLOCK - 1) // _BLOCK
        head = count.to_bytes(4) + bearer_direction + _NO_COUNTER
        if blocks == 1:
            keystream = self._encrypt(head + _NO_COUNTER)
        else:
            keystream = self._encrypt(b"".join([head + block.to_bytes(4) for block in range(blocks)]))
        surplus_bits = 8 * (blocks * _BLOCK - size)
        return (int.from_bytes(message) ^ int.from_bytes(keystream) >> surplus_bits).to_bytes(size)


class Nia2:
    """AES-CMAC (RFC 4493) cut to 32 bits, on one CBC context.

    A CBC context goes on from its last output, where CMAC wants to start from zero; xoring that output into the
    first block cancels it.
    """

    __slots__ = ("_encrypt", "_last", "_subkey1", "_subkey2")

    def __init__(self, key: bytes) -> None:
        self._encrypt = Cipher(AES128(key), _CBC_FROM_ZERO).encryptor().update
        self._last = int.from_bytes(self._encrypt(bytes(_BLOCK)))
        self._subkey1 = _doubled(self._last)
        self._subkey2 = _doubled(self._subkey1)

    def mac(self, count: int, bearer_direction: bytes, message: bytes) -> bytes:
        """NAS-MAC, four octets, over a COUNT of 32 bits and the message."""
        text = count.to_bytes(4) + bearer_direction + message
        size = len(text)
        missing = -size % _BLOCK
        if missing:
            blocks = int.from_bytes(text + b"\x80" + bytes(missing - 1)) ^ self._subkey2
            size += missing
        else:
            blocks = int.from_bytes(text) ^ self._subkey1
        blocks ^= self._last << 8 * (size - _BLOCK)
        tag = self._encrypt(blocks.to_bytes(size))[-_BLOCK:]
        self._last = int.from_bytes(tag)
        return tag[:4]


def _doubled(block: int) -> int:
    """Times x in GF(2^128), as RFC 4493 2.3 makes its subkeys."""
    return (block << 1 & _BLOCK_MASK) ^ (0x87 if block >> 127 else 0)
