"""A P-CSCF and what is behind it, played by hand, for tests of a UE's IMS side: real octets in both directions.

A test looks at what the UE asks (`hear`) and says what the network answers (`say`, `challenge`, `accept`).
"""

from collections import deque
from random import Random

from scripted_network import PLMN, Notebook, TestAgenda

from protocols.aka import next_sqn, resynchronise
from protocols.credentials import credentials, prior_binding
from protocols.digest import AKAV1_MD5, AUTH, Challenge, aka_nonce, auts_of, verifies
from protocols.ims_aka import generate_ims_vector
from protocols.ims_identities import home_domain, private_identity, public_identity
from protocols.milenage import Milenage
from protocols.sip.authentication import WWW_AUTHENTICATE, challenge_text
from protocols.sip.authentication import credentials as credentials_of
from protocols.sip.decode import decode
from protocols.sip.encode import answer, encode
from protocols.sip.messages import Request
from protocols.udp import read_udp, udp_packet
from ue_models.ims_state import ImsState
from ue_models.ims_ue import ImsUe
from ue_models.procedures.steps import Ue
from ue_models.profiles import OBEDIENT
from ue_models.settings import UeSettings
from ue_models.timer_set import TimerSet
from ue_models.ue_state import new_ue

P_CSCFS = ("10.2.0.1", "10.2.0.2")
ADDRESS = "10.128.0.1"
SEED = 1


class Registrar:
    """The network and the owner of the UE's IMS side in one."""

    def __init__(self, profile=OBEDIENT, p_cscfs=P_CSCFS):
        self.agenda = TestAgenda()
        self.book = Notebook()
        self.p_cscfs = p_cscfs
        keys = credentials(SEED, 0, PLMN)
        self.keys, self.sqn, self.milenage = keys, keys.sqn, Milenage(keys.k, keys.opc)
        self.vector = None
        self.packets = deque()
        self.changes, self.exhausted, self.discarded = [], [], []
        state = new_ue(0, "outage", keys)
        impi, impu = private_identity(keys.supi, PLMN), public_identity(keys.supi, PLMN)
        self.ims = ImsState(impi, impu, home_domain(PLMN), "urn:gsma:imei:99000000-000000-0")
        self.state = state
        settings = UeSettings(PLMN, retry_jitter_s=0.0)
        timers = TimerSet(self.agenda)
        self.ue = ImsUe(Ue(state, settings, Random(7)), self.ims, self, profile, timers, self.book)

    @property
    def now(self):
        return self.agenda.now

    # --- what the UE calls ---

    def send_packet(self, packet, now):
        self.packets.append((now, packet))

    def forget_packets(self):
        pass  # they all went out

    def ims_changed(self, now):
        if not self.changes or self.changes[-1] != self.ue.registered:
            self.changes.append(self.ue.registered)

    def ims_exhausted(self, recourse, now):
        self.exhausted.append((recourse, now))

    def packet_discarded(self, why, now):
        self.discarded.append(why)

    # --- what a test says and hears ---

    def session_up(self):
        self.ue.session_up(ADDRESS, self.p_cscfs, self.now)

    def provisioned(self, granted_s=3600.0, share=0.5):
        self.ue.provision(prior_binding(SEED, 0), ADDRESS, self.p_cscfs, granted_s, share, self.now)

    def run(self, seconds):
        self.agenda.run_until(self.agenda.now + seconds)

    def hear(self, method="REGISTER", within=3.0):
        """The next request (or the retransmission of one) that the UE sends, within so many seconds."""
        until = self.agenda.now + within
        while not self.packets:
            due = self.agenda.next_due_s()
            assert due is not None and due <= until, f"no {method} within {within} s"  # noqa: PT018
            self.agenda.step()
        self.sent_at, packet = self.packets.popleft()
        self.datagram = read_udp(packet)
        message = decode(self.datagram.payload)
        assert isinstance(message, Request), message
        assert message.method == method
        self.request = message
        return message

    def silent(self, seconds):
        """Nothing is sent for so long."""
        self.run(seconds)
        assert not self.packets, decode(read_udp(self.packets[0][1]).payload)

    def say(self, status, *fields, body=b"", to=None):
        response = answer(to or self.request, status, "network", fields, body)
        self.send(encode(response))

    def send(self, octets, source=None):
        source = source or self.datagram.destination
        self.ue.packet(udp_packet(source, (self.ims.address, 5060), octets), self.now)

    def challenge(self, sqn=None, spoilt=False, algorithm=AKAV1_MD5):
        self.sqn = next_sqn(self.sqn) if sqn is None else sqn
        rand = Random(self.sqn).randbytes(16)
        self.vector = generate_ims_vector(self.milenage, self.sqn, rand, self.keys.amf_field)
        autn = self.vector.autn[:-1] + bytes((self.vector.autn[-1] ^ spoilt,))
        offered = Challenge(self.ims.domain, aka_nonce(rand, autn), algorithm, (AUTH,))
        self.say(401, (WWW_AUTHENTICATE, challenge_text(offered)))

    def resynchronised(self, request):
        """SQN_MS in the request's AUTS."""
        return resynchronise(self.milenage, self.vector.rand, auts_of(credentials_of(request)))

    def accept(self, expires_s=3600):
        contact = f"{self.request.headers.first('Contact')};expires={expires_s}"
        route = f"<sip:scscf.{self.ims.domain}:5060;lr>"
        self.say(200, ("Contact", contact), ("Service-Route", route))

    def register(self, expires_s=3600):
        """From the session to the 200."""
        self.session_up()
        self.hear()
        self.challenge()
        assert verifies(credentials_of(self.hear()), self.vector.xres, "REGISTER")
        self.accept(expires_s)
        assert self.ue.registered

    def unanswered(self):
        """Timers E and F run their course; how many times the request was sent in all."""
        times = 1
        for _ in range(40):
            self.run(4.0)
            branch = self.request.headers.first("Via")
            while self.packets and decode(read_udp(self.packets[0][1]).payload).headers.first("Via") == branch:
                self.packets.popleft()
                times += 1
            if self.packets or not self.ue.busy:
                break
        return times
