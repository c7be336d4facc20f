"""What a failed IMS request means and when to try again: TS 24.229 v17 5.1.1, RFC 3261 20.33, RFC 5626 4.5.

Pure functions of small values, without messages, so a simulator uses the same rules. A P-CSCF is a number here: its
place in the list that the network gave. How a UE waits, and whether it obeys, is not known here. Jitter is not added.

What the specification leaves open is settled as one UE in the field does it, and said where it stands: after a
refusal without Retry-After that is no hint at another P-CSCF the UE waits and asks the same one again. Retry-After
forbids the P-CSCF that sent it and no other (5.1.1.2.1); whether a UE makes use of that is its profile's choice.
"""

from collections.abc import Sequence
from enum import StrEnum
from random import Random
from typing import Final, NamedTuple

from protocols.sip.timers import GM

RETRY_AFTER: Final = "Retry-After"
RFC_5626: Final = "RFC 5626"
"""What a UE waits on, as its observer is told."""

BASE_TIME_S: Final = 30.0
MAX_TIME_S: Final = 1800.0
"""RFC 5626 4.5, "if all flows failed": the only flow of a UE is the one to its P-CSCF."""

FIRST_RETRY_WITHIN_S: Final = 300.0
"""TS 24.229 5.1.1.2.1: after a first failure without Retry-After "the UE shall not wait more than 5 minutes"."""

TIMER_F_S: Final = GM.f_s

MAX_CHALLENGES: Final = 3
"""401 in one attempt: the first, one after a resynchronisation, and one more (5.1.1.5.3: two failed ones in a row)."""

REGISTRATION_EXPIRES_S: Final = 600_000
"""What a UE asks for (5.1.1.2.1)."""

EARLY_S: Final = 600.0
_LONG_S: Final = 1200.0

_ELSEWHERE: Final = frozenset({305, 401})
"""401: challenges that the UE has answered, or could not. The one UE goes on to the next P-CSCF."""
_FUTILE: Final = frozenset({403, 404})
"""Forbidden, or unknown: a repetition will not change it. TS 24.229 names no timer; that the UE stops is assumed."""


# --- how a request can fail ------------------------------------------------------------------------------------------


class Refused(NamedTuple):
    """A final response other than 2xx, with Retry-After and Min-Expires in seconds where it had them.

    `restoration`: a 504 whose body asks for an initial registration, because the S-CSCF has lost the binding.
    """

    status: int
    retry_after_s: int | None = None
    min_expires_s: int | None = None
    restoration: bool = False


class TimerF(NamedTuple):
    """No final response (RFC 3261 17.1.2.2)."""


class TransportLost(NamedTuple):
    """The request could not be sent, or its connection broke before a final response (RFC 3261 8.1.3.1).

    RFC 3261 has it treated as 503; here, as with Timer F, it says that this P-CSCF is not there.
    """


class NetworkNotGenuine(NamedTuple):
    """The challenges did not prove the network genuine, or there was none that the UE can answer (5.1.1.5.3)."""


Failure = Refused | TimerF | TransportLost | NetworkNotGenuine


# --- what follows ----------------------------------------------------------------------------------------------------


class Again(NamedTuple):
    """The same attempt once more at once, asking for `expires_s`."""

    expires_s: int


class Wait(NamedTuple):
    """An initial registration `after_s` from now, through the same P-CSCF. `timer` is what the UE waits on.

    `bars`: until then nothing may be asked of this P-CSCF of the UE's own accord; another may be asked at once.
    """

    after_s: float
    timer: str
    bars: bool = False


class NextPCscf(NamedTuple):
    """An initial registration through the next P-CSCF at once."""


class Stop(NamedTuple):
    """No attempt until the UE registers in the 5GS anew."""


Next = Again | Wait | NextPCscf | Stop


class Recourse(StrEnum):
    """What a UE does that has asked every P-CSCF of its list in vain; TS 24.229 leaves the order of these to it."""

    NEW_SESSION = "new_session"
    """A new ims PDU session, whose establishment names P-CSCFs anew."""
    REREGISTER = "reregister"
    """Deregister from the 5GS and register."""
    TO_EUTRA = "to_eutra"
    """Leave for E-UTRA."""


class Standing(NamedTuple):
    """What of the UE's past the rules look at.

    `failures`: consecutive ones before this. `reregistering`: the attempt that failed was a re-registration.
    `after_reregistration`: it was an initial registration, but only because a re-registration had failed.
    `wished_s`: the expiry that it asked for.
    """

    failures: int = 0
    reregistering: bool = False
    after_reregistration: bool = False
    wished_s: int = REGISTRATION_EXPIRES_S


