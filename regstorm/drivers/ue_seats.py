"""Seats: which UE is who. Turns a population's shares into UEs with credentials, a profile and a gNB.

Index 0 to n−1 is the outage group, the rest the online group; UE i of a group camps on that group's gNB i / (UEs per
gNB). Who gets which profile is drawn once from the seed, so every strategy meets the same phones.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from protocols.credentials import (
    Credentials,
    credentials,
    home_network_public_key,
    prior_address,
    prior_binding,
    prior_context,
)
from protocols.identities import Plmn
from protocols.nas5g.messages import Snssai
from protocols.nas_security import AES_ALGORITHM, NULL_ALGORITHM, Algorithms
from protocols.udp import address_text
from regstorm.drivers.chance import stream_of_chance
from regstorm.records.population import Population
from regstorm.records.ports import Agenda, UeObserver
from regstorm.records.scenario import Scenario
from regstorm.reference_core.amf_pool import AMF_REGION, AMF_SET, amf_pointer
from regstorm.reference_core.ims.sbc_pool import p_cscfs_of
from ue_models import profiles
from ue_models.ims_rules import Recourse
from ue_models.radio import BaseStation
from ue_models.settings import UeSettings
from ue_models.traced_ue import Trace, TracedUe
from ue_models.ue import UeMachine
from ue_models.ue_ims import PriorIms
from ue_models.ue_state import UeState, new_ue

ALGORITHMS: Final = {"null": NULL_ALGORITHM, "aes": AES_ALGORITHM}


class Share(NamedTuple):
    """Which part of the population a process drives: UEs `part`, `part` + `parts`, … of each group, or a block of
    each group where somebody else (Locust) has decided how many there are. Its gNBs are those with numbers
    `part`, `part` + `parts`, …
    """

    part: int = 0
    parts: int = 1
    outage_block: range | None = None
    online_block: range | None = None

    def outage(self, count: int) -> range:
        """Its places among `count` UEs of the outage group."""
        return range(self.part, count, self.parts) if self.outage_block is None else self.outage_block

    def online(self, count: int) -> range:
        """Its places among `count` UEs of the online group."""
        return range(self.part, count, self.parts) if self.online_block is None else self.online_block

    def named(self, stream: str) -> str:
        """The name of a stream of chance that no two parts may have in common."""
        return f"{stream} {self.part}" if self.part else stream


WHOLE: Final = Share()

TraceOf = Callable[[int], Trace | None]
"""The trace of the UE with that index; None for those of which none is kept."""


CredentialsOf = Callable[[int], Credentials]

BREATHE_EVERY: Final = 256


def go_on() -> None:
    """Nobody else has anything to do."""


def untraced(index: int) -> Trace | None:
    """No UE has a trace."""
    return None


class UeSeats:
    """All UEs of a storm, or a share of them, taken one by one."""

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        agenda: Agenda,
        observer: UeObserver,
        outage_gnbs: Sequence[BaseStation],
        online_gnbs: Sequence[BaseStation],
        share: Share = WHOLE,
        trace_of: TraceOf = untraced,
        credentials_of: CredentialsOf | None = None,
    ) -> None:
        """`credentials_of`: by index; test credentials from the seed by default."""
        self._scenario = scenario
        self._seed = seed
        self._agenda = agenda
        self._observer = observer
        self._share = share
        self._trace_of = trace_of
        self._gnbs = {"outage": outage_gnbs, "online": online_gnbs}
        self._credentials_of = credentials_of
        self._plmn = Plmn(self._scenario.network.mcc, self._scenario.network.mnc)
        self._settings = ue_settings(self._scenario, self._seed)
        self._kinds = kinds(self._scenario.population)
        self._seating = stream_of_chance(seed, share.named("who is who"))
        # One for all: a generator of its own would cost each UE 2.5 KiB.
        self._behaving = stream_of_chance(seed, share.named("UEs"))
        self._renewing = stream_of_chance(seed, share.named("IMS renewals"))
        self.outage_group: list[UeMachine] = []
        self.online_group: list[UeMachine] = []

    def __len__(self) -> int:
        return len(self.outage_group) + len(self.online_group)

    @property
    def everybody(self) -> list[UeMachine]:
        """By index."""
        return self.outage_group + self.online_group

    def take_outage(self) -> UeMachine:
        """The next UE of the outage group."""
        places = self._share.outage(self._scenario.population.outage_ues)
        return self._take("outage", self.outage_group, first=0, places=places)

    def take_online(self) -> UeMachine:
        """The next UE of the online group."""
        population = self._scenario.population
        places = self._share.online(population.online_ues)
        return self._take("online", self.online_group, first=population.outage_ues, places=places)

    def in_service_since_before(self, now: float, breathe: Callable[[], None] = go_on) -> None:
        """Every UE is registered with its sessions up, by the context it kept; the core derives its own copies.

        `breathe` is called now and then: deriving keys for a large population takes seconds.
        """
        network = self._scenario.network
        algorithms = Algorithms(ALGORITHMS[network.ciphering], ALGORITHMS[network.integrity])
        for number, ue in enumerate(self.everybody):
            pointer = amf_pointer(self._scenario.core, ue.index)
            prior = prior_context(self._seed, ue.index, self._plmn, AMF_REGION, AMF_SET, pointer)
            prior_ims = self._prior_ims(ue.index) if self._settings.ims else None
            ue.provision(prior, now, algorithms, self._scenario.core.amf.t3512_s, prior_ims)
            ue.start_operating(now)
            if number % BREATHE_EVERY == 0:
                breathe()

    def _prior_ims(self, index: int) -> PriorIms:
        """Somewhere between registration and renewal, uniformly: so many fall due in any minute as in any other."""
        address = address_text(prior_address(index, self._settings.ims_session).to_bytes(4))
        granted_s = float(self._scenario.core.ims.expires_s)
        p_cscfs = p_cscfs_of(self._scenario.core, index)
        return PriorIms(prior_binding(self._seed, index), address, p_cscfs, granted_s, self._renewing.random())

    def _take(self, group: str, seated: list[UeMachine], first: int, places: range) -> UeMachine:
        if len(seated) >= len(places):
            raise ValueError(f"the {group} group of this scenario has {len(places)} UEs here and no more")
        gnb = self._gnbs[group][len(seated) // self._scenario.population.ues_per_gnb]
        ue = self._new_ue(first + places[len(seated)], group, gnb)
        seated.append(ue)
        return ue

    def _new_ue(self, index: int, group: str, gnb: BaseStation) -> UeMachine:
        state, profile, trace = self._new_state(index, group), self._profile(), self._trace_of(index)
        common = self._settings, gnb, self._agenda, self._behaving, self._observer
        return UeMachine(state, profile, *common) if trace is None else TracedUe(state, profile, *common, trace)

    def _new_state(self, index: int, group: str) -> UeState:
        eutra = self._seating.random() < self._scenario.population.eutra_coverage
        known = self._credentials_of
        return new_ue(index, group, known(index) if known else credentials(self._seed, index, self._plmn), eutra=eutra)

    def _profile(self) -> profiles.Profile:
        drawn = self._seating.random()
        for kind, share in self._kinds:
            drawn -= share
            if drawn < 0:
                return kind
        return self._kinds[0][0]


def kinds(population: Population) -> tuple[tuple[profiles.Profile, float], ...]:
    """The profiles of a population with their shares."""
    shares, recourse = population.profiles, Recourse(population.p_cscfs_exhausted)
    known = (
        (profiles.OBEDIENT, shares.obedient),
        (profiles.IGNORES_T3346, shares.ignores_t3346),
        (profiles.restless(shares.restless_mean_s), shares.restless),
        (profiles.impatient(shares.impatient_every_s), shares.impatient),
        (profiles.endless(shares.endless_every_s), shares.endless),
        (profiles.IGNORES_RETRY_AFTER, shares.ignores_retry_after),
    )
    waits = population.refused_by_p_cscf == "wait"
    return tuple((replace(profile, recourse=recourse, waits_at_p_cscf=waits), share) for profile, share in known)


def ue_settings(scenario: Scenario, seed: int) -> UeSettings:
    """What all UEs of a scenario have in common."""
    network = scenario.network
    concealed = scenario.population.suci_scheme == "profile_a"
    return UeSettings(
        plmn=Plmn(network.mcc, network.mnc),
        dnns=network.dnns,
        slice_=Snssai(network.sst, network.sd),
        home_key=home_network_public_key(seed) if concealed else None,
        null_integrity_accepted=network.integrity == "null",
        answer_s=(scenario.ue.answer_s.low, scenario.ue.answer_s.high),
        retry_jitter_s=scenario.ue.retry_jitter_s,
        operations_every_s=scenario.online.every_s,
        periodic_update_share=scenario.online.periodic_update_share,
        ims=scenario.population.ims,
        message_share=scenario.online.message_share,
    )
