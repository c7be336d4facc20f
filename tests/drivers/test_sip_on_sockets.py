"""The SBC on real sockets, and phones that speak to it over UDP and TCP: registration, the way back, a restart."""

import select
import socket
from contextlib import contextmanager
from random import Random

import pytest

from protocols.credentials import credentials
from protocols.digest import answered
from protocols.identities import Plmn
from protocols.ims_identities import home_domain, private_identity, public_identity
from protocols.sip.authentication import AUTHORIZATION, challenges, credentials_text
from protocols.sip.decode import decode
from protocols.sip.encode import encode
from protocols.sip.framing import StreamFraming
from protocols.sip.messages import Headers, Request
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.sip_side import SipSide
from regstorm.drivers.sip_sockets import SipConnection
from regstorm.drivers.sip_ways import ways
from regstorm.measures.timeline import Timeline
from regstorm.records.core_settings import Core, Ims, Udm
from regstorm.records.scenario import Network
from regstorm.records.strategy import Strategy
from regstorm.reference_core.core import ReferenceCore
from ue_models.profiles import OBEDIENT
from ue_models.settings import UeSettings
from ue_models.sip_phone import SipPhone
from ue_models.ue_state import new_ue

PLMN = Plmn("001", "01")
DOMAIN = home_domain(PLMN)
LOOPBACK = "127.0.0.1"
SEED = 1
PATIENCE_S = 5.0
NO_CONTROL = Strategy(name="none", title="none", summary="none")


class Notebook:
    """What phones tell."""

    def __init__(self):
        self.ended, self.lost, self.service = [], [], []

    def attempt_started(self, ue, procedure, now): ...

    def attempt_ended(self, ue, procedure, started, now, failure):
        self.ended.append((ue, procedure, failure))

    def rejected(self, ue, cause, protected, now): ...

    def service_changed(self, ue, in_service, now):
        self.service.append((ue, in_service))

    def registration_lost(self, ue, why, now):
        self.lost.append((ue, why))

    def waiting(self, timer, change, now): ...


class SocketRig:
    """A core whose SBC listens on loopback, on a paced clock."""

    def __init__(self, password=None):
        self.clock = PacedClock()
        self.tally = Timeline(0.0)
        core = Core(udm=Udm(capacity_pairs_per_s=1e6), ims=Ims(digest_password=password))
        self.core = ReferenceCore(
            core, Network(), NO_CONTROL, self.clock, Random(1), self.tally, SEED, population=100, ims=True
        )
        self.side = SipSide(self.core.ims, self.clock, (LOOPBACK, 0))
        self.address = self.side.address

    def until(self, holds):
        assert self.clock.run(self.clock.time_s + PATIENCE_S, holds).name == "FINISHED", "it did not come about"

    def readable(self, *sockets):
        self.until(lambda: bool(select.select(sockets, (), (), 0)[0]))

    def phones(self, number, transport):
        """Phones that are not registered, and the book of what they tell."""
        book, on_sockets = Notebook(), ways(transport, self.clock, LOOPBACK, self.address[1])
        settings = UeSettings(PLMN, retry_jitter_s=0.0, answer_s=(0.0, 0.0))
        made = [
            SipPhone(
                new_ue(index, "outage", credentials(SEED, index, PLMN)),
                PLMN,
                OBEDIENT,
                settings,
                on_sockets,
                LOOPBACK,
                (LOOPBACK,),
                self.clock,
                Random(index),
                book,
            )
            for index in range(number)
        ]
        return made, book, on_sockets


@contextmanager
def a_core(**how):
    rig = SocketRig(**how)
    try:
        yield rig
    finally:
        rig.side.close()
        rig.clock.close()


def register(local, number, authorization=None, rport=";rport", transport="UDP"):
    """What any client of the first subscriber says."""
    public = public_identity(credentials(SEED, 0, PLMN).supi, PLMN)
    headers = [
        ("Via", f"SIP/2.0/{transport} {local[0]}:{local[1]};branch=z9hG4bKclient{number}{rport}"),
        ("Max-Forwards", "70"),
        ("From", f"<{public}>;tag=c"),
        ("To", f"<{public}>"),
        ("Call-ID", "client"),
        ("CSeq", f"{number} REGISTER"),
        ("Contact", f"<sip:client@{local[0]}:{local[1]}>"),
    ]
    if authorization is not None:
        headers.append((AUTHORIZATION, credentials_text(authorization)))
    return encode(Request("REGISTER", f"sip:{DOMAIN}", Headers(headers)))


