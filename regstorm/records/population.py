"""What a scenario says about users: who wants back in, who is in service all the while, and when the outage is."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Profiles(_Record):
    """Shares of UE behaviour; they add up to 1."""

    obedient: float = Field(default=1.0, ge=0, le=1)
    ignores_t3346: float = Field(default=0.0, ge=0, le=1)
    ignores_retry_after: float = Field(default=0.0, ge=0, le=1)
    """In IMS: backs off by RFC 5626 whatever Retry-After says."""
    restless: float = Field(default=0.0, ge=0, le=1)
    impatient: float = Field(default=0.0, ge=0, le=1)
    endless: float = Field(default=0.0, ge=0, le=1)
    restless_mean_s: float = Field(default=120.0, gt=0)
    impatient_every_s: float = Field(default=5.0, gt=0)
    endless_every_s: float = Field(default=0.3, gt=0)

    @model_validator(mode="after")
    def _whole(self) -> "Profiles":
        total = self.obedient + self.ignores_t3346 + self.ignores_retry_after
        total += self.restless + self.impatient + self.endless
        if abs(total - 1) > 1e-6:
            raise ValueError(f"the shares of the profiles must add up to 1, not {total:g}")
        return self


class Population(_Record):
    """Who wants back in, and who is in service all the while."""

    outage_ues: int = Field(ge=1)
    online_ues: int = Field(ge=0)
    ues_per_gnb: int = Field(default=250, ge=1)
    """UEs that one gNB carries in the run, whatever the sample."""
    profiles: Profiles = Profiles()
    suci_scheme: Literal["null", "profile_a"] = "null"
    unprotected: float = Field(default=0.0, ge=0, le=1)
    """Share of the outage group whose security context no AMF has any more: what they are told first cannot be
    protected, so they draw T3346 themselves (TS 24.501 5.3.9)."""
    eutra_coverage: float = Field(default=0.0, ge=0, le=1)
    """Share of UEs that find E-UTRA after five failed attempts and leave for it."""
    ims: bool = False
    """UEs register in IMS too: full service needs it, and a registration is 25 pairs instead of 13."""
    p_cscfs_exhausted: Literal["new_session", "reregister", "to_eutra"] = "new_session"
    """What a UE does that asked every P-CSCF in vain: a new ims session, deregister and register, leave for E-UTRA."""
    refused_by_p_cscf: Literal["next_p_cscf", "wait"] = "next_p_cscf"
    """What a UE does that one P-CSCF refused with Retry-After: ask the other at once, or wait and ask the same."""


class OnlineOperations(_Record):
    """What users in service do: one operation every `every_s` on average (exponential)."""

    every_s: float = Field(default=600.0, gt=0)
    periodic_update_share: float = Field(default=0.1, ge=0, le=1)
    """The rest are service requests. T3512's own periodic updates come on top."""
    message_share: float = Field(default=0.0, ge=0, le=1)
    """Share of operations that are short messages over IMS, if the population has it."""
    inactivity_s: float = Field(default=10.0, gt=0)
    """gNB inactivity timer: UE CONTEXT RELEASE REQUEST this long after the last message."""


class Outage(_Record):
    """The outage group's gNBs lose their associations for `lasts_s`; then its UEs come back within `arrivals_s`.

    It can strike several times. Recovery times are then those of the first outage; the run ends after the last.
    """

    begins_s: float = Field(default=120.0, ge=0)
    lasts_s: float = Field(default=60.0, gt=0)
    arrivals_s: float = Field(default=45.0, gt=0)
    repeats: int = Field(default=1, ge=1, le=1000)
    """So many outages, all alike."""
    every_s: float | None = Field(default=None, gt=0)
    """From the beginning of an outage to that of the next; needed if there is more than one."""
    strikes: Literal["gnbs", "sbc"] = "gnbs"
    """What is gone meanwhile. sbc: the SBC, which comes back without bindings; for storms of phones that have no 5GC
    before them (locustfiles/storm_ims.py)."""
    amf_context: Literal["kept", "lost"] = "kept"
    authenticate: Literal["always", "when_needed"] = "always"
    recovery_within_s: float = Field(default=3600.0, gt=0)
    """The run ends this long after the end of the outage at the latest."""
    calm_after_s: float = Field(default=60.0, ge=0)
    """… or this long after everybody is back."""

    @model_validator(mode="after")
    def _one_after_the_other(self) -> "Outage":
        if self.repeats > 1 and self.every_s is None:
            raise ValueError("repeats: expected every_s with it, from one beginning to the next")
        if self.every_s is not None and "repeats" not in self.model_fields_set:
            raise ValueError("every_s: expected repeats with it, how many outages there are")
        if self.every_s is not None and self.every_s <= self.lasts_s + self.arrivals_s:
            raise ValueError(
                f"every_s {self.every_s:g}: expected more than lasts_s + arrivals_s, {self.lasts_s + self.arrivals_s:g}"
            )
        return self

    @property
    def beginnings_s(self) -> tuple[float, ...]:
        """When each outage begins."""
        return tuple(self.begins_s + number * (self.every_s or 0.0) for number in range(self.repeats))

    @property
    def end_s(self) -> float:
        """Of the first outage: recovery times are counted from it."""
        return self.begins_s + self.lasts_s

    @property
    def last_end_s(self) -> float:
        """Of the last outage."""
        return self.beginnings_s[-1] + self.lasts_s
