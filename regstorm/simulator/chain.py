"""The chain of a UE's way back as data: its stages, each an uplink message and the calls that it causes.

A stage is what happens between an uplink NAS message and the answer to it. Its calls are made one after the other;
those to the UDM are the pairs at the bottleneck, the others cost a hop on the bus and nothing else (TS 23.502
4.2.2.2.2 and 4.3.2.2.1). What follows in IMS is no chain: ims_chain.py.
"""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple

from regstorm.overload.amplification import skips_authentication
from regstorm.records import operations as ops
from regstorm.records.operations import Operation
from regstorm.records.scenario import Scenario

KNOWN: Final = 0
UNKNOWN_GUTI: Final = 1
ANONYMOUS: Final = 2

SERVICE_REQUEST: Final = 254
PERIODIC_UPDATE: Final = 253
DEREGISTRATION: Final = 252
SESSION_RELEASE: Final = 251
SESSION_RELEASED: Final = 250
"""Uplink messages beside the stages of a chain."""


class Repeats(Enum):
    """Who asks again if the stage's uplink message is lost."""

    NOBODY = auto()
    """It is the first message: the UE's guard timer ends the attempt."""
    NETWORK = auto()
    """The AMF repeats what it has sent before (T3550, T3560, T3570)."""
    UE = auto()
    """The UE repeats its message (T3580)."""


class Pair(NamedTuple):
    """One request to the UDM and its answer."""

    operation: Operation
    hops: int
    """Bus hops from the answer before it (or the uplink message) until it arrives at the UDM."""
    first: bool = False
    """It is the first that its procedure asks for; at the UDM, too, the class of the message decides about it."""


@dataclass(frozen=True, slots=True)
class Stage:
    """An uplink NAS message and what it costs."""

    name: str
    repeats: Repeats
    timer: str = ""
    """Of the network, if it repeats: the name under which a retransmission is counted."""
    pairs: tuple[Pair, ...] = ()
    hops_after: int = 0
    """Bus hops from the last pair (or the uplink message) to the answer of the stage."""
    late_pairs: tuple[Pair, ...] = ()
    """Asked for after the answer has been sent: nobody waits for them."""
    dnn: str | None = None
    """The session that it asks for; None: it belongs to the registration."""
    accepts: bool = False
    """Its answer is the REGISTRATION ACCEPT."""
    secures: bool = False
    """It completes a security mode command: the AMF takes the new security context into use."""


class Chain(NamedTuple):
    """All stages of one way back."""

    stages: tuple[Stage, ...]

    @property
    def pairs(self) -> int:
        """UDM pairs if nothing is repeated."""
        return sum(len(stage.pairs) + len(stage.late_pairs) for stage in self.stages)

    @property
    def messages(self) -> int:
        """Uplink NAS messages if nothing is repeated."""
        return len(self.stages)

    @property
    def first_session(self) -> int:
        """Index of the first stage that asks for a session."""
        return next((i for i, stage in enumerate(self.stages) if stage.dnn is not None), len(self.stages))


@dataclass(frozen=True, slots=True)
class Chains:
    """The chains of a scenario, by what the AMF knows of the UE when it comes."""

    known: Chain
    """It has a GUTI and a security context that the AMF has too."""
    unknown_guti: Chain
    """It has a GUTI that the AMF does not know: identification comes first (TS 24.501 5.4.3)."""
    anonymous: Chain
    """It has no GUTI and brings its SUCI."""

    @property
    def all(self) -> tuple[Chain, Chain, Chain]:
        """In the order of KNOWN, UNKNOWN_GUTI, ANONYMOUS."""
        return self.known, self.unknown_guti, self.anonymous


