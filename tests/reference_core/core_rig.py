"""A bench for the reference core: an agenda that a test turns by hand, one gNB, and UEs that do as they are told.

The UE here has no timers and no rules of its own; a test says message by message what it sends.
"""

import heapq
from collections import Counter
from random import Random

from protocols.aka import Answer, UsimSqn, answer_challenge
from protocols.credentials import credentials, prior_context
from protocols.identities import Guti, Plmn, serving_network_name
from protocols.milenage import Milenage
from protocols.nas5g import messages as nas
from protocols.nas5g.decode import decode, decode_5gsm
from protocols.nas5g.encode import encode
from protocols.nas_security import Algorithms, SecurityContext, Side, Unprotected
from protocols.ngap import messages as ngap
from protocols.ngap.decode import decode as decode_ngap
from protocols.ngap.encode import encode as encode_ngap
from protocols.suci import conceal
from regstorm.records.core_settings import Core, Udm
from regstorm.records.population import Outage
from regstorm.records.scenario import Network
from regstorm.records.strategy import Strategy
from regstorm.reference_core.amf_pool import AMF_POINTER, AMF_REGION, AMF_SET
from regstorm.reference_core.core import ReferenceCore

SEED = 7
PLMN = Plmn("001", "01")
LOCATION = ngap.UserLocation(PLMN, 16, 1)
CAPABILITY = b"\xa0\xa0"


class _Due:
    def __init__(self, action):
        self.action = action

    def cancel(self):
        self.action = None


class HandAgenda:
    """An agenda that moves when the test says so."""

    def __init__(self):
        self.now = 0.0
        self._heap = []
        self._number = 0

    def at(self, due_s, action):
        self._number += 1
        due = _Due(action)
        heapq.heappush(self._heap, (due_s, self._number, due))
        return due

    def run_until(self, until_s):
        while self._heap and self._heap[0][0] <= until_s:
            due_s, _, due = heapq.heappop(self._heap)
            self.now = max(self.now, due_s)
            if due.action is not None:
                due.action(self.now)
        self.now = until_s

    def run(self, seconds=1.0):
        self.run_until(self.now + seconds)


class Counts(Counter):
    """A tally without seconds."""

    def count(self, name, now, amount=1):
        self[name] += amount

    def gauge(self, name, change):
        self[name] += change


class Gnb:
    """One association; keeps what the core sent until a UE or a test takes it."""

    def __init__(self, rig, peer=1):
        self.rig = rig
        self.peer = peer
        self.received = []
        self.streams = []
        rig.core.association_up(peer, self._take, rig.agenda.now)

    def _take(self, data, stream):
        message = decode_ngap(data)
        assert not isinstance(message, ngap.Unreadable), message
        self.received.append(message)
        self.streams.append(stream)

    def send(self, message, stream=1):
        self.send_octets(encode_ngap(message), stream)

    def send_octets(self, octets, stream=1):
        self.rig.core.receive(self.peer, octets, stream, self.rig.agenda.now)

    def set_up(self):
        self.send(ngap.NgSetupRequest(PLMN, self.peer, "gnb", 1, (nas.Snssai(1),)), 0)
        (answer,) = self.take(ngap.NgSetupResponse)
        return answer

    def take(self, *kinds):
        """Everything of these kinds that has come, taken out."""
        found = [one for one in self.received if isinstance(one, kinds or object)]
        self.received = [one for one in self.received if one not in found]
        return found


class Rig:
    """A core with one gNB, NG Setup done."""

    def __init__(
        self,
        strategy=None,
        authenticate="always",
        network=None,
        population=100,
        home_private_keys=None,
        with_ims=False,
        **core,
    ):
        self.agenda = HandAgenda()
        self.tally = Counts()
        self.network = network or Network()
        udm = core.pop("udm", None) or Udm(capacity_pairs_per_s=10_000)
        settings = Core(udm=udm, **core)
        self.core = ReferenceCore(
            settings,
            self.network,
            strategy or Strategy(name="none", title="", summary=""),
            self.agenda,
            Random(SEED),
            self.tally,
            SEED,
            population,
            Outage(authenticate=authenticate),
            home_private_keys,
            with_ims,
        )
        self.gnb = Gnb(self)
        self.gnb.set_up()

    def run(self, seconds=1.0):
        self.agenda.run(seconds)

    def pairs(self):
        """UDM pairs served so far, by interface."""
        return {name: self.tally[f"udm.served.{name}"] for name in ("N13", "N8", "N10")}


