"""The population of a storm: gNBs on their associations, UEs in their seats, and what the outage does to them.

One half of every storm, on either clock; the other half is core_side.py, in this process or in another one. Decides
nothing about retries (ue_models.rules); counts through regstorm.measures.
"""

from collections.abc import Callable
from random import Random

from protocols.identities import Plmn
from protocols.nas5g.messages import Snssai
from regstorm.drivers.attempts_cap import AttemptsCap
from regstorm.drivers.chance import stream_of_chance
from regstorm.drivers.n2 import Clock, Dial, GnbLink
from regstorm.drivers.n3 import DialN3, N3Link
from regstorm.drivers.ue_seats import WHOLE, CredentialsOf, Share, TraceOf, UeSeats, go_on, untraced
from regstorm.measures.service_log import ServiceLog
from regstorm.records.ports import UeObserver
from regstorm.records.scenario import Scenario
from ue_models.gnb import Gnb
from ue_models.gnb_pool import GnbPool
from ue_models.radio import BaseStation


class Population:
    """The UEs and gNBs of one process. UEs take their seats first (`seats`)."""

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        clock: Clock,
        dial: Dial,
        observer: UeObserver,
        share: Share = WHOLE,
        cap: AttemptsCap | None = None,
        trace_of: TraceOf = untraced,
        dial_n3: DialN3 | None = None,
        credentials_of: CredentialsOf | None = None,
    ) -> None:
        """`scenario` is that of the sample. `dial_n3`: how user-plane paths come about, as `dial` does by default."""
        self.scenario = scenario
        self.share = share
        self._seed = seed
        self._clock = clock
        self._dial = dial
        self._dial_n3 = dial_n3 or dial
        self._observer = observer
        self._cap = cap
        self._arrival_chance = stream_of_chance(seed, share.named("arrivals"))
        ues = scenario.population
        first_online = -(-ues.outage_ues // ues.ues_per_gnb)
        in_outage, online = len(share.outage(ues.outage_ues)), len(share.online(ues.online_ues))
        self.outage_links, outage_gnbs = self._base_stations(first=0, ues=in_outage)
        self.online_links, online_gnbs = self._base_stations(first=first_online, ues=online)
        self.seats = UeSeats(scenario, seed, clock, observer, outage_gnbs, online_gnbs, share, trace_of, credentials_of)

    @property
    def links(self) -> list[GnbLink]:
        """Of the outage group first."""
        return self.outage_links + self.online_links

    # ---- the script

    def in_service_since_before(self, now: float, breathe: Callable[[], None] = go_on) -> None:
        """Every UE is registered with its sessions up, by the context it kept; the core has its own copies."""
        self.seats.in_service_since_before(now, breathe)

    def outage_begins(self, now: float) -> None:
        """The outage group's gNBs lose their associations, and with them their UEs all coverage."""
        for link in self.outage_links:
            link.cut(now)
        for ue in self.seats.outage_group:
            ue.lose_coverage(now)

    def outage_ends(self, now: float) -> None:
        """The gNBs come back, and their UEs one by one."""
        for link in self.outage_links:
            link.connect(now)
        self.ues_come_back(now)

    def ues_come_back(self, now: float) -> None:
        """The outage group's UEs find their cells again, one by one."""
        for ue in self.seats.outage_group:
            after_s = self._arrival_chance.uniform(0, self.scenario.outage.arrivals_s)
            self._clock.at(now + after_s, ue.return_to_coverage)

    def close(self) -> None:
        """Lets go of the associations."""
        for link in self.links:
            link.close()

    # ---- set-up

    def _base_stations(self, first: int, ues: int) -> tuple[list[GnbLink], list[BaseStation]]:
        """Their associations, one with each AMF, and they themselves as UEs see them."""
        links: list[GnbLink] = []
        stations: list[BaseStation] = []
        legs = len(self.scenario.core.amf_nodes)
        for n in range(-(-ues // self.scenario.population.ues_per_gnb)):
            number = (first + n) * self.share.parts + self.share.part
            n3 = N3Link(number, self._clock, self._dial_n3) if self.scenario.population.ims else None
            rng = stream_of_chance(self._seed, f"gNB {number}")
            gnbs = []
            for leg in range(legs):
                link = GnbLink(number, self._clock, self._dial, self._cap)
                link.gnb = self._gnb(number, link, rng, n3, leg, legs)
                links.append(link)
                gnbs.append(link.gnb)
            pool = GnbPool(gnbs, rng) if legs > 1 else None
            stations.append(pool or gnbs[0])
            if n3 is not None:
                n3.receive = pool.receive_user_plane if pool is not None else gnbs[0].user_plane.receive
                links[-legs].n3 = n3
        return links, stations

    def _gnb(self, number: int, link: GnbLink, rng: Random, n3: N3Link | None, leg: int, legs: int) -> Gnb:
        network = self.scenario.network
        return Gnb(
            gnb_id=number + 1,
            plmn=Plmn(network.mcc, network.mnc),
            tac=network.tac,
            slices=(Snssai(network.sst, network.sd),),
            agenda=self._clock,
            rng=rng,
            send=link.send,
            observer=self._observer,
            inactivity_s=self.scenario.online.inactivity_s,
            send_user_plane=None if n3 is None else n3.send,
            leg=leg,
            legs=legs,
        )


def calm_again(log: ServiceLog, now: float, calm_after_s: float) -> bool:
    """Everybody of the outage group has been back for long enough, since the last outage if there are several."""
    back_s = log.everybody_back_s
    return back_s is not None and now >= back_s + calm_after_s