def md5_answer(response):
    (challenge,) = challenges(response)
    private = private_identity(credentials(SEED, 0, PLMN).supi, PLMN)
    return answered(challenge, private, b"secret", "REGISTER", f"sip:{DOMAIN}", 1, "c")


def datagram_socket():
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.bind((LOOPBACK, 0))
    return client


def test_a_client_with_a_password_registers_by_datagrams():
    with a_core(password="secret") as rig, datagram_socket() as client:
        client.sendto(register(client.getsockname(), 1), rig.address)
        rig.readable(client)
        challenged = decode(client.recv(65_535))
        assert challenged.status == 401
        client.sendto(register(client.getsockname(), 2, md5_answer(challenged)), rig.address)
        rig.readable(client)
        assert decode(client.recv(65_535)).status == 200


def test_a_client_with_a_password_registers_on_a_connection():
    with a_core(password="secret") as rig, socket.create_connection(rig.address) as client:
        framing, local = StreamFraming(), client.getsockname()
        client.sendall(register(local, 1, transport="TCP", rport=""))
        rig.readable(client)
        (challenged,) = framing.feed(client.recv(65_535))
        octets = register(local, 2, md5_answer(challenged), transport="TCP", rport="")
        client.sendall(octets[:100])
        rig.clock.run(rig.clock.time_s + 0.02)
        client.sendall(octets[100:])
        rig.readable(client)
        (accepted,) = framing.feed(client.recv(65_535))
        assert (challenged.status, accepted.status) == (401, 200)


def test_without_rport_the_response_goes_to_the_port_in_via():
    """RFC 3261 18.2.2, RFC 3581 4: the client speaks from one port and hears on another."""
    with a_core() as rig, datagram_socket() as speaks, datagram_socket() as hears:
        speaks.sendto(register(hears.getsockname(), 1, rport=""), rig.address)
        rig.readable(hears)
        assert decode(hears.recv(65_535)).status == 401


def test_with_rport_the_response_goes_where_the_request_came_from_and_says_where_that_is():
    with a_core() as rig, datagram_socket() as speaks, datagram_socket() as hears:
        speaks.sendto(register(hears.getsockname(), 1), rig.address)
        rig.readable(speaks)
        assert f"rport={speaks.getsockname()[1]}" in decode(speaks.recv(65_535)).headers.first("Via")


def test_a_ping_on_a_connection_is_answered_and_octets_that_cannot_be_framed_end_it():
    with a_core() as rig, socket.create_connection(rig.address) as client:
        client.sendall(b"\r\n\r\n")
        rig.readable(client)
        assert client.recv(10) == b"\r\n"
        client.sendall(b"no message\r\n\r\n")
        rig.readable(client)
        assert client.recv(10) == b""
        assert rig.side.connections == 0


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_phones_register_with_aka(transport):
    with a_core() as rig:
        phones, book, on_sockets = rig.phones(20, transport)
        for phone in phones:
            rig.clock.at(0.0, phone.return_to_coverage)
        rig.until(lambda: all(rig.core.ims.serves(phone.state.credentials.supi) for phone in phones))
        assert all(phone.in_service for phone in phones)
        assert sorted(book.ended) == [(index, "IMS registration", None) for index in range(20)]
        on_sockets.shut()


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_a_phone_leaves(transport):
    with a_core() as rig:
        (phone,), _, on_sockets = rig.phones(1, transport)
        rig.clock.at(0.0, phone.return_to_coverage)
        rig.until(lambda: phone.in_service)
        phone.deregister(rig.clock.now)
        rig.until(lambda: not phone.in_service)
        assert not rig.core.ims.serves(phone.state.credentials.supi)
        on_sockets.shut()


