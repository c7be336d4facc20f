"""Random NGAP messages of every kind, and pycrate's own reading of a PDU."""

import functools
from contextlib import contextmanager
from random import Random

from pycrate_asn1dir import NGAP

from protocols.identities import Plmn, STmsi
from protocols.nas5g.messages import Snssai
from protocols.ngap import messages as m
from protocols.ngap.declared_elements import CAUSE_GROUPS, TIMES_TO_WAIT_S, enumeration_names
from protocols.ngap.decode import _MAKERS, Contents, Counters
from protocols.ngap.encode import _COMPILED
from protocols.ngap.reference import CONVERTERS, read_by_reference

PDU = NGAP.NGAP_PDU_Descriptions.NGAP_PDU
CAUSES = [
    m.Cause(group, value)
    for group, (_, type_name) in CAUSE_GROUPS.items()
    for value in range(len(enumeration_names(type_name)))
]
NAS_LENGTHS = (1, 3, 41, 64, 127, 128, 300)
SLICES = (Snssai(1), Snssai(1, 0x010203), Snssai(255, 0xFFFFFF))
NAME_CHARACTERS = "abcXYZ019 '()+,-./:=?"


def amf_id(rng):
    """Mostly three octets, sometimes any length."""
    return rng.randrange(1 << rng.choice((8, 16, 32, 40))) if rng.random() < 0.05 else three_octets(rng)


def ran_id(rng):
    return rng.randrange(1 << rng.choice((8, 16, 32))) if rng.random() < 0.05 else three_octets(rng)


def three_octets(rng):
    return rng.randrange(1 << 16, 1 << 24)


def ids(rng):
    return amf_id(rng), ran_id(rng)


def plmn(rng):
    return Plmn(
        f"{rng.randrange(1000):03}", f"{rng.randrange(100):02}" if rng.random() < 0.5 else f"{rng.randrange(1000):03}"
    )


def location(rng):
    return m.UserLocation(plmn(rng), rng.randrange(1 << 36), rng.randrange(1 << 24))


def nas(rng):
    return rng.randbytes(rng.choice(NAS_LENGTHS))


def slices(rng):
    """Few different lists: each is a shape of its own."""
    return rng.choice((SLICES[:1], SLICES[1:]))


def guami(rng):
    return m.Guami(plmn(rng), rng.randrange(1 << 8), rng.randrange(1 << 10), rng.randrange(1 << 6))


def capability(rng):
    """Null algorithms always, E-UTRA algorithms sometimes."""
    octets = bytes(128 | rng.randrange(128) for _ in range(2))
    return octets + bytes((128 | rng.randrange(1, 128), 128 | rng.randrange(128))) if rng.random() < 0.3 else octets


def resources(rng, least=1):
    return tuple(
        m.PduSessionResource(
            rng.randrange(256),
            rng.choice(SLICES[:2]),
            rng.randbytes(4),
            rng.randbytes(4),
            rng.choice((b"", rng.randbytes(64))),
        )
        for _ in range(rng.choice((least, least, 1, 2)))
    )


def tunnels(rng, least=1):
    return tuple(
        m.PduSessionTunnel(rng.randrange(256), rng.randbytes(4), rng.randbytes(4))
        for _ in range(rng.choice((least, 1, 2)))
    )


def session_ids(rng):
    return tuple(rng.sample(range(256), rng.choice((1, 1, 2, 3, 16))))


def cause(rng):
    return rng.choice(CAUSES)


def maybe(rng, draw):
    return draw(rng) if rng.random() < 0.7 else None


def connections(rng):
    return tuple((maybe(rng, amf_id), maybe(rng, ran_id)) for _ in range(rng.choice((0, 0, 1, 2, 5, 40))))


def name(rng):
    return "".join(rng.choices(NAME_CHARACTERS, k=rng.choice((1, 5, 150))))


