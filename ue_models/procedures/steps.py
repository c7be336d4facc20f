"""The words of a procedure: what an attempt yields, what it is told, how it ends.

An attempt yields steps and is driven by ue.py; only `RECEIVE` waits, and its value is the next event. It knows
neither bytes nor time: how a message is protected and when a timer expires is its driver's business.
"""

from collections.abc import Generator
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Final, NamedTuple, TypeVar

from protocols.nas5g.messages import (
    DeregistrationRequest,
    FivegmmMessage,
    FivegsmMessage,
    RegistrationRequest,
    ServiceRequest,
    Unreadable,
)
from protocols.ngap.messages import RrcCause
from ue_models.rules import Failure, SessionFailure
from ue_models.settings import UeSettings
from ue_models.timers import Timer
from ue_models.ue_state import UeState

InitialMessage = RegistrationRequest | ServiceRequest | DeregistrationRequest


class Ue(NamedTuple):
    """What a procedure works on."""

    state: UeState
    settings: UeSettings
    rng: Random


# --- steps -----------------------------------------------------------------------------------------------------------


class SendInitial(NamedTuple):
    """An initial NAS message (4.4.6): opens the connection if there is none."""

    message: InitialMessage
    rrc_cause: RrcCause


class Send(NamedTuple):
    """A 5GMM message on the connection, protected once secure exchange is established."""

    message: FivegmmMessage


class Start(NamedTuple):
    """(Re)start a timer of this attempt."""

    timer: Timer


class Stop(NamedTuple):
    """Stop a timer; harmless if it does not run."""

    timer: Timer


class Receive(Enum):
    """Wait for the next event."""

    NEXT = 0


RECEIVE: Final = Receive.NEXT

Step = SendInitial | Send | Start | Stop | Receive


# --- events ----------------------------------------------------------------------------------------------------------


class Heard(NamedTuple):
    """A message from the network; `protected` if its integrity was checked."""

    message: FivegmmMessage | FivegsmMessage | Unreadable
    protected: bool


class Expired(NamedTuple):
    """A timer of this attempt expired."""

    timer: Timer


class ConnectionLost(NamedTuple):
    """The NAS signalling connection was released or failed, or could not be had."""


Event = Heard | Expired | ConnectionLost


# --- how an attempt ends ---------------------------------------------------------------------------------------------


class Succeeded(NamedTuple):
    """The network agreed."""


Outcome = Succeeded | Failure
SessionOutcome = Succeeded | SessionFailure

Result = TypeVar("Result")
Attempt = Generator[Step, Event, Result]


@dataclass(slots=True)
class InitialRequest:
    """The initial NAS message of this attempt, complete, and whether it went out protected (4.4.6)."""

    message: InitialMessage
    protected: bool
