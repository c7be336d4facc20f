"""The IMS core as a whole: puts its nodes together on the core's bus; datagrams of UEs come in and go out here."""

from collections.abc import Callable, Iterable, Mapping
from ipaddress import IPv4Address
from random import Random
from typing import Any

from protocols.credentials import prior_address, prior_binding, supi_of
from protocols.digest import AKAV1_MD5, NonceCount
from protocols.identities import Plmn
from protocols.ims_identities import private_identity, public_identity
from regstorm.overload import compose
from regstorm.overload.amplification import BackEnd
from regstorm.overload.front_door import FrontDoor
from regstorm.overload.protected_server import ProtectedServer
from regstorm.overload.second_door import width_of_second_door
from regstorm.records import ims_counters as counters
from regstorm.records import operations as ops
from regstorm.records.core_settings import Core, Shedding
from regstorm.records.core_settings import ImsNode as NodeSettings
from regstorm.records.nodes import Node
from regstorm.records.operations import UPLINK_MESSAGES_PER_IMS_REGISTRATION, Nf, Operation
from regstorm.records.ports import Agenda, Tally
from regstorm.records.strategy import Strategy
from regstorm.reference_core.bus import Bus, Handler
from regstorm.reference_core.ims import ip_sm_gw, telephony_as
from regstorm.reference_core.ims.accounts import Accounts
from regstorm.reference_core.ims.application_server import ApplicationServer, Download
from regstorm.reference_core.ims.hss import Hss
from regstorm.reference_core.ims.icscf import Icscf
from regstorm.reference_core.ims.known_users import Bound, Endpoint
from regstorm.reference_core.ims.names import ImsNames, host_of
from regstorm.reference_core.ims.node import SipNode
from regstorm.reference_core.ims.registrations import Registration, Vector
from regstorm.reference_core.ims.sbc import Sbc
from regstorm.reference_core.ims.sbc_pool import SbcPool
from regstorm.reference_core.ims.scscf import Scscf
from regstorm.reference_core.ims.third_party import ThirdParties
from regstorm.reference_core.ims.user_profile import FilterCriteria
from regstorm.reference_core.pair_ledger import PairLedger
from regstorm.reference_core.pair_server import Doors
from regstorm.reference_core.service_queue import ServiceQueue
from regstorm.reference_core.subscribers import Subscribers

SBC_DEPTH = 2.0
"""The SBC's bucket is deeper than the AMF's by this factor: UEs that the AMF lets in evenly arrive here bunched, by
the jitter of everything that lies between (assumed; without it a balanced gate refuses some of them)."""


