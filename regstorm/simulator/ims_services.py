"""Behind the 200: who is registered, third-party registration at the application servers, and how both end.

An application server that is told of a user whom it does not hold asks the HSS for its data; it holds the user when
everything has been answered (TS 24.229 5.4.1.7). A third-party registration that fails is made up for after a while
(default handling "continued") or ends the user's registration ("terminated").
"""

from random import Random
from typing import Final, NamedTuple

from protocols.sip.timers import GM
from regstorm.records import ims_counters as counters
from regstorm.records.message_classes import MessageClass
from regstorm.records.operations import Nf
from regstorm.records.scenario import Scenario
from regstorm.simulator import events, ims_chain
from regstorm.simulator.back_end import BackEnd
from regstorm.simulator.calls import Charges, unheard
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.ims_nodes import ImsNodes
from regstorm.simulator.ledger import Account, Ledger
from regstorm.simulator.listener import ImsListener, SipResponse
from regstorm.simulator.population import Population, Ue, numbers, times_s
from regstorm.simulator.tally import SecondTally

_SERVERS: Final = (Nf.TAS, Nf.IP_SM_GW)
_ALL: Final = (1 << len(_SERVERS)) - 1
_UE_MASK: Final = (1 << events.UE_BITS) - 1


class _Told(NamedTuple):
    """A third-party REGISTER: which AS, about which registration of whom, in whose books."""

    ue: Ue
    server: int
    version: int
    account: Account | None


class _Notified(NamedTuple):
    """A NOTIFY on its way to a UE, repeated as any request."""

    ue: Ue
    since_s: float
    repeats: int


