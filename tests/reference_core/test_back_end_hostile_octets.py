"""Whatever octets a peer sends to a door or a consumer: nothing is raised; a broken protocol ends the connection."""

from random import Random

import pytest
from back_end_rig import CSCF, HSS, full_service, identifiers, rig_on_wire

from regstorm.records.operations import Nf
from regstorm.reference_core.backend.diameter_peer import DiameterPeer, State
from regstorm.reference_core.backend.diameter_peer import Over as DiameterOver
from regstorm.reference_core.backend.http_messages import Request, Response
from regstorm.reference_core.backend.sbi_client import SbiClient
from regstorm.reference_core.backend.sbi_connection import Over
from regstorm.reference_core.backend.sbi_server import Asked, SbiServer
from regstorm.reference_core.backend.ways import Way

EXTREMES = (0, 1, 2, 4, 0x20, 0x7F, 0x80, 0xC0, 0xFF)


@pytest.fixture(scope="module")
def said():
    """What consumers and doors say in one registration with full service, each connection from its beginning."""
    rig = rig_on_wire(full=True)
    rig.core.bus.start_heartbeats(0.0)
    full_service(rig)
    rig.run(20)
    return {consumer: (b"".join(pair.said[0]), b"".join(pair.said[1])) for consumer, pair in connections(rig)}


def connections(rig):
    return rig.back_end.connections.items()


def wounded(octets, rng, whole_until):
    """Cut, repeated, displaced or changed at up to four places behind `whole_until`; its end is anywhere."""
    octets = bytearray(octets[: rng.randrange(whole_until, min(len(octets), whole_until + 1500) + 1)])
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(min(whole_until, len(octets)), len(octets) + 1)
        match rng.randrange(5):
            case 0:
                del octets[at : at + rng.randint(1, 20)]
            case 1:
                octets[at:at] = rng.randbytes(rng.randint(1, 12))
            case 2:
                octets[at : at + 1] = bytes((rng.choice(EXTREMES),))
            case 3:
                octets[at : at + 4] = rng.randbytes(4)
            case 4:
                octets[at:at] = octets[rng.randrange(len(octets) + 1) :][: rng.randint(9, 60)]
    return bytes(octets)


def in_parts(octets, rng):
    while octets:
        size = rng.choice((1, 9, 100, len(octets)))
        yield octets[:size]
        octets = octets[size:]


# --- the two halves of HTTP/2 ----------------------------------------------------------------------------------------


def attack_server(said, rng):
    server, over = SbiServer(), []
    for part in in_parts(wounded(said[Nf.AMF][0], rng, rng.choice((0, 24, 24, 24, 60))), rng):
        for event in server.receive(part):
            if isinstance(event, Asked):
                server.respond(event.stream, Response(200, (), bytes(rng.randrange(40))))
            over += [event] if isinstance(event, Over) else []
        server.octets()
    assert len(over) == server.over
    return server.over


def attack_client(said, rng):
    client, over = SbiClient("udm", "AMF"), []
    for _ in range(6):
        client.request(Request("GET", "/nudm-sdm/v2/imsi-1/am-data"))
    client.octets()
    for part in in_parts(wounded(said[Nf.AMF][1], rng, rng.choice((0, 9, 9, 60))), rng):
        over += [event for event in client.receive(part) if isinstance(event, Over)]
        client.octets()
    assert len(over) == client.over
    return client.over


def attack_diameter_door(said, rng):
    return attack_peer(said[Nf.TAS][0], rng, DiameterPeer(HSS, identifiers("hss"), connects=False))


def attack_diameter_consumer(said, rng):
    return attack_peer(said[Nf.TAS][1], rng, DiameterPeer(CSCF, identifiers("cscf"), connects=True))


def attack_peer(octets, rng, peer):
    over = []
    first = int.from_bytes(octets[1:4], "big")
    for part in in_parts(wounded(octets, rng, rng.choice((0, first, first, first))), rng):
        over += [event for event in peer.receive(part) if isinstance(event, DiameterOver)]
        peer.octets()
    assert len(over) == peer.over
    assert peer.over == (peer.state is State.CLOSED)
    return peer.over


ATTACKS = [attack_server, attack_client, attack_diameter_door, attack_diameter_consumer]


@pytest.mark.parametrize("attack", ATTACKS)
def test_five_hundred_wounded_streams_end_or_go_on(said, attack):
    rng = Random(f"back end {attack.__name__}")
    ended = sum(attack(said, rng) for _ in range(500))
    assert 50 < ended < 500


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
def test_fifty_thousand_wounded_streams_end_or_go_on(said, attack):
    """A hundred thousand for each protocol."""
    rng = Random(f"back end, more, {attack.__name__}")
    ended = sum(attack(said, rng) for _ in range(50_000))
    assert 5_000 < ended < 50_000


# --- the doors, with a core behind them ------------------------------------------------------------------------------


@pytest.mark.parametrize(("server", "consumers"), [(Nf.UDM, (Nf.AUSF, Nf.AMF, Nf.SMF)), (Nf.HSS, (Nf.SCSCF, Nf.TAS))])
def test_a_core_outlives_whoever_knocks_at_its_doors(said, server, consumers):
    rig, rng = rig_on_wire(full=True), Random(f"doors {server}")
    for _ in range(150):
        visitor = rig.back_end.doors[server].accept(Way(lambda octets: None, lambda: None), rig.agenda.now)
        for part in in_parts(wounded(said[rng.choice(consumers)][0], rng, 24), rng):
            visitor.receive(part, rig.agenda.now)
        rig.run(0.1)
        visitor.lost(rig.agenda.now)
    assert rig.tally["udm.served"] > 0
    assert any(name.startswith("backend.connections_broken") for name in rig.tally)
    assert rig.ims.serves(full_service(rig, 1).supi)