class ImsCore:
    """SBC, CSCFs, application servers and the IMS part of the HSS."""

    def __init__(
        self,
        core: Core,
        plmn: Plmn,
        strategy: Strategy,
        tightest: BackEnd,
        bus: Bus,
        agenda: Agenda,
        rng: Random,
        tally: Tally,
        ledger: PairLedger,
        subscribers: Subscribers,
        hss: Doors,
    ) -> None:
        """`tightest`: what the gate's rate follows from. `hss`: the front door that serves Cx and Sh."""
        self.send: Callable[[bytes, Endpoint, Endpoint], None] = _nowhere
        """send(datagram, source, destination): set by whoever carries datagrams to UEs."""
        self.service_changed: Callable[[str, bool, float], None] | None = None
        """Called with SUPI, whether the user is in full service now, and when; for whoever follows it."""
        self.names = ImsNames.of(plmn)
        self.accounts = Accounts(ledger)
        self._core, self._tightest = core, tightest
        self._bus, self._agenda, self._tally, self._strategy = bus, agenda, tally, strategy
        self._tiers = compose.tier_table(strategy)
        self._servers: list[ProtectedServer[Any]] = []
        self._served: dict[str, bool] = {}  # those in full service; a dict keeps its order
        ledger.is_served = self.serves
        streams = (Random(rng.getrandbits(64)) for _ in range(6))
        self._door_rng, self._nodes_rng, self._retry_rng, vectors_rng, nonces_rng, _ = streams

        password = core.ims.digest_password
        self.hss = Hss(self.names, subscribers, _criteria(self.names, core), hss, vectors_rng, password)
        self.sbcs = SbcPool(
            core,
            strategy,
            self.names,
            bus,
            agenda,
            tally,
            self.accounts,
            self._to_ue,
            self._make_door,
            self._door_rng,
            self._nodes_rng,
        )
        self._servers += self.sbcs.servers
        icscf = Icscf(self.names, tally, core.ims.on_hss_failure)
        self._node(Nf.ICSCF, icscf.handlers, core.ims.cscf)
        self.scscf = self._make_scscf(nonces_rng)
        self.tas = self._make_telephony_as()
        self.ip_sm_gw = self._make_ip_sm_gw()

    # --- Gm ----------------------------------------------------------------------------------------------------------

    @property
    def sbc(self) -> Sbc:
        """The only one, or the first."""
        return self.sbcs.sbcs[0]

    def receive(self, datagram: bytes, source: Endpoint, destination: Endpoint, now: float) -> None:
        """A datagram of a UE for one of the P-CSCF addresses. No octets raise anything."""
        self.sbcs.receive(datagram, source, destination, now)

    def serves(self, supi: str) -> bool:
        """Full service in IMS: the user is registered, and both application servers hold the registration."""
        return supi in self._served

    # --- before and during an outage ---------------------------------------------------------------------------------

    def provision(self, seed: int, indices: Iterable[int], pdu_session_id: int, now: float = 0.0) -> None:
        """These test subscribers are registered in IMS with both application servers, as their credentials have it.

        `pdu_session_id`: of the session whose address they use. The registration lasts for `core.ims.expires_s`.
        """
        criteria = _criteria(self.names, self._core)
        expires_at_s = now + self._core.ims.expires_s
        route = self.scscf.service_route
        for index in indices:
            supi = supi_of(index, self.names.plmn)
            identity, private = public_identity(supi, self.names.plmn), private_identity(supi, self.names.plmn)
            subscriber = self.hss.subscriber(identity)
            if subscriber is None:
                raise ValueError(f"no subscriber has the index {index}")
            subscriber.serving_cscf, subscriber.registered_in_ims = self.names.scscf, True
            prior = prior_binding(seed, index)
            vector = Vector(prior.nonce, AKAV1_MD5, prior.res, NonceCount())
            vector.count.accepts(prior.nonce_count)
            known = Registration(identity, supi, private, expires_at_s, vector=vector, criteria=criteria)
            self.scscf.registrations.keep(known)
            address = str(IPv4Address(prior_address(index, pdu_session_id)))
            self.sbcs.bind(index, identity, Bound(address, expires_at_s, service_route=(route,)))
            self.tas.provision(supi, identity)
            self.ip_sm_gw.provision(supi, identity)
            self._look_again(supi, now)

    def forget(self, supis: Iterable[str], now: float) -> None:
        """The outage has taken these users: no node knows their registrations any more."""
        for supi in supis:
            identity = public_identity(supi, self.names.plmn)
            self.sbcs.unbind(identity)
            self.scscf.registrations.drop(identity)
            self.scscf.challenges.take(identity)
            self.tas.forget(supi)
            self.ip_sm_gw.forget(supi)
            self.accounts.failed(supi, now)
            subscriber = self.hss.subscriber(identity)
            if subscriber is not None:
                subscriber.serving_cscf, subscriber.registered_in_ims = None, False
            self._look_again(supi, now)

    def restart_sbc(self) -> None:
        """SBCs lose their bindings: every re-REGISTER looks like a first one until its user has registered anew."""
        self.sbcs.restart()

    def take_strategy(self, strategy: Strategy) -> None:
        """Another overload control from now on: a new door, and the queues of all nodes in its order."""
        self._strategy = strategy
        self._tiers = compose.tier_table(strategy)
        self.sbcs.take_strategy(strategy)
        for server in self._servers:
            server.order_by(compose.ordered_tiers(strategy))

    # --- full service ------------------------------------------------------------------------------------------------

    def _look_again(self, supi: str, now: float) -> None:
        """Something that full service needs has come or gone."""
        registered = self.scscf.registrations.of(public_identity(supi, self.names.plmn)) is not None
        served = registered and self.tas.holds(supi) and self.ip_sm_gw.holds(supi)
        if served == self.serves(supi):
            return
        if served:
            self._served[supi] = True
            self.accounts.in_full_service(supi)
        else:
            del self._served[supi]
        self._tally.gauge(counters.FULL_SERVICE, 1 if served else -1)
        if self.service_changed is not None:
            self.service_changed(supi, served, now)

    # --- the nodes ---------------------------------------------------------------------------------------------------

    def _make_door(self, strategy: Strategy, sbc: Node, rng: Random) -> FrontDoor:
        return compose.front_door(
            strategy,
            self._tightest.as_if_all_pairs_per_s,
            self._tightest.pairs_per_ue,
            UPLINK_MESSAGES_PER_IMS_REGISTRATION,
            rng,
            width=sbc.share * width_of_second_door(strategy, self._core.sbc.share_of_amf),
            depth=SBC_DEPTH,
            node=sbc.name,
        )

    def _make_scscf(self, nonces_rng: Random) -> Scscf:
        ims = self._core.ims
        third_parties = ThirdParties(self.names, self._agenda, self._tally, ims.as_retry, self._retry_rng)
        scscf = Scscf(
            ims, self.names, self._agenda, self._tally, self.accounts, nonces_rng, third_parties, self._look_again
        )
        scscf.node = third_parties.node = self._node(Nf.SCSCF, scscf.handlers, ims.cscf)
        return scscf

    def _make_telephony_as(self) -> ApplicationServer:
        aggregated = self._core.ims.aggregated_download
        arrival = telephony_as.aggregated_arrival if aggregated else telephony_as.arrival
        return self._application_server(
            Nf.TAS, self.names.tas, ops.SIP_REGISTER_TAS, arrival, telephony_as.departure, {}
        )

    def _make_ip_sm_gw(self) -> ApplicationServer:
        aggregated = self._core.ims.aggregated_download
        arrival = ip_sm_gw.aggregated_arrival if aggregated else ip_sm_gw.arrival
        departure = ip_sm_gw.aggregated_departure if aggregated else ip_sm_gw.departure
        relay = {ops.SIP_MESSAGE_IP_SM_GW: ip_sm_gw.MessageRelay(self._tally).message}
        return self._application_server(
            Nf.IP_SM_GW, self.names.ip_sm_gw, ops.SIP_REGISTER_IP_SM_GW, arrival, departure, relay
        )

    def _application_server(
        self,
        nf: Nf,
        uri: str,
        register: Operation,
        arrival: Download,
        departure: Download,
        further: Mapping[Operation, Handler],
    ) -> ApplicationServer:
        ims = self._core.ims
        tries_again = ims.default_handling == "continued"
        made = ApplicationServer(
            host_of(uri),
            arrival,
            departure,
            self._agenda,
            self._tally,
            ims.as_retry,
            tries_again,
            self._retry_rng,
            self._look_again,
        )
        made.node = self._node(nf, {register: made.register, **further}, ims.application_server)
        return made

    def _node(self, nf: Nf, handlers: Mapping[Operation, Handler], settings: NodeSettings) -> SipNode:
        queue = self._queue(settings.shedding, settings.capacity_messages_per_s)
        return SipNode(nf, self._bus, handlers, queue, lambda: self._tiers, self._tally)

    def _queue(self, shedding: Shedding, capacity: float) -> ServiceQueue:
        server = compose.server(shedding, capacity, self._strategy, Random(self._nodes_rng.getrandbits(64)))
        self._servers.append(server)
        return ServiceQueue(server, self._agenda)

    def _to_ue(self, datagram: bytes, source: Endpoint, destination: Endpoint) -> None:
        self.send(datagram, source, destination)


def _criteria(names: ImsNames, core: Core) -> tuple[FilterCriteria, ...]:
    """The same for every subscriber: telephony first, then short messages."""
    handling = core.ims.default_handling
    return (
        FilterCriteria(1, ("REGISTER", "INVITE"), names.tas, handling),
        FilterCriteria(2, ("REGISTER", "MESSAGE"), names.ip_sm_gw, handling),
    )


def _nowhere(datagram: bytes, source: Endpoint, destination: Endpoint) -> None:
    """Nobody carries datagrams yet."""