def test_an_sbc_that_is_down_refuses_connections_and_a_phone_notices_at_once():
    with a_core() as rig:
        (phone,), book, on_sockets = rig.phones(1, "tcp")
        rig.side.go_down(0.0)
        rig.clock.at(0.0, phone.return_to_coverage)
        rig.until(lambda: bool(book.ended))
        assert book.ended == [(0, "IMS registration", "SIP transport lost")]
        on_sockets.shut()


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_an_sbc_that_has_restarted_knows_nobody_and_registers_everybody_anew(transport):
    with a_core() as rig:
        phones, _, on_sockets = rig.phones(5, transport)
        for phone in phones:
            rig.clock.at(0.0, phone.return_to_coverage)
        rig.until(lambda: all(phone.in_service for phone in phones))
        bound = rig.core.ims.sbc.users.binding_of
        identities = [public_identity(phone.state.credentials.supi, PLMN) for phone in phones]
        assert all(map(bound, identities))
        rig.side.restart(0.1, rig.clock.now)
        for phone in phones:
            phone.lose_coverage(rig.clock.now)
        rig.clock.run(rig.clock.time_s + 0.2)
        assert not any(map(bound, identities))
        for phone in phones:
            phone.return_to_coverage(rig.clock.now)
        rig.until(lambda: all(phone.in_service for phone in phones))
        assert all(map(bound, identities))
        on_sockets.shut()


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_the_network_reaches_a_phone_where_it_registered(transport):
    """A NOTIFY of the network; the phone answers it and registers anew (TS 24.229 5.1.1.7)."""
    with a_core() as rig:
        (phone,), book, on_sockets = rig.phones(1, transport)
        rig.clock.at(0.0, phone.return_to_coverage)
        rig.until(lambda: phone.in_service)
        registration = rig.core.ims.scscf.registrations.of(phone.ims.state.impu)
        rig.core.ims.scscf.deregister(registration, "network", rig.clock.now)
        rig.until(lambda: len(book.ended) == 2)
        assert book.lost == [(0, "IMS deregistered by the network")]
        assert phone.in_service
        on_sockets.shut()


# --- hostile peers ----------------------------------------------------------------------------------------------------


def wounded(rng):
    """A REGISTER with up to four wounds, or random octets."""
    if rng.random() < 0.1:
        return rng.randbytes(rng.randint(1, 400))
    octets = bytearray(register((LOOPBACK, 9), rng.randrange(1000), rport=rng.choice(("", ";rport", ";rport=x"))))
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(octets))
        match rng.randrange(4):
            case 0:
                octets[at] = rng.randrange(256)
            case 1:
                del octets[at : at + rng.randint(1, 30)]
            case 2:
                octets[at:at] = rng.choice(
                    (b"\r\n", b"\r\n\r\n", b";", b",", b'"', b"<", b"\0", b"Content-Length: 7\r\n")
                )
            case 3:
                octets[at:] = b""
        if not octets:
            break
    return bytes(octets)


def serves_a_client(rig):
    """A phone registers as if nothing had happened."""
    (phone,), _, on_sockets = rig.phones(1, "udp")
    phone.return_to_coverage(rig.clock.time_s)
    rig.until(lambda: phone.in_service)
    on_sockets.shut()


def test_three_thousand_wounded_datagrams_leave_the_sbc_serving():
    rng = Random("datagrams")
    with a_core() as rig, datagram_socket() as attacker:
        attacker.setblocking(False)
        for number in range(3000):
            attacker.sendto(wounded(rng), rig.address)
            if number % 100 == 0:
                rig.clock.run(rig.clock.time_s + 0.01)
        rig.until(lambda: rig.tally.total("codec.unreadable.sip") > 500)
        serves_a_client(rig)


def test_a_thousand_connections_of_wounded_octets_leave_the_sbc_serving_and_no_connection_behind():
    rng = Random("connections")
    with a_core() as rig:
        for number in range(1000):
            with socket.create_connection(rig.address) as attacker:
                attacker.sendall(wounded(rng) + wounded(rng))
                if number % 50 == 0:
                    rig.clock.run(rig.clock.time_s + 0.01)
        rig.until(lambda: rig.side.connections == 0)
        assert rig.tally.total("codec.unreadable.sip") > 100
        serves_a_client(rig)


def test_whoever_takes_no_answers_is_hung_up_on():
    """What waits for a peer that never reads is bounded."""
    with socket.create_server((LOOPBACK, 0)) as listener, socket.create_connection(listener.getsockname()) as peer:
        near = SipConnection(listener.accept()[0], peer.getsockname(), outbox_limit=100_000)
        ends = []
        near.on_closed = ends.append
        sent = 0
        while near.fileno() >= 0 and sent < 100_000_000:
            near.send(bytes(50_000))
            near.flush()
            sent += 50_000
        near.dispatch(7.0)
        assert ends == [7.0]
        assert sent < 100_000_000
