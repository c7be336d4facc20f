"""A network played by hand, for tests of UEs and gNBs: one gNB, one UE, real octets in both directions.

A test says what the network says (`say`, `challenge`, `command`, `accept` …) and looks at what it hears (`hear`).
Time passes only in `run`, `hear` and `until`.
"""

import heapq
from collections import deque
from random import Random

from protocols.aka import Vector, generate_vector, k_amf, k_seaf, next_sqn
from protocols.credentials import credentials, prior_context
from protocols.identities import Guti, Plmn, serving_network_name
from protocols.milenage import Milenage
from protocols.nas5g.decode import decode as decode_nas
from protocols.nas5g.decode import decode_5gsm
from protocols.nas5g.encode import encode as encode_nas
from protocols.nas5g.messages import (
    AuthenticationRequest,
    AuthenticationResponse,
    DlNasTransport,
    PduSessionEstablishmentAccept,
    PduSessionEstablishmentReject,
    PduSessionEstablishmentRequest,
    Protected,
    RegistrationAccept,
    RegistrationComplete,
    RegistrationRequest,
    SecurityModeCommand,
    SecurityModeComplete,
    ServiceAccept,
    ServiceRequest,
    Snssai,
    UlNasTransport,
)
from protocols.nas5g.pco import wants_p_cscf, with_p_cscf
from protocols.nas_security import AES, SecurityContext, Side, Unprotected
from protocols.ngap import causes
from protocols.ngap.decode import decode as decode_ngap
from protocols.ngap.encode import encode as encode_ngap
from protocols.ngap.messages import (
    DownlinkNasTransport,
    Guami,
    InitialContextSetupRequest,
    InitialUeMessage,
    NgSetupRequest,
    NgSetupResponse,
    PduSessionResource,
    PduSessionResourceSetupRequest,
    UeContextReleaseCommand,
    UplinkNasTransport,
)
from protocols.timers import GprsTimer2, GprsTimer3
from ue_models.gnb import Gnb
from ue_models.profiles import OBEDIENT, Profile
from ue_models.settings import UeSettings
from ue_models.ue import UeMachine
from ue_models.ue_state import new_ue

PLMN = Plmn("001", "01")
SNN = serving_network_name(PLMN)
GUAMI = Guami(PLMN, 1, 1, 1)
SLICE = Snssai(1)
AMF_UE_ID = 65_536
P_CSCFS = (bytes((10, 2, 0, 1)), bytes((10, 2, 0, 2)))
TAI_LIST = bytes.fromhex("0000f110000001")


class TestAgenda:
    """Actions by due time, then by order of adding."""

    __test__ = False

    def __init__(self):
        self.now = 0.0
        self._heap = []
        self._added = 0

    def at(self, due_s, action):
        self._added += 1
        entry = _Entry(action)
        heapq.heappush(self._heap, (max(due_s, self.now), self._added, entry))
        return entry

    def next_due_s(self):
        while self._heap and self._heap[0][2].action is None:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def step(self):
        """Calls the next action."""
        self.next_due_s()
        self.now, _, entry = heapq.heappop(self._heap)
        action, entry.action = entry.action, None
        action(self.now)

    def run_until(self, until_s):
        while (due_s := self.next_due_s()) is not None and due_s <= until_s:
            self.step()
        self.now = max(self.now, until_s)


class _Entry:
    def __init__(self, action):
        self.action = action

    def cancel(self):
        self.action = None


class Notebook:
    """An observer that writes everything down."""

    def __init__(self):
        self.started, self.ended, self.rejects, self.service, self.lost = [], [], [], [], []
        self.levels = {}

    def attempt_started(self, ue, procedure, now):
        self.started.append((procedure, now))

    def attempt_ended(self, ue, procedure, started, now, failure):
        self.ended.append((procedure, failure))

    def rejected(self, ue, cause, protected, now):
        self.rejects.append((cause, protected))

    def service_changed(self, ue, in_service, now):
        self.service.append((in_service, now))

    def registration_lost(self, ue, why, now):
        self.lost.append(why)

    def waiting(self, timer, change, now):
        self.levels[timer] = self.levels.get(timer, 0) + change

    def waits(self):
        """Timers that a UE waits on now."""
        return {timer: level for timer, level in self.levels.items() if level}

    def starts(self, procedure):
        return [now for name, now in self.started if name == procedure]


