"""Random NAS-5GS messages, and what pycrate sees in the octets of one. Shared by the tests of the codec."""

from random import Random

from protocols.causes import FivegmmCause, FivegsmCause
from protocols.identities import Guti, Imeisv, NoIdentity, OtherIdentity, Plmn, STmsi, Suci, bcd_octets
from protocols.nas5g import messages as m
from protocols.timers import GprsTimer2, GprsTimer3

FIVEGMM = m.FivegmmMessage.__args__
FIVEGSM = m.FivegsmMessage.__args__
ALL = (*FIVEGMM, *FIVEGSM, m.Protected)


def digits(rng, count):
    return "".join(rng.choice("0123456789") for _ in range(count))


def maybe(rng, value):
    return value if rng.random() < 0.5 else None


def octets(rng, low, high):
    return rng.randbytes(rng.randint(low, high))


def plmn(rng):
    return Plmn(digits(rng, 3), digits(rng, rng.choice((2, 3))))


def snssai(rng):
    return m.Snssai(rng.randrange(256), maybe(rng, rng.randrange(1 << 24)))


def nssai(rng):
    return tuple(snssai(rng) for _ in range(rng.choice((0, 1, 1, 2, 8))))


def suci(rng):
    scheme = rng.choice((0, 1, 12))
    output = {0: bcd_octets(digits(rng, rng.randint(9, 10))), 1: octets(rng, 44, 46), 12: octets(rng, 1, 60)}
    return Suci(plmn(rng), digits(rng, rng.randint(1, 4)), scheme, rng.randrange(256), output[scheme])


def guti(rng):
    return Guti(plmn(rng), rng.randrange(256), rng.randrange(1024), rng.randrange(64), rng.randrange(1 << 32))


def s_tmsi(rng):
    return STmsi(rng.randrange(1024), rng.randrange(64), rng.randrange(1 << 32))


def identity(rng):
    kinds = (suci, guti, s_tmsi, lambda r: Imeisv(digits(r, 16)), lambda _: NoIdentity(), other_identity)
    return rng.choice(kinds)(rng)


def other_identity(rng):
    """A SUCI of SUPI format NAI, as in TS 23.003 28.7.3."""
    return OtherIdentity(b"\x11" + f"type1.rid{digits(rng, 4)}.schid0.userid{digits(rng, 5)}@example.com".encode())


def timer2(rng):
    return GprsTimer2(rng.randrange(256))


def timer3(rng):
    return GprsTimer3(rng.randrange(256))


def mm_cause(rng):
    return FivegmmCause(rng.randrange(256))


def sm_cause(rng):
    return FivegsmCause(rng.randrange(256))


def ksi(rng):
    return rng.randrange(8)


def status(rng):
    return maybe(rng, octets(rng, 2, 2))


def capability(rng):
    """5G algorithms, perhaps EPS algorithms, perhaps spare octets (TS 24.501 9.11.3.54)."""
    return rng.randbytes(rng.choice((2, 4, 8)))


def container(rng):
    return maybe(rng, octets(rng, 1, 300))


def dnn(rng):
    return ".".join(
        "".join(rng.choice("abcxyz-09") for _ in range(rng.randint(1, 12))) for _ in range(rng.randint(1, 3))
    )


def session(rng):
    return rng.randrange(256), rng.randrange(256)


def tai_list(rng):
    """One partial list of non-consecutive TACs (TS 24.501 9.11.3.9)."""
    count = rng.randint(1, 4)
    return bytes((count - 1,)) + plmn(rng).octets + rng.randbytes(3 * count)


def flag(rng):
    return rng.random() < 0.5


