"""Seats: which UE is who. Turns a population's shares into UEs with credentials, a profile and a gNB.

Index 0 to n−1 is the outage group, the rest the online group; UE i of a group camps on that group's gNB i / (UEs per
gNB). Who gets which profile is drawn once from the seed, so every strategy meets the same phones.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from protocols.credentials import credentials, home_network_public_key, prior_context
from protocols.identities import Plmn
from protocols.nas5g.messages import Snssai
from protocols.nas_security import AES_ALGORITHM, NULL_ALGORITHM, Algorithms
from regstorm.records.scenario import Profiles, Scenario
from ue_models import profiles
from ue_models.gnb import Gnb
from ue_models.settings import UeSettings
from ue_models.ue import UeMachine
from ue_models.ue_state import UeState, new_ue

if TYPE_CHECKING:
    from regstorm.drivers.wire_storm import WireStorm

ALGORITHMS: Final = {"null": NULL_ALGORITHM, "aes": AES_ALGORITHM}


class UeSeats:
    """All UEs of a storm, taken one by one."""

    def __init__(self, storm: "WireStorm", outage_gnbs: Sequence[Gnb], online_gnbs: Sequence[Gnb]) -> None:
        self._storm = storm
        self._scenario = storm.scenario
        self._seed = storm.seed
        self._gnbs = {"outage": outage_gnbs, "online": online_gnbs}
        self._plmn = Plmn(self._scenario.network.mcc, self._scenario.network.mnc)
        self._settings = ue_settings(self._scenario, self._seed)
        self._kinds = kinds(self._scenario.population.profiles)
        self._seating = storm.stream_of_chance("who is who")
        self._behaving = storm.stream_of_chance("UEs")  # one for all: a generator of its own would cost each UE 2.5 KiB
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
        return self._take("outage", self.outage_group, index=len(self.outage_group))

    def take_online(self) -> UeMachine:
        """The next UE of the online group."""
        first = self._scenario.population.outage_ues
        return self._take("online", self.online_group, index=first + len(self.online_group))

    def in_service_since_before(self, now: float) -> None:
        """Every UE is registered with its sessions up, by the context it kept; the core derives its own copies."""
        network, guami = self._scenario.network, self._storm.core.identity.guami
        algorithms = Algorithms(ALGORITHMS[network.ciphering], ALGORITHMS[network.integrity])
        for ue in self.everybody:
            prior = prior_context(self._seed, ue.index, self._plmn, guami.region, guami.set_id, guami.pointer)
            ue.provision(prior, now, algorithms)
            ue.start_operating(now)

    def _take(self, group: str, seated: list[UeMachine], index: int) -> UeMachine:
        population = self._scenario.population
        if len(seated) >= (population.outage_ues if group == "outage" else population.online_ues):
            raise ValueError(f"the {group} group of this scenario has {len(seated)} UEs and no more")
        gnb = self._gnbs[group][len(seated) // population.ues_per_gnb]
        ue = UeMachine(
            self._new_state(index, group),
            self._profile(),
            self._settings,
            gnb,
            self._storm.clock,
            self._behaving,
            self._storm.ue_counts,
        )
        seated.append(ue)
        return ue

    def _new_state(self, index: int, group: str) -> UeState:
        eutra = self._seating.random() < self._scenario.population.eutra_coverage
        return new_ue(index, group, credentials(self._seed, index, self._plmn), eutra=eutra)

    def _profile(self) -> profiles.Profile:
        drawn = self._seating.random()
        for kind, share in self._kinds:
            drawn -= share
            if drawn < 0:
                return kind
        return self._kinds[0][0]


def kinds(shares: Profiles) -> tuple[tuple[profiles.Profile, float], ...]:
    """The profiles of a population with their shares."""
    return (
        (profiles.OBEDIENT, shares.obedient),
        (profiles.IGNORES_T3346, shares.ignores_t3346),
        (profiles.restless(shares.restless_mean_s), shares.restless),
        (profiles.impatient(shares.impatient_every_s), shares.impatient),
        (profiles.endless(shares.endless_every_s), shares.endless),
    )


def ue_settings(scenario: Scenario, seed: int) -> UeSettings:
    """What all UEs of a scenario have in common."""
    network = scenario.network
    concealed = scenario.population.suci_scheme == "profile_a"
    return UeSettings(
        plmn=Plmn(network.mcc, network.mnc),
        dnns=network.dnns,
        slice_=Snssai(network.sst),
        home_key=home_network_public_key(seed) if concealed else None,
        null_integrity_accepted=network.integrity == "null",
        answer_s=(scenario.ue.answer_s.low, scenario.ue.answer_s.high),
        retry_jitter_s=scenario.ue.retry_jitter_s,
        operations_every_s=scenario.online.every_s,
        periodic_update_share=scenario.online.periodic_update_share,
    )