class Network:
    """The AMF's end of the association, and everything behind it."""

    def __init__(
        self, profile: Profile = OBEDIENT, settings: UeSettings | None = None, *, seed=1, index=7, eutra=False
    ):
        self.agenda = TestAgenda()
        self.notes = Notebook()
        self.sent = deque()
        self.settings = settings or UeSettings(PLMN, answer_s=(0.1, 0.1), retry_jitter_s=0.0, operations_every_s=1e9)
        rng = Random(seed)
        self.credentials = credentials(seed, index, PLMN)
        self.user_plane = deque()
        self.gnb = Gnb(
            1,
            PLMN,
            1,
            (SLICE,),
            self.agenda,
            rng,
            self._sent,
            self.notes,
            send_user_plane=lambda octets: self.user_plane.append(octets),
        )
        self.ue = UeMachine(
            new_ue(index, "outage", self.credentials, eutra=eutra),
            profile,
            self.settings,
            self.gnb,
            self.agenda,
            rng,
            self.notes,
        )
        self.state = self.ue.state
        self.prior = prior_context(seed, index, PLMN, 1, 1, 1)
        self.security: SecurityContext | None = None
        self.sqn = self.credentials.sqn
        self.ran_ue_id = None
        self.amf_ue_id = AMF_UE_ID - 1
        self.streams = []
        self.gnb.associated(0.0)
        assert isinstance(self.pop(), NgSetupRequest)
        self.tell(NgSetupResponse("amf", GUAMI, 255, (SLICE,)))

    @property
    def now(self):
        return self.agenda.now

    def _sent(self, data, stream):
        self.sent.append(data)
        self.streams.append(stream)

    def provision(self):
        """The UE is registered since before; the network holds the other half of the context."""
        self.ue.provision(self.prior)
        self.know_prior_context()

    def remember(self):
        """The UE has an identity and a context from before, and is not registered."""
        self.state.restore(self.prior, AES)
        self.know_prior_context()

    def know_prior_context(self):
        prior = self.prior
        self.security = SecurityContext(
            Side.NETWORK, prior.ngksi, prior.kamf, AES, prior.uplink_count, prior.downlink_count
        )

    # --- NGAP --------------------------------------------------------------------------------------------------------

    def pop(self):
        """The oldest NGAP message that was not looked at yet."""
        return decode_ngap(self.sent.popleft())

    def tell(self, message):
        """An NGAP message from the AMF."""
        self.gnb.receive(encode_ngap(message), 0, self.now)

    def run(self, seconds):
        self.agenda.run_until(self.now + seconds)

    def next_ngap(self, within_s=1.0):
        """The next NGAP message, waiting for it."""
        limit = self.now + within_s
        while not self.sent:
            due_s = self.agenda.next_due_s()
            assert due_s is not None, "nothing was said and nothing is due"
            assert due_s <= limit, f"nothing was said for {within_s} s"
            self.agenda.step()
        return self.pop()

    def release(self):
        """UE CONTEXT RELEASE COMMAND; whatever the gNB said meanwhile is thrown away."""
        self.tell(UeContextReleaseCommand(self.amf_ue_id, self.ran_ue_id, causes.NORMAL_RELEASE))
        self.sent.clear()

    # --- NAS ---------------------------------------------------------------------------------------------------------

    def hear_raw(self, within_s=1.0):
        """The next NAS message as octets; NGAP without NAS is skipped."""
        while True:
            message = self.next_ngap(within_s)
            if isinstance(message, InitialUeMessage):
                self.ran_ue_id = message.ran_ue_id
                self.amf_ue_id += 1
                return message.nas
            if isinstance(message, UplinkNasTransport):
                return message.nas

    def hear(self, within_s=1.0):
        """The next NAS message, its protection checked and removed."""
        data = self.hear_raw(within_s)
        message = decode_nas(data)
        if not isinstance(message, Protected):
            return message
        opened = self.security.unprotect(data)
        assert isinstance(opened, Unprotected), opened
        inner = decode_nas(opened.plain)
        container = getattr(inner, "container", None)
        if container is not None and not isinstance(inner, SecurityModeComplete):
            return decode_nas(self.security.decipher_container(container, opened.nas_count))
        return inner

    def silence(self, seconds):
        """Time passes; True if no NAS was sent in it."""
        self.run(seconds)
        heard = [decode_ngap(data) for data in self.sent]
        return not any(isinstance(message, InitialUeMessage | UplinkNasTransport) for message in heard)

    def until_attempt(self, within_s=4000.0):
        """How many seconds pass until the next initial NAS message, and that message."""
        since = self.now
        message = self.hear(within_s)
        return self.now - since, message

    def say(self, message, protected=False, header_type=2):
        self.say_raw(self.octets(message, protected, header_type))

    def octets(self, message, protected=False, header_type=2):
        plain = encode_nas(message)
        return self.security.protect(plain, header_type) if protected else plain

    def say_raw(self, nas):
        self.tell(DownlinkNasTransport(self.amf_ue_id, self.ran_ue_id, nas))

    # --- procedures ---------------------------------------------------------------------------------------------------

    def vector(self, sqn=None, amf_field=b"\x80\x00") -> Vector:
        if sqn is None:
            self.sqn = sqn = next_sqn(self.sqn)
        rand = (sqn * 2_654_435_761 % (1 << 128)).to_bytes(16)
        milenage = Milenage(self.credentials.k, self.credentials.opc)
        return generate_vector(milenage, sqn, rand, amf_field, SNN)

    def challenge(self, vector: Vector, ngksi=1):
        self.say(AuthenticationRequest(ngksi, b"\x00\x00", vector.rand, vector.autn))

    def command(self, vector: Vector, ngksi=1, capability=None, **fields):
        """SECURITY MODE COMMAND under the key of this vector."""
        kamf = k_amf(k_seaf(vector.kausf, SNN), self.credentials.supi)
        self.security = SecurityContext(Side.NETWORK, ngksi, kamf, AES)
        replayed = self.settings.security_capability if capability is None else capability
        self.say(SecurityModeCommand(ngksi, *AES, replayed, **fields), protected=True, header_type=3)

    def authenticate(self, ngksi=1):
        vector = self.vector()
        self.challenge(vector, ngksi)
        assert self.hear() == AuthenticationResponse(vector.xres_star)
        self.command(vector, ngksi)
        complete = self.hear()
        assert isinstance(complete, SecurityModeComplete)
        return complete

    def accept(self, tmsi=0x1234, **fields):
        """INITIAL CONTEXT SETUP with REGISTRATION ACCEPT."""
        guti = None if tmsi is None else Guti(PLMN, 1, 1, 1, tmsi)
        self.set_up_context(RegistrationAccept(guti, TAI_LIST, (SLICE,), **fields))

    def set_up_context(self, nas_message, sessions=()):
        self.tell(
            InitialContextSetupRequest(
                self.amf_ue_id,
                self.ran_ue_id,
                GUAMI,
                (SLICE,),
                self.settings.security_capability,
                bytes(32),
                self.octets(nas_message, protected=True),
                sessions,
            )
        )

    def accept_session(self):
        """Hears a request for a session and grants it."""
        uplink = self.hear()
        assert isinstance(uplink, UlNasTransport)
        request = decode_5gsm(uplink.payload)
        assert isinstance(request, PduSessionEstablishmentRequest)
        psi = request.pdu_session_id
        options = with_p_cscf(P_CSCFS) if wants_p_cscf(request.pco) else None
        accept = PduSessionEstablishmentAccept(psi, request.pti, bytes((10, 0, 0, psi)), uplink.dnn, SLICE, options)
        nas = self.octets(DlNasTransport(encode_nas(accept), psi), protected=True)
        resource = PduSessionResource(psi, SLICE, bytes((127, 0, 0, 1)), psi.to_bytes(4), nas)
        self.tell(PduSessionResourceSetupRequest(self.amf_ue_id, self.ran_ue_id, (resource,)))
        return uplink.dnn

    def reject_session(self, cause, back_off=None):
        """Hears a request for a session and rejects it."""
        uplink = self.hear()
        request = decode_5gsm(uplink.payload)
        reject = PduSessionEstablishmentReject(request.pdu_session_id, request.pti, cause, back_off)
        self.say(DlNasTransport(encode_nas(reject), request.pdu_session_id), protected=True)

    def register(self):
        """A whole registration with both sessions, until the UE is idle in service."""
        assert isinstance(self.hear(), RegistrationRequest)
        self.authenticate()
        self.accept()
        assert self.hear() == RegistrationComplete()
        for _ in self.settings.dnns:
            self.accept_session()
        assert self.ue.in_service
        self.release()

    def serve(self):
        """Hears a service request and accepts it."""
        request = self.hear()
        assert isinstance(request, ServiceRequest)
        self.set_up_context(ServiceAccept())
        return request


def t2(seconds):
    return GprsTimer2.of(seconds)


def t3(seconds):
    return GprsTimer3.of(seconds)
