"""A population of phones that speak to an SBC alone, on the paced clock (ue_models/sip_phone.py, sip_ways.py).

Access is lost and comes back as coverage does in 5GS: with the outage all phones of the outage group lose their
registration, and register within `arrivals_s` after it. At the bundled core everybody is registered from before; at an
SBC that is not ours everybody registers first, at a rate, and leaves at the end.
"""

import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from protocols.credentials import credentials, prior_binding
from protocols.identities import Plmn
from regstorm.drivers.attempts_cap import AttemptsCap
from regstorm.drivers.chance import stream_of_chance
from regstorm.drivers.leaving import leave
from regstorm.drivers.lockstep import Ended
from regstorm.drivers.n2 import GnbLink
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.paced_population import PacedPopulation
from regstorm.drivers.pauses import keep_pauses_short
from regstorm.drivers.sip_ways import ways
from regstorm.drivers.tcp import TcpTransport
from regstorm.drivers.ue_seats import BREATHE_EVERY, WHOLE, Share, go_on, kinds, ue_settings
from regstorm.measures.ue_counts import AttemptListener
from regstorm.records.ports import UeObserver
from regstorm.records.scenario import Scenario
from regstorm.records.sip_aim import SipAim
from regstorm.records.storm_plan import ATTEMPTS_CAP
from ue_models.profiles import Profile
from ue_models.sip_phone import PriorPhone, SipPhone
from ue_models.ue_state import new_ue

LEAVE_GUARD_S: Final = 10.0
"""Scenario seconds for the last phones to leave (assumed: five times T1 of Gm)."""


class Phones:
    """Which phone is who (ue_seats.py for phones)."""

    def __init__(
        self, scenario: Scenario, seed: int, share: Share, make: Callable[[int, str, Profile], SipPhone]
    ) -> None:
        """`make(index, group, profile)`: a phone."""
        self._scenario = scenario
        self._share = share
        self._make = make
        self._kinds = kinds(scenario.population)
        self._seating = stream_of_chance(seed, share.named("who is who"))
        self.outage_group: list[SipPhone] = []
        self.online_group: list[SipPhone] = []

    @property
    def everybody(self) -> list[SipPhone]:
        """By index."""
        return self.outage_group + self.online_group

    def take_outage(self) -> SipPhone:
        """The next one of the outage group."""
        places = self._share.outage(self._scenario.population.outage_ues)
        return self._take("outage", self.outage_group, 0, places)

    def take_online(self) -> SipPhone:
        """The next one of the online group."""
        population = self._scenario.population
        return self._take("online", self.online_group, population.outage_ues, self._share.online(population.online_ues))

    def _take(self, group: str, seated: list[SipPhone], first: int, places: range) -> SipPhone:
        if len(seated) >= len(places):
            raise ValueError(f"the {group} group of this scenario has {len(places)} UEs here and no more")
        phone = self._make(first + places[len(seated)], group, self._profile())
        seated.append(phone)
        return phone

    def _profile(self) -> Profile:
        drawn = self._seating.random()
        for kind, share in self._kinds:
            drawn -= share
            if drawn < 0:
                return kind
        return self._kinds[0][0]


