"""The values that the retry rules take and give: how an attempt can fail, and what follows (rules.py)."""

from typing import NamedTuple

from protocols.causes import FivegmmCause as Mm
from protocols.causes import FivegsmCause as Sm
from protocols.timers import CodedTimer

# --- how an attempt can fail -----------------------------------------------------------------------------------------


class NoAnswer(NamedTuple):
    """The guard timer of the procedure expired (T3510, T3517, T3580 for the fifth time …)."""


class LowerLayerFailure(NamedTuple):
    """The connection was lost, released or refused before the answer."""


class Rejected(NamedTuple):
    """REGISTRATION REJECT or SERVICE REJECT. `protected`: its integrity was checked. `t3502` as in the message."""

    cause: Mm
    t3346: CodedTimer | None = None
    protected: bool = True
    t3502: CodedTimer | None = None


class AuthenticationRefused(NamedTuple):
    """AUTHENTICATION REJECT (5.4.1.3.5)."""

    protected: bool = False


class SessionRejected(NamedTuple):
    """PDU SESSION ESTABLISHMENT REJECT; `back_off` is T3396 (#26), T3584 (#67) or T3585 (#69)."""

    cause: Sm
    back_off: CodedTimer | None = None


class NotForwarded(NamedTuple):
    """DL NAS TRANSPORT brought the UE's own 5GSM message back, with a 5GMM cause (5.4.5.3.3)."""

    cause: Mm
    back_off: CodedTimer | None = None


Failure = NoAnswer | LowerLayerFailure | Rejected | AuthenticationRefused
SessionFailure = NoAnswer | SessionRejected | NotForwarded


# --- what follows ----------------------------------------------------------------------------------------------------


class Retry(NamedTuple):
    """The same procedure again, `after_s` from now.

    `timer` is what the UE waits on ("" where nothing runs). `attempts` is the attempt counter when that next attempt
    begins. `forget`: GUTI, TAI list and ngKSI are deleted, so the next attempt brings a SUCI and no protection.
    """

    after_s: float
    timer: str
    attempts: int
    forget: bool = False


class RegisterAnew(NamedTuple):
    """The UE is deregistered and begins an initial registration at once."""

    forget: bool


class Never(NamedTuple):
    """No automatic attempt until the UE is switched off."""

    forget: bool = True


class ToEutra(NamedTuple):
    """The UE leaves NG-RAN and attaches through E-UTRA."""

    forget: bool = True


class GiveUp(NamedTuple):
    """The procedure is over and nothing forbids the next, which somebody has to ask for."""


Next = Retry | RegisterAnew | Never | ToEutra | GiveUp