GENERATORS = {
    m.RegistrationRequest: lambda r: m.RegistrationRequest(
        r.choice(list(m.RegistrationType)),
        identity(r),
        ksi(r),
        flag(r),
        maybe(r, capability(r)),
        nssai(r),
        status(r),
        container(r),
    ),
    m.RegistrationAccept: lambda r: m.RegistrationAccept(
        maybe(r, guti(r)),
        maybe(r, tai_list(r)),
        nssai(r),
        maybe(r, timer3(r)),
        maybe(r, timer2(r)),
        status(r),
        r.randrange(8),
        maybe(r, octets(r, 1, 3)),
    ),
    m.RegistrationComplete: lambda r: m.RegistrationComplete(),
    m.RegistrationReject: lambda r: m.RegistrationReject(mm_cause(r), maybe(r, timer2(r)), maybe(r, timer2(r))),
    m.IdentityRequest: lambda r: m.IdentityRequest(m.IdentityType(r.randrange(1, 8))),
    m.IdentityResponse: lambda r: m.IdentityResponse(identity(r)),
    m.AuthenticationRequest: lambda r: m.AuthenticationRequest(
        ksi(r), octets(r, 2, 4), r.randbytes(16), r.randbytes(16)
    ),
    m.AuthenticationResponse: lambda r: m.AuthenticationResponse(r.randbytes(16)),
    m.AuthenticationFailure: lambda r: m.AuthenticationFailure(mm_cause(r), maybe(r, r.randbytes(14))),
    m.AuthenticationReject: lambda r: m.AuthenticationReject(),
    m.SecurityModeCommand: lambda r: m.SecurityModeCommand(
        ksi(r), r.randrange(16), r.randrange(16), capability(r), flag(r), flag(r)
    ),
    m.SecurityModeComplete: lambda r: m.SecurityModeComplete(maybe(r, digits(r, 16)), container(r)),
    m.SecurityModeReject: lambda r: m.SecurityModeReject(mm_cause(r)),
    m.ServiceRequest: lambda r: m.ServiceRequest(
        ksi(r), r.choice(list(m.ServiceType)), s_tmsi(r), status(r), status(r), container(r)
    ),
    m.ServiceAccept: lambda r: m.ServiceAccept(status(r)),
    m.ServiceReject: lambda r: m.ServiceReject(mm_cause(r), maybe(r, timer2(r))),
    m.DeregistrationRequest: lambda r: m.DeregistrationRequest(ksi(r), flag(r), identity(r)),
    m.DeregistrationAccept: lambda r: m.DeregistrationAccept(),
    m.NetworkDeregistrationRequest: lambda r: m.NetworkDeregistrationRequest(
        flag(r), maybe(r, mm_cause(r)), maybe(r, timer2(r))
    ),
    m.NetworkDeregistrationAccept: lambda r: m.NetworkDeregistrationAccept(),
    m.UlNasTransport: lambda r: m.UlNasTransport(
        octets(r, 1, 300), r.randrange(256), maybe(r, r.randrange(8)), maybe(r, snssai(r)), maybe(r, dnn(r))
    ),
    m.DlNasTransport: lambda r: m.DlNasTransport(
        octets(r, 1, 300), r.randrange(256), maybe(r, mm_cause(r)), maybe(r, timer3(r))
    ),
    m.FivegmmStatus: lambda r: m.FivegmmStatus(mm_cause(r)),
    m.PduSessionEstablishmentRequest: lambda r: m.PduSessionEstablishmentRequest(
        *session(r), maybe(r, octets(r, 1, 40))
    ),
    m.PduSessionEstablishmentAccept: lambda r: m.PduSessionEstablishmentAccept(
        *session(r), r.randbytes(4), dnn(r), maybe(r, snssai(r)), maybe(r, octets(r, 1, 40))
    ),
    m.PduSessionEstablishmentReject: lambda r: m.PduSessionEstablishmentReject(
        *session(r), sm_cause(r), maybe(r, timer3(r))
    ),
    m.PduSessionReleaseRequest: lambda r: m.PduSessionReleaseRequest(*session(r), maybe(r, sm_cause(r))),
    m.PduSessionReleaseReject: lambda r: m.PduSessionReleaseReject(*session(r), sm_cause(r)),
    m.PduSessionReleaseCommand: lambda r: m.PduSessionReleaseCommand(*session(r), sm_cause(r), maybe(r, timer3(r))),
    m.PduSessionReleaseComplete: lambda r: m.PduSessionReleaseComplete(*session(r)),
    m.FivegsmStatus: lambda r: m.FivegsmStatus(*session(r), sm_cause(r)),
    m.Protected: lambda r: m.Protected(r.randint(1, 4), r.randbytes(4), r.randrange(256), octets(r, 1, 300)),
}
"""A random legal message of each class, from a `Random`."""


def random_messages(kind, count, seed=1):
    """`count` messages of one class, the same for the same seed."""
    rng = Random(f"{kind.__name__} {seed}")
    return [GENERATORS[kind](rng) for _ in range(count)]


# --- what pycrate sees --------------------------------------------------------------------------------------------