class PhonePopulation:
    """The phones of one process (people.People)."""

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        clock: PacedClock,
        observer: UeObserver,
        share: Share,
        cap: AttemptsCap,
        aim: SipAim,
    ) -> None:
        self.links: tuple[GnbLink, ...] = ()
        self.aim = aim
        self.share = share
        self._scenario = scenario
        self._seed = seed
        self._clock = clock
        self._observer = observer
        self._host = own_address(aim.host, aim.port)
        self._ways = ways(aim.transport, clock, self._host, aim.port, cap)
        self._plmn = Plmn(scenario.network.mcc, scenario.network.mnc)
        self._settings = replace(ue_settings(scenario, seed), ims_expires_s=scenario.core.ims.expires_s)
        self._behaving = stream_of_chance(seed, share.named("UEs"))
        self._renewing = stream_of_chance(seed, share.named("IMS renewals"))
        self._arrival_chance = stream_of_chance(seed, share.named("arrivals"))
        self.seats = Phones(scenario, seed, share, self._phone)

    def in_service_since_before(self, now: float, breathe: Callable[[], None] = go_on) -> None:
        """Registered somewhere between a registration and its renewal, uniformly; the core has its own copies."""
        granted_s = float(self._scenario.core.ims.expires_s)
        for number, phone in enumerate(self.seats.everybody):
            prior = PriorPhone(prior_binding(self._seed, phone.index), granted_s, self._renewing.random())
            phone.provision(prior, now)
            if number % BREATHE_EVERY == 0:
                breathe()

    def register_everybody(self, first_s: float) -> None:
        """From scenario second `first_s` on, at the rate of the aim."""
        rate = self.aim.register_per_s / self.share.parts
        for number, phone in enumerate(self.seats.everybody):
            self._clock.at(first_s + number / rate, phone.return_to_coverage)

    def outage_begins(self, now: float) -> None:
        """The outage group loses its access."""
        for phone in self.seats.outage_group:
            phone.lose_coverage(now)

    def outage_ends(self, now: float) -> None:
        """The outage group comes back, one by one."""
        for phone in self.seats.outage_group:
            after_s = self._arrival_chance.uniform(0, self._scenario.outage.arrivals_s)
            self._clock.at(now + after_s, phone.return_to_coverage)

    def close(self) -> None:
        """Lets go of sockets."""
        self._ways.shut()

    def _phone(self, index: int, group: str, profile: Profile) -> SipPhone:
        return SipPhone(
            new_ue(index, group, credentials(self._seed, index, self._plmn)),
            self._plmn,
            profile,
            self._settings,
            self._ways,
            self._host,
            (self.aim.host,),
            self._clock,
            self._behaving,
            self._observer,
            self.aim.domain,
            self.aim.password,
        )


class SipPopulation(PacedPopulation):
    """A share of the phones, with their script and books."""

    population: PhonePopulation

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        speed: float,
        aim: SipAim,
        attempts: AttemptListener | None = None,
        share: Share = WHOLE,
        attempts_per_wall_s: float = ATTEMPTS_CAP,
    ) -> None:
        """`scenario` is that of the sample. There are no gNBs, and nothing is dialled."""
        self._aim = aim
        address, n2 = (aim.host, aim.port), TcpTransport()
        super().__init__(scenario, seed, speed, address, n2, attempts, share, attempts_per_wall_s=attempts_per_wall_s)

    def get_ready(self, breathe: Callable[[], None] = go_on) -> None:
        """At the bundled core everybody is in service since before."""
        if self._aim.ours:
            super().get_ready(breathe)
        else:
            keep_pauses_short()

    def run(self, zero: float, finished: Callable[[], bool] = lambda: False) -> Ended:
        """As any population; at an SBC that is not ours everybody registers before the outage."""
        if not self._aim.ours:
            self.population.register_everybody(1.0)
        return super().run(zero, finished)

    def leave(self) -> None:
        """An SBC that is not ours is left as it was found; returns when everybody has left, or after a while."""
        if self._aim.ours or not self.begun:
            return
        phones = [phone for phone in self.population.seats.everybody if phone.in_service]
        per_s = self._aim.register_per_s / self.population.share.parts
        leave(self.clock, phones, per_s, lambda phone: phone.in_service, LEAVE_GUARD_S)

    def _core_has_a_say(self) -> bool:
        return self._aim.ours

    def _people(self, seed: int, share: Share) -> PhonePopulation:
        return PhonePopulation(self.scenario, seed, self.clock, self._observer(), share, self.cap, self._aim)


def leaving_s(aim: SipAim, ues: int) -> float:
    """The longest that leaving may take, in seconds."""
    return 0.0 if aim.ours else ues / aim.register_per_s + LEAVE_GUARD_S


def own_address(host: str, port: int) -> str:
    """The address of this machine from which the other is reached. Nothing is sent."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((host, port))
        address: str = probe.getsockname()[0]
    return address