def chains(scenario: Scenario) -> Chains:
    """The chains of `scenario`: registration and one session per DNN."""
    aggregated = scenario.core.aggregated_nudm
    sessions = tuple(_session(dnn, aggregated) for dnn in scenario.network.dnns)
    authenticated = _authenticated(aggregated)
    anonymous = (_request((_FIRST_CHALLENGE,)), *authenticated, _COMPLETE, *sessions)
    if skips_authentication(scenario.outage):
        known = (_request(_admission(aggregated, first=True), hops_after=1, accepts=True), _COMPLETE, *sessions)
    else:
        known = anonymous
    unknown_guti = (_request(()), _identified(), *authenticated, _COMPLETE, *sessions)
    return Chains(Chain(known), Chain(unknown_guti), Chain(anonymous))


_FIRST_CHALLENGE = Pair(ops.GENERATE_AUTH_DATA, hops=2, first=True)  # AMF–AUSF (N12), AUSF–UDM (N13)


def _request(pairs: tuple[Pair, ...], hops_after: int = 0, accepts: bool = False) -> Stage:
    return Stage("Registration Request", Repeats.NOBODY, pairs=pairs, hops_after=hops_after, accepts=accepts)


def _identified() -> Stage:
    return Stage("Identity Response", Repeats.NETWORK, "T3570", pairs=(_FIRST_CHALLENGE,))


_ADMISSION = (
    ops.REGISTER_AMF,
    ops.GET_AM_DATA,
    ops.GET_SMF_SELECTION,
    ops.GET_UE_CONTEXT_IN_SMF,
    ops.SUBSCRIBE_AMF,
)
_ADMISSION_AGGREGATED = (ops.REGISTER_AMF, ops.SUBSCRIBE_AMF_WITH_DATA)


def _admission(aggregated: bool, first: bool = False) -> tuple[Pair, ...]:
    """TS 23.502 4.2.2.2.2 steps 14a–14c; `aggregated`: its NOTE 10."""
    operations = _ADMISSION_AGGREGATED if aggregated else _ADMISSION
    return tuple(Pair(operation, hops=1, first=first and i == 0) for i, operation in enumerate(operations))


def _authenticated(aggregated: bool) -> tuple[Stage, ...]:
    """From the answer to the challenge to the accept.

    The access policy (Npcf_AMPolicyControl_Create, step 16) is the hop after the pairs.
    """
    confirmation = (Pair(ops.CONFIRM_AUTHENTICATION, hops=2),)
    return (
        Stage("Authentication Response", Repeats.NETWORK, "T3560", pairs=confirmation),
        Stage(
            "Security Mode Complete",
            Repeats.NETWORK,
            "T3560",
            pairs=_admission(aggregated),
            hops_after=1,
            accepts=True,
            secures=True,
        ),
    )


_COMPLETE = Stage("Registration Complete", Repeats.NETWORK, "T3550")


def _session(dnn: str, aggregated: bool) -> Stage:
    """TS 23.502 4.3.2.2.1: steps 4a, 4b before the accept, 16c after the gNB has set up its resources."""
    reads = (ops.SUBSCRIBE_SMF_WITH_DATA,) if aggregated else (ops.GET_SM_DATA, ops.SUBSCRIBE_SMF)
    return Stage(
        f"PDU Session Establishment Request {dnn}",
        Repeats.UE,
        pairs=tuple(Pair(one, hops=2 - min(i, 1)) for i, one in enumerate(reads)),  # AMF–SMF (N11), SMF–UDM (N10)
        hops_after=1,  # Npcf_SMPolicyControl_Create
        late_pairs=(Pair(ops.REGISTER_SMF, hops=2),),
        dnn=dnn,
    )


LEAVES_SMF: Final = (Pair(ops.UNSUBSCRIBE_SMF, hops=2), Pair(ops.DEREGISTER_SMF, hops=1))
"""When a session is released (TS 23.502 4.3.4.2 step 11)."""
LEAVES_AMF: Final = (Pair(ops.UNSUBSCRIBE_AMF, hops=1), Pair(ops.DEREGISTER_AMF, hops=1))
"""When a UE deregisters (TS 23.502 4.2.2.3)."""