_FRESH: Final = Standing()


# --- registration ----------------------------------------------------------------------------------------------------


def registration_failed(failure: Failure, rng: Random, standing: Standing = _FRESH) -> Next:
    """After a failed initial registration or re-registration (5.1.1.2.1, 5.1.1.4.1).

    Retry-After counts to the letter; where there is none, RFC 5626 says how long. A re-registration that failed is
    followed by an initial registration; until then, and until it expires, the binding stands.
    """
    match failure:
        case TimerF() | TransportLost() | NetworkNotGenuine():
            return NextPCscf()
        case Refused(restoration=True) if standing.reregistering:
            return Wait(0.0, "")
        case Refused(423, _, min_expires_s) if min_expires_s is not None and min_expires_s > standing.wished_s:
            return Again(min_expires_s)
        case Refused(status) if status in _ELSEWHERE:
            return NextPCscf()
        case Refused(status, None) if status in _FUTILE:
            return Stop()
        case Refused(_, int() as retry_after_s):
            return Wait(float(retry_after_s), RETRY_AFTER, bars=True)
    return Wait(_without_retry_after_s(rng, standing), RFC_5626)


def without_retry_after(failure: Failure) -> Failure:
    """The failure as a UE takes it that does not believe Retry-After."""
    return failure._replace(retry_after_s=None) if isinstance(failure, Refused) else failure


def back_off_s(failures: int, rng: Random) -> float:
    """RFC 5626 4.5 after `failures` consecutive ones: W = min(1800, 30 · 2ⁿ), and of it a uniform 50 to 100 %.

    TS 24.229 asks for it after two failures at the latest; it is applied from the first.
    """
    window_s = min(MAX_TIME_S, BASE_TIME_S * 2.0 ** min(failures, 16))
    return rng.uniform(window_s / 2, window_s)


def _without_retry_after_s(rng: Random, standing: Standing) -> float:
    wait_s = back_off_s(standing.failures + 1, rng)
    first = standing.failures == 0 and not standing.reregistering and not standing.after_reregistration
    return min(wait_s, FIRST_RETRY_WITHIN_S) if first else wait_s


def reregister_after_s(expires_s: float) -> float:
    """From the 200 to the re-registration: 600 s before expiry if that is over 1 200 s, else half of it (5.1.1.4.1)."""
    return expires_s - EARLY_S if expires_s > _LONG_S else expires_s / 2


# --- which P-CSCF ----------------------------------------------------------------------------------------------------


class Ask(NamedTuple):
    """This P-CSCF, now."""

    p_cscf: int


class AskLater(NamedTuple):
    """Whatever may still be asked is barred by Retry-After: the first of them is free at `at_s`."""

    p_cscf: int
    at_s: float


class Exhausted(NamedTuple):
    """All have been asked in vain."""


def choose(preferred: int, in_vain: int, barred_until_s: Sequence[float], now: float) -> Ask | AskLater | Exhausted:
    """Which P-CSCF to ask (5.1.1.2.1): `preferred` and those behind it in turn.

    `in_vain` has bit n set if P-CSCF n was left for another (Timer F, 305, Retry-After …) since the last success.
    """
    count = len(barred_until_s)
    order = [(preferred + n) % count for n in range(count)] if count else []
    left = [one for one in order if not in_vain >> one & 1]
    for one in left:
        if barred_until_s[one] <= now:
            return Ask(one)
    if not left:
        return Exhausted()
    earliest = min(left, key=lambda one: barred_until_s[one])
    return AskLater(earliest, barred_until_s[earliest])


# --- a MESSAGE -------------------------------------------------------------------------------------------------------


def message_lost_binding(failure: Failure) -> bool:
    """Whether a request other than REGISTER failed in a way that makes the UE register anew.

    Timer F says that this P-CSCF is gone: the next one is asked, as for a REGISTER (5.1.1.2.1). A 504 may say that
    the S-CSCF has restarted (5.1.2A.1.6).
    """
    return isinstance(failure, TimerF) or (isinstance(failure, Refused) and failure.restoration)


def described(failure: Failure) -> str:
    """A failure in words, as counters carry it."""
    match failure:
        case Refused(status):
            return f"SIP {status}"
        case TimerF():
            return "Timer F expired"
        case TransportLost():
            return "SIP transport lost"
        case NetworkNotGenuine():
            return "network not genuine"