class Seen:
    """The IEs that pycrate found in a message, by name, as the values that messages.py holds."""

    def __init__(self, element):
        self.element = element

    def value(self, name):
        """The content of an IE: what pycrate made of it, or the octets; None if it is absent."""
        ie = self.element[name]
        return None if ie.get_trans() else ie[-1]

    def octets(self, name):
        value = self.value(name)
        return None if value is None else value.to_bytes()

    def number(self, name):
        value = self.value(name)
        return None if value is None else value.to_uint()

    def timer(self, name, kind):
        value = self.value(name)
        return None if value is None else kind(value["Unit"].get_val() << 5 | value["Value"].get_val())

    def field(self, name, part):
        value = self.value(name)
        return None if value is None else value[part].get_val()

    def cause(self, name, kind):
        number = self.number(name)
        return None if number is None else kind(number)

    def snssai(self, name):
        value = self.value(name)
        return None if value is None else one_snssai(value)

    def nssai(self, name):
        value = self.value(name)
        return () if value is None else tuple(one_snssai(entry["SNSSAI"]) for entry in value)

    def dnn(self, name):
        value = self.value(name)
        return None if value is None else value.decode()

    def identity(self, name):
        value = self.value(name)
        return None if value is None else one_identity(value)

    def session(self):
        header = self.element["5GSMHeader"]
        return header["PDUSessID"].get_val(), header["PTI"].get_val()


def one_snssai(value):
    return m.Snssai(value["SST"].get_val(), None if value["SD"].get_trans() else value["SD"].get_val())


def one_identity(value):
    if value._name == "V":  # octets: pycrate does not read a SUCI of SUPI format NAI
        return OtherIdentity(value.to_bytes())
    kind = value["Type"].get_val()
    if kind == 1 and value["Fmt"].get_val() == 0:
        inner = value["Value"].get_alt()
        home = inner["PLMN"].decode()
        return Suci(
            Plmn(home[:3], home[3:]),
            inner["RoutingInd"].decode(),
            inner["ProtSchemeID"].get_val(),
            inner["HNPKID"].get_val(),
            inner["Output"].to_bytes(),
        )
    if kind == 2:
        home = value["PLMN"].decode()
        parts = [value[part].get_val() for part in ("AMFRegionID", "AMFSetID", "AMFPtr", "5GTMSI")]
        return Guti(Plmn(home[:3], home[3:]), *parts)
    if kind == 4:
        return STmsi(*(value[part].get_val() for part in ("AMFSetID", "AMFPtr", "5GTMSI")))
    if kind == 5:
        return Imeisv(value.decode()[1])
    return NoIdentity() if kind == 0 else OtherIdentity(value.to_bytes())