class ImsServices:
    """The part of the core that UEs do not see."""

    def __init__(
        self,
        scenario: Scenario,
        population: Population,
        ledger: Ledger,
        back_end: BackEnd,
        heap: EventHeap,
        tally: SecondTally,
        seed: int,
    ) -> None:
        self.listener: ImsListener
        self.nodes: ImsNodes
        ims = scenario.core.ims
        self._ues = population.ues
        self._ledger = ledger
        self._back_end = back_end
        self._heap = heap
        self._tally = tally
        self._counts = tally.counts
        self._rng = Random(f"{seed} third parties")
        self._expires_s = float(ims.expires_s)
        self.known_until_s = times_s(population.size)
        """By UE: how long the S-CSCF keeps its registration; 0: it has none."""
        self._awaits_answer = bytearray(population.size)
        """By UE: the S-CSCF waits for an answer to its challenge."""
        self._version = numbers(population.size)
        """By UE: changes with every registration at the S-CSCF and with its end."""
        self._holds = bytearray([_ALL]) * population.size
        """By UE; bit n: application server n holds the user."""
        self._hop_s = scenario.core.bus.hop_s
        self._continues = ims.default_handling == "continued"
        self._retry = ims.as_retry
        self._downloads = (ims_chain.telephony(ims), ims_chain.short_messages(ims))
        self._retries: dict[tuple[int, int], tuple[int, Account | None]] = {}
        """By UE and AS: the event at which the AS asks again, and in whose books."""
        self._told_again: dict[int, _Told] = {}
        """By event: third-party REGISTERs that no AS has heard."""
        self._notified: dict[int, _Notified] = {}
        self._unheard: dict[Ue, SipResponse] = {}
        """By UE: responses that came when it had no connection, and are there for its retransmission."""
        self._follow_up = 0
        """The tier of what follows an admitted request."""
        self._leaving = 0
        self._challenge: Charges
        self._assignment: Charges
        self._end: Charges
        self._arrivals: tuple[Charges, ...]
        self._departures: tuple[Charges, ...]

    def _price(self) -> None:
        """What everything costs under the strategy in force."""
        charge, tier = self._back_end.charge, self.nodes.tiers.tier
        self._follow_up, self._leaving = tier(MessageClass.FOLLOW_UP), tier(MessageClass.DEREGISTRATION)
        self._challenge = tuple(charge(one, MessageClass.FOLLOW_UP) for one in ims_chain.CHALLENGE)
        self._assignment = tuple(charge(one, MessageClass.FOLLOW_UP) for one in ims_chain.ASSIGNMENT)
        self._end = tuple(charge(one, MessageClass.DEREGISTRATION) for one in ims_chain.ASSIGNMENT)
        self._arrivals = tuple(
            tuple(charge(one, MessageClass.FOLLOW_UP) for one in server.arrival) for server in self._downloads
        )
        self._departures = tuple(
            tuple(charge(one, MessageClass.DEREGISTRATION) for one in server.departure) for server in self._downloads
        )

    # --- full service ------------------------------------------------------------------------------------------------

    def serves(self, ue: Ue) -> bool:
        """The user is registered, and both application servers hold the registration."""
        return ue.ims_served

    def _look_again(self, ue: Ue, now: float) -> None:
        served = self.known_until_s[ue.index] > 0 and self._holds[ue.index] == _ALL
        if served == ue.ims_served:
            return
        ue.ims_served = served
        if served:
            self._ledger.full_in_ims(ue)
        self._tally.gauge(counters.FULL_SERVICE, 1 if served else -1)
        self.listener.core_service_changed(ue, now)

    def begin(self) -> None:
        """Everybody is registered since before the run."""
        for ue in self._ues:
            self.known_until_s[ue.index] = self._expires_s
        self._tally.gauge(counters.FULL_SERVICE, len(self._ues))

    def forget(self, ue: Ue, now: float) -> None:
        """The outage has taken the user: no node knows its registration any more."""
        ue.ims_bound = ue.ims_challenged_at_sbc = self._awaits_answer[ue.index] = False
        self.known_until_s[ue.index] = 0.0
        self._holds[ue.index] = 0
        self._version[ue.index] += 1
        for server in range(len(_SERVERS)):
            self._retries.pop((ue.index, server), None)
        self._ledger.failed_in_ims(ue)
        self._look_again(ue, now)

    # --- registrations -----------------------------------------------------------------------------------------------

    def registered(self, ue: Ue, account: Account | None, now: float) -> None:
        """SAR was answered: the S-CSCF has the registration, and tells both application servers."""
        self._version[ue.index] += 1
        self.known_until_s[ue.index] = until_s = now + self._expires_s
        self.listener.core_registered(ue, until_s)
        self._look_again(ue, now)
        for server in range(len(_SERVERS)):
            self._tell(_Told(ue, server, self._version[ue.index], account), now)

    def expire(self, ue: Ue, now: float) -> None:
        """Nobody has renewed the registration in time."""
        self._end_registration(ue, "expired", now)

    def _terminate(self, ue: Ue, now: float) -> None:
        """The network takes the registration away (5.4.1.5): HSS, application servers and the UE are told."""
        self._end_registration(ue, "network", now)
        self._notify(_Notified(ue, now + self._hop_s, 0), now + self._hop_s)

    def _end_registration(self, ue: Ue, why: str, now: float) -> None:
        self.known_until_s[ue.index] = 0.0
        self._version[ue.index] += 1
        self._counts[f"{counters.DEREGISTERED}.{why}"] += 1
        self._counts[counters.DEREGISTERED] += 1
        self._look_again(ue, now)
        self._back_end.ask_for(ue, 0, self._end, None, unheard, unheard, now)
        for server, nf in enumerate(_SERVERS):
            self.nodes.send(nf, self._leaving, self._departs, _unheard_by_as, (ue, server), now)

    def _notify(self, notified: _Notified, due_s: float) -> None:
        self._notified[self._heap.at(due_s, events.NOTIFY, 0)] = notified

    def notify_due(self, _: int, now: float, event: int) -> None:
        """NOTIFY goes out, for the first time or again until Timer F."""
        ue, since_s, repeats = self._notified.pop(event)
        ue.ims_bound = False
        if not self.listener.deregistered_in_ims(ue, now):
            interval_s = min(GM.t1_s * 2.0**repeats, GM.t2_s)
            if now + interval_s < since_s + GM.f_s:
                self._notify(_Notified(ue, since_s, repeats + 1), now + interval_s)

    # --- third-party registration ------------------------------------------------------------------------------------

    def _tell(self, told: _Told, now: float) -> None:
        self.nodes.send(_SERVERS[told.server], self._follow_up, self._arrives, self._not_told, told, now)

    def _arrives(self, told: _Told, now: float) -> None:
        """At the application server."""
        if not self._holds[told.ue.index] >> told.server & 1:
            self._retries.pop((told.ue.index, told.server), None)
            self._download(told, now)

    def _download(self, told: _Told, now: float) -> None:
        charges = self._arrivals[told.server]
        self._back_end.ask_for(told.ue, told, charges, told.account, self._hold, self._download_failed, now)

    def _hold(self, ue: Ue, told: _Told, now: float) -> None:
        self._holds[ue.index] |= 1 << told.server
        self._counts[counters.THIRD_PARTY] += 1
        self._counts[f"{counters.THIRD_PARTY}.{_SERVERS[told.server]}"] += 1
        self._look_again(ue, now)

    def _download_failed(self, ue: Ue, told: _Told, now: float) -> None:
        """The AS answers 500, and tries again by itself where the session continues all the same."""
        if self._continues:
            self._try_later(ue, told, now)
        self._third_party_failed(told, now, heard=True)

    def _try_later(self, ue: Ue, told: _Told, now: float) -> None:
        subject = told.server << events.UE_BITS | ue.index
        event = self._heap.at(now + self._rng.uniform(self._retry.low, self._retry.high), events.AS_RETRY, subject)
        self._retries[ue.index, told.server] = (event, told.account)

    def retry_due(self, subject: int, now: float, number: int) -> None:
        """An AS asks the HSS again."""
        server, ue = subject >> events.UE_BITS, self._ues[subject & _UE_MASK]
        event, account = self._retries.get((ue.index, server), (0, None))
        if number != event:
            return
        del self._retries[ue.index, server]
        if not self._holds[ue.index] >> server & 1:
            told = _Told(ue, server, self._version[ue.index], account)
            self._back_end.ask_for(ue, told, self._arrivals[server], account, self._hold, self._try_later, now)

    def _not_told(self, told: _Told, now: float) -> None:
        self._third_party_failed(told, now, heard=False)

    def _third_party_failed(self, told: _Told, now: float, heard: bool) -> None:
        self._counts[counters.THIRD_PARTY_FAILED] += 1
        self._counts[f"{counters.THIRD_PARTY_FAILED}.{_SERVERS[told.server]}"] += 1
        if self._version[told.ue.index] != told.version:
            return
        if not self._continues:
            self._terminate(told.ue, now)
        elif not heard:
            due_s = now + self._rng.uniform(self._retry.low, self._retry.high)
            self._told_again[self._heap.at(due_s, events.TELL_AGAIN, 0)] = told

    def tell_again(self, _: int, now: float, event: int) -> None:
        """The S-CSCF repeats a third-party REGISTER that was not heard."""
        told = self._told_again.pop(event)
        if self._version[told.ue.index] == told.version:
            self._tell(told, now)

    def _departs(self, leaving: tuple[Ue, int], now: float) -> None:
        """The AS lets go of the user at once; the HSS is told after that."""
        ue, server = leaving
        self._retries.pop((ue.index, server), None)
        if self._holds[ue.index] >> server & 1:
            self._holds[ue.index] &= ~(1 << server)
            self._look_again(ue, now)
            if self._departures[server]:
                self._back_end.ask_for(ue, server, self._departures[server], None, unheard, unheard, now)


def _unheard_by_as(leaving: tuple[Ue, int], now: float) -> None:
    """Whether an AS hears that the user is gone changes nothing."""