class Ue:
    """A UE on one gNB. `hear()` returns what it understands of what came; keys are checked on the way."""

    def __init__(self, rig, index=0, gnb=None):
        self.rig = rig
        self.gnb = gnb or rig.gnb
        self.index = index
        self.card = credentials(SEED, index, PLMN)
        self.sqn = UsimSqn(self.card.sqn)
        self.suci = conceal(self.card.supi, PLMN)
        self.guti: Guti | None = None
        self.security: SecurityContext | None = None
        self.keys: Answer | None = None
        self.amf_ue_id = None
        self.ran_ue_id = 0
        self.secured = False
        self.protected_downlinks = 0
        self.plain_downlinks = 0

    # --- what it kept ------------------------------------------------------------------------------------------------

    def keep_context(self):
        """As the core has provisioned it."""
        prior = prior_context(SEED, self.index, PLMN, AMF_REGION, AMF_SET, AMF_POINTER)
        self.guti = prior.guti
        self.security = SecurityContext(
            Side.UE, prior.ngksi, prior.kamf, Algorithms(2, 2), prior.uplink_count, prior.downlink_count
        )

    # --- sending -----------------------------------------------------------------------------------------------------

    def connect(self, message, rrc_cause=ngap.RrcCause.MO_SIGNALLING, ran_ue_id=None, protect=True):
        """INITIAL UE MESSAGE on a new connection; protected if the UE has keys."""
        self.ran_ue_id = self.ran_ue_id + 1000 if ran_ue_id is None else ran_ue_id
        self.ran_ue_id += self.index if ran_ue_id is None and self.ran_ue_id == 1000 else 0
        self.amf_ue_id = None
        self.secured = False
        octets = encode(message)
        if self.security is not None and protect:
            octets = self.security.protect(octets, 1)
        s_tmsi = self.guti.s_tmsi() if self.guti is not None else None
        self.gnb.send(ngap.InitialUeMessage(self.ran_ue_id, octets, LOCATION, rrc_cause, s_tmsi))

    def send(self, message, header_type=2):
        octets = message if isinstance(message, bytes) else encode(message)
        if self.secured:
            octets = self.security.protect(octets, header_type)
        self.gnb.send(ngap.UplinkNasTransport(self.amf_ue_id, self.ran_ue_id, octets, LOCATION))

    def send_ngap(self, kind, *fields):
        self.gnb.send(kind(self.amf_ue_id, self.ran_ue_id, *fields))

    def registration_request(self, kind=nas.RegistrationType.INITIAL, **fields):
        ngksi = self.security.ngksi if self.security is not None else nas.NO_KEY
        identity = self.guti or self.suci
        return nas.RegistrationRequest(kind, identity, ngksi, security_capability=CAPABILITY, **fields)

    # --- hearing -----------------------------------------------------------------------------------------------------

    def hear(self):
        """All NAS messages and NGAP messages for this connection since the last time, in order."""
        heard = []
        for message in list(self.gnb.received):
            if getattr(message, "ran_ue_id", None) != self.ran_ue_id:
                continue
            self.gnb.received.remove(message)
            self.amf_ue_id = message.amf_ue_id
            octets = getattr(message, "nas", b"")
            if not isinstance(message, ngap.DownlinkNasTransport):
                heard.append(message)
            if octets:
                heard.append(self._open(octets))
            for session in getattr(message, "sessions", ()):
                if session.nas:
                    heard.append(self._open(session.nas))
        return heard

    def _open(self, octets):
        message = decode(octets)
        if not isinstance(message, nas.Protected):
            self.plain_downlinks += 1
            return message
        self.protected_downlinks += 1
        if message.header_type == 3:
            command = decode(message.inner)
            algorithms = Algorithms(command.ciphering, command.integrity)
            self.security = SecurityContext(Side.UE, command.ngksi, self.keys.kamf, algorithms)
        trusted = self.security.unprotect(octets)
        assert isinstance(trusted, Unprotected), trusted
        self.secured = True
        return decode(trusted[0])

    # --- answers -----------------------------------------------------------------------------------------------------

    def milenage(self):
        return Milenage(self.card.k, self.card.opc)

    def challenge_answer(self, request):
        """RES*, or the failure that the USIM reports."""
        answer = answer_challenge(
            self.milenage(), self.sqn, request.rand, request.autn, serving_network_name(PLMN), self.card.supi
        )
        if isinstance(answer, Answer):
            self.keys, self.sqn = answer, answer.sqn
            return nas.AuthenticationResponse(answer.res_star)
        auts = getattr(answer, "auts", None)
        return nas.AuthenticationFailure(21 if auts else 20, auts)

    def react(self, message):
        """What a UE answers to one message of a registration."""
        match message:
            case nas.IdentityRequest():
                self.send(nas.IdentityResponse(self.suci))
            case nas.AuthenticationRequest():
                self.send(self.challenge_answer(message))
            case nas.SecurityModeCommand():
                container = encode(self.registration_request()) if message.container_requested else None
                self.send(nas.SecurityModeComplete(container=container), 4)
            case ngap.InitialContextSetupRequest():
                tunnels = tuple(
                    ngap.PduSessionTunnel(one.pdu_session_id, bytes(4), bytes(4)) for one in message.sessions
                )
                self.send_ngap(ngap.InitialContextSetupResponse, tunnels)
            case nas.RegistrationAccept() if message.guti is not None:
                self.guti = message.guti
                self.send(nas.RegistrationComplete())
            case ngap.PduSessionResourceSetupRequest():
                tunnels = tuple(
                    ngap.PduSessionTunnel(one.pdu_session_id, bytes(4), bytes(4)) for one in message.sessions
                )
                self.send_ngap(ngap.PduSessionResourceSetupResponse, tunnels)
            case ngap.PduSessionResourceReleaseCommand():
                self.send_ngap(ngap.PduSessionResourceReleaseResponse, message.pdu_session_ids)
            case ngap.UeContextReleaseCommand():
                self.send_ngap(ngap.UeContextReleaseComplete)

    def follow(self, seconds=5.0, step_s=0.1, answers=None):
        """Answers everything for a while; returns all that it heard. `answers`: how many messages it answers."""
        heard = []
        for _ in range(round(seconds / step_s)):
            for message in self.hear():
                heard.append(message)
                if answers is None or len(heard) <= answers:
                    self.react(message)
            self.rig.run(step_s)
        return heard

    # --- whole procedures ---------------------------------------------------------------------------------------------

    def register(self, **how):
        self.connect(self.registration_request(), **how)
        return self.follow(2.0)

    def request_session(self, psi, dnn):
        payload = encode(nas.PduSessionEstablishmentRequest(psi, psi))
        self.send(nas.UlNasTransport(payload, psi, 1, nas.Snssai(1), dnn))

    def reach_full_service(self):
        heard = self.register()
        for psi, dnn in enumerate(self.rig.network.dnns, start=1):
            self.request_session(psi, dnn)
            heard += self.follow(1.0)
        return heard

    def go_idle(self):
        self.send_ngap(ngap.UeContextReleaseRequest, ngap.Cause(ngap.CauseGroup.RADIO_NETWORK, 20))
        return self.follow(0.5)


def session_messages(heard):
    """The 5GSM messages in what was heard."""
    return [decode_5gsm(one.payload) for one in heard if isinstance(one, nas.DlNasTransport)]


def kinds(heard):
    return [type(one).__name__ for one in heard]