SEEN = {
    m.RegistrationRequest: lambda s: m.RegistrationRequest(
        m.RegistrationType(s.field("5GSRegType", "Value")),
        s.identity("5GSID"),
        s.number("NAS_KSI"),
        bool(s.field("5GSRegType", "FOR")),
        s.octets("UESecCap"),
        s.nssai("NSSAI"),
        s.octets("PDUSessStat"),
        s.octets("NASContainer"),
    ),
    m.RegistrationAccept: lambda s: m.RegistrationAccept(
        s.identity("GUTI"),
        s.octets("5GSTAIList"),
        s.nssai("AllowedNSSAI"),
        s.timer("T3512", GprsTimer3),
        s.timer("T3502", GprsTimer2),
        s.octets("PDUSessStat"),
        s.field("5GSRegResult", "Value"),
        s.octets("5GSNetFeat"),
    ),
    m.RegistrationComplete: lambda s: m.RegistrationComplete(),
    m.RegistrationReject: lambda s: m.RegistrationReject(
        s.cause("5GMMCause", FivegmmCause), s.timer("T3346", GprsTimer2), s.timer("T3502", GprsTimer2)
    ),
    m.IdentityRequest: lambda s: m.IdentityRequest(m.IdentityType(s.field("5GSIDType", "Value"))),
    m.IdentityResponse: lambda s: m.IdentityResponse(s.identity("5GSID")),
    m.AuthenticationRequest: lambda s: m.AuthenticationRequest(
        s.number("NAS_KSI"), s.octets("ABBA"), s.octets("RAND"), s.octets("AUTN")
    ),
    m.AuthenticationResponse: lambda s: m.AuthenticationResponse(s.octets("RES")),
    m.AuthenticationFailure: lambda s: m.AuthenticationFailure(s.cause("5GMMCause", FivegmmCause), s.octets("AUTS")),
    m.AuthenticationReject: lambda s: m.AuthenticationReject(),
    m.SecurityModeCommand: lambda s: m.SecurityModeCommand(
        s.number("NAS_KSI"),
        s.field("NASSecAlgo", "CiphAlgo"),
        s.field("NASSecAlgo", "IntegAlgo"),
        s.octets("UESecCap"),
        s.number("IMEISVReq") == 1,
        s.field("Add5GSecInfo", "RINMR") == 1,
    ),
    m.SecurityModeComplete: lambda s: m.SecurityModeComplete(
        getattr(s.identity("IMEISV"), "digits", None), s.octets("NASContainer")
    ),
    m.SecurityModeReject: lambda s: m.SecurityModeReject(s.cause("5GMMCause", FivegmmCause)),
    m.ServiceRequest: lambda s: m.ServiceRequest(
        s.number("NAS_KSI"),
        m.ServiceType(s.number("ServiceType")),
        s.identity("5GSID"),
        s.octets("ULDataStat"),
        s.octets("PDUSessStat"),
        s.octets("NASContainer"),
    ),
    m.ServiceAccept: lambda s: m.ServiceAccept(s.octets("PDUSessStat")),
    m.ServiceReject: lambda s: m.ServiceReject(s.cause("5GMMCause", FivegmmCause), s.timer("T3346", GprsTimer2)),
    m.DeregistrationRequest: lambda s: m.DeregistrationRequest(
        s.number("NAS_KSI"), bool(s.field("DeregistrationType", "SwitchOff")), s.identity("5GSID")
    ),
    m.DeregistrationAccept: lambda s: m.DeregistrationAccept(),
    m.NetworkDeregistrationRequest: lambda s: m.NetworkDeregistrationRequest(
        bool(s.field("DeregistrationType", "ReregistrationRequired")),
        s.cause("5GMMCause", FivegmmCause),
        s.timer("T3346", GprsTimer2),
    ),
    m.NetworkDeregistrationAccept: lambda s: m.NetworkDeregistrationAccept(),
    m.UlNasTransport: lambda s: m.UlNasTransport(
        s.octets("PayloadContainer"),
        s.number("PDUSessID"),
        s.field("RequestType", "Value"),
        s.snssai("SNSSAI"),
        s.dnn("DNN"),
    ),
    m.DlNasTransport: lambda s: m.DlNasTransport(
        s.octets("PayloadContainer"),
        s.number("PDUSessID"),
        s.cause("5GMMCause", FivegmmCause),
        s.timer("BackOffTimer", GprsTimer3),
    ),
    m.FivegmmStatus: lambda s: m.FivegmmStatus(s.cause("5GMMCause", FivegmmCause)),
    m.PduSessionEstablishmentRequest: lambda s: m.PduSessionEstablishmentRequest(
        *s.session(), s.octets("ExtProtConfig")
    ),
    m.PduSessionEstablishmentAccept: lambda s: m.PduSessionEstablishmentAccept(
        *s.session(),
        s.value("PDUAddress")["Addr"].to_bytes(),
        s.dnn("DNN"),
        s.snssai("SNSSAI"),
        s.octets("ExtProtConfig"),
    ),
    m.PduSessionEstablishmentReject: lambda s: m.PduSessionEstablishmentReject(
        *s.session(), s.cause("5GSMCause", FivegsmCause), s.timer("BackOffTimer", GprsTimer3)
    ),
    m.PduSessionReleaseRequest: lambda s: m.PduSessionReleaseRequest(*s.session(), s.cause("5GSMCause", FivegsmCause)),
    m.PduSessionReleaseReject: lambda s: m.PduSessionReleaseReject(*s.session(), s.cause("5GSMCause", FivegsmCause)),
    m.PduSessionReleaseCommand: lambda s: m.PduSessionReleaseCommand(
        *s.session(), s.cause("5GSMCause", FivegsmCause), s.timer("BackOffTimer", GprsTimer3)
    ),
    m.PduSessionReleaseComplete: lambda s: m.PduSessionReleaseComplete(*s.session()),
    m.FivegsmStatus: lambda s: m.FivegsmStatus(*s.session(), s.cause("5GSMCause", FivegsmCause)),
    m.Protected: lambda s: m.Protected(
        s.element["5GMMHeaderSec"]["SecHdr"].get_val(),
        s.element["MAC"].get_val(),
        s.element["Seqn"].get_val(),
        s.element["NASMessage"].get_val(),
    ),
}
"""What pycrate's element of a message says, as a message of messages.py."""


def seen_by_pycrate(kind, element):
    return SEEN[kind](Seen(element))