GENERATORS = {
    m.NgSetupRequest: lambda r: m.NgSetupRequest(
        plmn(r), r.randrange(1 << 24), r.choice(("", name(r))), r.randrange(1 << 24), slices(r)
    ),
    m.NgSetupResponse: lambda r: m.NgSetupResponse(name(r), guami(r), r.randrange(256), slices(r)),
    m.NgSetupFailure: lambda r: m.NgSetupFailure(cause(r), r.choice((None, *TIMES_TO_WAIT_S))),
    m.NgReset: lambda r: m.NgReset(cause(r), connections(r)),
    m.NgResetAcknowledge: lambda r: m.NgResetAcknowledge(connections(r)),
    m.ErrorIndication: lambda r: m.ErrorIndication(maybe(r, amf_id), maybe(r, ran_id), maybe(r, cause)),
    m.OverloadStart: lambda r: m.OverloadStart(r.choice((None, *m.OverloadAction)), r.choice((None, 1, 50, 99))),
    m.OverloadStop: lambda r: m.OverloadStop(),
    m.InitialUeMessage: lambda r: m.InitialUeMessage(
        ran_id(r),
        nas(r),
        location(r),
        r.choice(tuple(m.RrcCause)),
        maybe(r, lambda r: STmsi(r.randrange(1 << 10), r.randrange(1 << 6), r.randrange(1 << 32))),
    ),
    m.UplinkNasTransport: lambda r: m.UplinkNasTransport(*ids(r), nas(r), location(r)),
    m.DownlinkNasTransport: lambda r: m.DownlinkNasTransport(*ids(r), nas(r)),
    m.InitialContextSetupRequest: lambda r: m.InitialContextSetupRequest(
        three_octets(r),
        three_octets(r),
        guami(r),
        slices(r),
        capability(r),
        r.randbytes(32),
        r.choice((b"", r.randbytes(48))),
        resources(r, least=0),
    ),
    m.InitialContextSetupResponse: lambda r: m.InitialContextSetupResponse(*ids(r), tunnels(r, least=0)),
    m.InitialContextSetupFailure: lambda r: m.InitialContextSetupFailure(three_octets(r), three_octets(r), cause(r)),
    m.PduSessionResourceSetupRequest: lambda r: m.PduSessionResourceSetupRequest(
        three_octets(r), three_octets(r), resources(r)
    ),
    m.PduSessionResourceSetupResponse: lambda r: m.PduSessionResourceSetupResponse(
        *ids(r), tunnels(r), r.choice(((), (), session_ids(r)))
    ),
    m.PduSessionResourceReleaseCommand: lambda r: m.PduSessionResourceReleaseCommand(
        *ids(r), session_ids(r), r.choice((b"", r.randbytes(20)))
    ),
    m.PduSessionResourceReleaseResponse: lambda r: m.PduSessionResourceReleaseResponse(*ids(r), session_ids(r)),
    m.UeContextReleaseRequest: lambda r: m.UeContextReleaseRequest(three_octets(r), three_octets(r), cause(r)),
    m.UeContextReleaseCommand: lambda r: m.UeContextReleaseCommand(three_octets(r), maybe(r, three_octets), cause(r)),
    m.UeContextReleaseComplete: lambda r: m.UeContextReleaseComplete(*ids(r)),
}
ALL = tuple(GENERATORS)


@contextmanager
def declarations_only():
    """Within it, encoding goes to pycrate: every template is replaced by its declaration."""
    templates = [member.template for members in _COMPILED.values() for member in members]
    compiled = [template.encode for template in templates]
    try:
        for template in templates:
            template.encode = template.reference
        yield
    finally:
        for template, encode in zip(templates, compiled, strict=True):
            template.encode = encode


class _PycrateContents(Contents):
    """The elements of a PDU as pycrate's decoder of the whole PDU gave them."""

    def read(self, type_name, content):
        nested = type_name.endswith("Transfer") or type_name == "UPTransportLayerInformation"
        return read_by_reference(type_name, content) if nested else CONVERTERS[type_name](content)


def decode_with_pycrate(pdu):
    """The message in a PDU, every element read by pycrate, and pycrate's value of the whole PDU."""
    PDU.from_aper(pdu)
    value = PDU.get_val()
    _, body = value
    name, sequence = body["value"]
    elements = {element["id"]: element["value"][1] for element in sequence["protocolIEs"]}
    return _MAKERS[name](_PycrateContents(name, elements, Counters())), value


@functools.cache
def random_messages(kind, count, seed):
    """`count` messages of a kind, the same ones for the same seed."""

    rng = Random(f"{kind.__name__} {seed}")
    return tuple(GENERATORS[kind](rng) for _ in range(count))
