"""What IMS asks of the HSS, as data: on Cx for a registration, on Sh for each application server.

The order is that of TS 24.229 5.3.1.2 and 5.4.1, docs/ims.md has it as a table. Every pair is one hop from who asks.
"""

from typing import Final, NamedTuple

from regstorm.records import operations as ops
from regstorm.records.core_settings import Ims
from regstorm.records.operations import Operation
from regstorm.simulator.chain import Pair


def _pairs(*operations: Operation) -> tuple[Pair, ...]:
    return tuple(Pair(one, hops=1) for one in operations)


AUTHORIZATION: Final = _pairs(ops.USER_AUTHORIZATION)
"""The I-CSCF: which S-CSCF?"""
CHALLENGE: Final = _pairs(ops.MULTIMEDIA_AUTH)
ASSIGNMENT: Final = _pairs(ops.SERVER_ASSIGNMENT)
"""The S-CSCF: a vector, and the user's profile."""


class Downloads(NamedTuple):
    """Of one application server: what it asks for when a user comes and goes."""

    arrival: tuple[Pair, ...]
    departure: tuple[Pair, ...]


def telephony(ims: Ims) -> Downloads:
    """Four reads and a subscription, or one subscription that brings all of it (TS 29.329 6.1.5)."""
    reads = () if ims.aggregated_download else (ops.USER_DATA,) * 4
    return Downloads(_pairs(*reads, ops.SUBSCRIBE_NOTIFICATIONS), ())


def short_messages(ims: Ims) -> Downloads:
    """A read, the IP-SM-GW's own number, a subscription; the write stays where downloads are aggregated."""
    if ims.aggregated_download:
        return Downloads(_pairs(ops.PROFILE_UPDATE, ops.SUBSCRIBE_NOTIFICATIONS), _pairs(ops.PROFILE_UPDATE))
    written = (ops.PROFILE_UPDATE, ops.SUBSCRIBE_NOTIFICATIONS)
    return Downloads(_pairs(ops.USER_DATA, *written), _pairs(*written))
