"""What single messages mean on the wire, rule by rule (TS 24.501, TS 24.007, TS 24.008)."""

from collections import defaultdict
from random import Random

import pytest
from nas5g_samples import random_messages

from protocols.causes import FivegmmCause
from protocols.identities import Guti, Imeisv, OtherIdentity, Plmn, STmsi, Suci
from protocols.nas5g import messages as m
from protocols.nas5g.decode import decode, decode_5gsm
from protocols.nas5g.encode import encode
from protocols.nas5g.tables import CORRECTIONS, FIVEGMM, FIVEGSM, Format
from protocols.nas5g.walkers import compile_walker
from protocols.nas5g.writers import compile_writer
from protocols.timers import GprsTimer2, GprsTimer3

HOME = Plmn("001", "01")
REJECT = "7e0044 16"


def octets(text):
    return bytes.fromhex(text)


# --- back-off timers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("coded", "seconds"),
    [("21", 60), ("2c", 720), ("4a", 3600), ("e0", None), ("65", 300), ("1e", 60), ("00", 0), ("20", 0), ("40", 0)],
)
def test_t3346_of_a_reject_is_gprs_timer_2_with_its_unit(coded, seconds):
    """TS 24.501 9.11.2.4, TS 24.008 10.5.7.4: not a number of seconds."""
    reject = decode(octets(REJECT + "5f01" + coded))
    assert isinstance(reject.t3346, GprsTimer2)
    assert reject.t3346.seconds == seconds


@pytest.mark.parametrize("coded", ["00", "20", "40", "e0"])
def test_zero_and_deactivated_are_present_but_do_not_run(coded):
    """TS 24.501 5.5.1.2.5 #22: "neither zero nor deactivated" asks for the decoded value."""
    t3346 = decode(octets(REJECT + "5f01" + coded)).t3346
    assert t3346 is not None
    assert not t3346.runs


def test_a_plain_reject_is_seen_to_be_plain():
    """The UE must not trust its T3346 (TS 24.501 5.5.1.2.5), so it has to see that nothing protected it."""
    plain = octets("7e0044165f012c")
    assert decode(plain) == m.RegistrationReject(FivegmmCause.CONGESTION, GprsTimer2(0x2C))
    protected = decode(octets("7e01 aabbccdd 05") + plain)
    assert protected == m.Protected(1, octets("aabbccdd"), 5, plain)
    assert decode(protected.inner) == decode(plain)


def test_t3346_has_iei_5f_in_every_reject_and_5c_is_no_t3346():
    for message in (
        m.RegistrationReject(FivegmmCause.CONGESTION, GprsTimer2(0x21)),
        m.ServiceReject(FivegmmCause.CONGESTION, GprsTimer2(0x21)),
        m.NetworkDeregistrationRequest(True, FivegmmCause.CONGESTION, GprsTimer2(0x21)),
    ):
        assert encode(message).endswith(octets("5f0121"))
    assert decode(octets("7e004d 16 5c0121")) == m.ServiceReject(FivegmmCause.CONGESTION, None)


def test_every_ie_that_is_written_has_the_identifier_of_ts_24_501():
    timer2, timer3, cause = GprsTimer2(0x21), GprsTimer3(0xA9), FivegmmCause.CONGESTION
    accept = m.RegistrationAccept(Guti(HOME, 1, 2, 3, 4), octets("0000f110000001"), (m.Snssai(1),), timer3, timer2)
    assert encode(accept) == octets(
        "7e0042 0101 77000bf200f110010083 00000004 54070000f110000001 15020101 5e01a9 160121"
    )
    with_voice = m.RegistrationAccept(None, features=b"\x01", pdu_session_status=b"\x02\x00")
    assert encode(with_voice) == octets("7e0042 0101 210101 50020200")
    rejected = m.RegistrationReject(cause, timer2, timer2)
    assert encode(rejected) == octets("7e0044 16 5f0121 160121")
    not_forwarded = m.DlNasTransport(b"\x2e", 5, cause, timer3)
    assert encode(not_forwarded) == octets("7e0068 01 0001 2e 1205 5816 3701a9")
    uplink = m.UlNasTransport(b"\x2e", 5, 1, m.Snssai(1, 2), "ims")
    assert encode(uplink) == octets("7e0067 01 0001 2e 1205 81 220401000002 250403696d73")
    with_container = m.SecurityModeComplete("3512345678901234", b"\x7e\x00\x41")
    assert encode(with_container) == octets("7e005e 770009 3515325476981032f4 710003 7e0041")
    command = m.SecurityModeCommand(3, 2, 2, octets("e0e0"), True, True)
    assert encode(command) == octets("7e005d 22 03 02e0e0 e1 360102")
    refused = m.PduSessionEstablishmentReject(5, 9, 26, timer3)
    assert encode(refused) == octets("2e0509c3 1a 3701a9")


def test_a_back_off_of_nine_minutes_is_nine_times_one_minute():
    """GPRS timer 3, the coarsest unit that is exact (TS 24.008 10.5.7.4a)."""
    assert encode(m.DlNasTransport(b"\x2e", 1, None, GprsTimer3.of(540))).endswith(octets("3701a9"))
    assert decode_5gsm(octets("2e0101c3 1a 3701a9")).back_off.seconds == 540


# --- identities ---------------------------------------------------------------------------------------------------


def test_a_suci_of_the_null_scheme_stands_as_in_ts_24_501():
    request = m.RegistrationRequest(m.RegistrationType.INITIAL, Suci(HOME, "0000", 0, 0, octets("0000000010")))
    assert encode(request) == octets("7e0041 79 000d 01 00f110 0000 00 00 0000000010")


def test_a_routing_indicator_is_filled_up_with_f():
    suci = Suci(Plmn("310", "410"), "12", 0, 7, octets("21436587f9"))
    response = encode(m.IdentityResponse(suci))
    assert response == octets("7e005c 000d 01 130014 21ff 00 07 21436587f9")
    assert decode(response).identity == suci


def test_a_suci_of_profile_a_carries_its_scheme_output_untouched():
    output = bytes(range(32)) + b"cipher" + b"mac-mac-"
    suci = Suci(HOME, "0", 1, 27, output)
    assert decode(encode(m.IdentityResponse(suci))).identity.output == output


def test_a_suci_whose_supi_is_no_imsi_is_another_identity():
    """A SUPI of format NAI must not stop an AMF (TS 24.501 9.11.3.4)."""
    nai = b"\x11type1.rid0.schid0.useridx@example.com"
    request = octets("7e0041 79") + len(nai).to_bytes(2, "big") + nai
    assert decode(request).identity == OtherIdentity(nai)


def test_a_registration_with_an_unknown_guti_is_read_like_any_other():
    """It is for the AMF to ask for a SUCI then (TS 24.501 5.5.1.2.4), not for the codec to refuse."""
    guti = Guti(Plmn("999", "99"), 255, 1023, 63, 0xFFFFFFFF)
    assert decode(encode(m.RegistrationRequest(m.RegistrationType.INITIAL, guti))).identity == guti


def test_gutis_that_differ_in_the_amf_pointer_differ():
    one, other = Guti(HOME, 1, 1, 1, 7), Guti(HOME, 1, 1, 2, 7)
    assert encode(m.IdentityResponse(one)) != encode(m.IdentityResponse(other))
    assert decode(encode(m.IdentityResponse(other))).identity.pointer == 2


def test_a_registration_accept_carries_the_new_guti():
    guti = Guti(HOME, 2, 3, 4, 0xC0FFEE)
    assert decode(encode(m.RegistrationAccept(guti))).guti == guti


def test_a_service_request_carries_the_5g_s_tmsi_and_its_service_type():
    """ngKSI in the lower half of the octet, service type in the upper one (TS 24.501 8.2.16)."""
    request = m.ServiceRequest(2, m.ServiceType.DATA, STmsi(1, 1, 0xC0000001))
    assert encode(request) == octets("7e004c 12 0007 f4 0041 c0000001")


@pytest.mark.parametrize("cause", [23, 24])
def test_a_security_mode_reject_says_why(cause):
    assert decode(octets(f"7e005f {cause:02x}")) == m.SecurityModeReject(FivegmmCause(cause))


def test_the_container_of_a_security_mode_complete_may_hold_another_initial_message():
    """TS 24.501 5.4.2.4: it is read by its own type, whatever the UE began with."""
    service_request = m.ServiceRequest(1, m.ServiceType.SIGNALLING, STmsi(1, 2, 3))
    complete = decode(encode(m.SecurityModeComplete("3512345678901234", encode(service_request))))
    assert decode(complete.container) == service_request


@pytest.mark.parametrize(
    "identity",
    [
        "0007 f400410000",  # 5G-S-TMSI that runs over the end
        "0006 f40041000000",  # 5G-S-TMSI too short
        "000a f200f11001004100000001"[:-2],  # 5G-GUTI too short
        "000b f2aaaaaa01004100000001",  # PLMN of no digits
        "0008 0100f11000000000",  # SUCI without scheme output
        "0009 0100f110ab00000000",  # routing indicator of no digits
        "0009 3515325476981032ff",  # fifteen digits of an IMEISV
        "0000",
    ],
)
def test_a_mandatory_identity_that_breaks_its_format_is_96(identity):
    message = decode(octets("7e005c" + identity))
    assert message.cause is FivegmmCause.INVALID_MANDATORY_INFORMATION


# --- unknown, repeated and broken IEs -----------------------------------------------------------------------------


@pytest.mark.parametrize("unknown", ["1d03aabbcc", "a5", "7e0002aabb", "6900", "f0"])
def test_an_unknown_ie_is_skipped_by_its_format(unknown):
    """TS 24.007 11.2.4: TV of one octet, TLV-E for 7x, else TLV."""
    assert decode(octets(REJECT + unknown + "5f0121")).t3346 == GprsTimer2(0x21)


@pytest.mark.parametrize("iei", ["00", "05", "0f"])
def test_an_unknown_ie_that_must_be_comprehended_is_96(iei):
    """Bits 8 to 5 all zero (TS 24.007 11.2.4, TS 24.501 7.5.1)."""
    message = decode(octets(REJECT + iei + "01aa"))
    assert message.cause is FivegmmCause.INVALID_MANDATORY_INFORMATION


def test_of_an_ie_that_comes_twice_the_first_counts():
    """TS 24.501 7.6.3."""
    assert decode(octets(REJECT + "5f0121 5f012c")).t3346 == GprsTimer2(0x21)


def test_the_order_of_optional_ies_does_not_matter():
    assert decode(octets(REJECT + "160122 5f0121")) == decode(octets(REJECT + "5f0121 160122"))


@pytest.mark.parametrize("broken", ["5f", "5f01", "5f00", "5f0521"])
def test_an_optional_ie_that_is_empty_or_runs_over_the_end_is_not_present(broken):
    """TS 24.501 7.7.1."""
    assert decode(octets(REJECT + broken)) == m.RegistrationReject(FivegmmCause.CONGESTION, None)


def test_a_tv_ie_of_several_octets_is_skipped_as_a_whole():
    """The last visited TAI (52) has no length octet; its contents look like IEs here."""
    request = octets("7e0041 79 0007 f40041c0000001 52 2e022e022e02 2e02f0f0")
    assert decode(request).security_capability == octets("f0f0")


@pytest.mark.parametrize("ksi", [7, 15])
def test_no_key_is_no_key_whatever_the_type_of_security_context(ksi):
    assert decode(octets(f"7e0041 {ksi:x}9 0001 00")).ngksi == m.NO_KEY


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        ("", 111),
        ("7e", 111),
        ("7e00", 111),
        ("2e0101c1", 111),
        ("0741", 111),
        ("7e0001", 97),
        ("7e0079ff", 97),
        ("7e0044", 96),
        ("7e0541", 111),
        ("7e0211223344", 111),
        ("7e00 56 00 020000", 100),
        ("7e00 57", 100),
        ("7e0067 01 0001 2e", 100),
        ("7e0067 01 0000 1205", 96),
        ("7e0067 02 0001 2e 1205", 99),
        ("7e004c f1 0007 f40041c0000001", 96),
    ],
)
def test_what_is_no_message_says_which_status_it_deserves(data, cause):
    message = decode(octets(data))
    assert isinstance(message, m.Unreadable)
    assert message.cause == cause


@pytest.mark.parametrize(
    ("data", "cause"), [("", 111), ("7e0043", 111), ("7e004344", 111), ("2e0101ff", 97), ("2e0101c3", 96)]
)
def test_what_is_no_5gsm_message_says_which_status_it_deserves(data, cause):
    assert decode_5gsm(octets(data)).cause == cause


def test_spare_bits_beside_the_security_header_type_are_ignored():
    assert decode(octets("7ef043")) == m.RegistrationComplete()
    assert decode(octets("7ef2112233440543")) == m.Protected(2, octets("11223344"), 5, b"\x43")


def test_a_registration_type_that_is_not_used_is_an_initial_registration():
    """TS 24.501 9.11.3.7."""
    assert decode(octets("7e0041 70 0001 00")).kind is m.RegistrationType.INITIAL


def test_a_cause_nobody_knows_is_kept():
    assert decode(octets("7e0044 c8")).cause == 200


def test_a_session_may_be_accepted_with_both_address_families():
    """PDU address of type IPv4v6: interface identifier first, then the IPv4 address (TS 24.501 9.11.4.10)."""
    accept = "2e0101c2 11 0000 0606000106 0001".replace(" ", "")
    both = decode_5gsm(octets(accept + "290d 03 0102030405060708 0a000001"))
    assert both.address == bytes((10, 0, 0, 1))
    assert decode_5gsm(octets(accept + "2909 02 0102030405060708")).address == b""


# --- what cannot be said ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        m.AuthenticationRequest(0, bytes(2), bytes(15), bytes(16)),
        m.AuthenticationRequest(16, bytes(2), bytes(16), bytes(16)),
        m.SecurityModeCommand(0, 16, 2, bytes(2)),
        m.IdentityResponse(Guti(HOME, 1, 1024, 1, 1)),
        m.IdentityResponse(STmsi(1, 64, 1)),
        m.IdentityResponse(Suci(HOME, "12345", 0, 0, b"\x01")),
        m.IdentityResponse(Imeisv("123")),
        m.RegistrationAccept(None, bytes(256)),
        m.UlNasTransport(b"\x2e", 256),
        m.UlNasTransport(b"\x2e", -1),
        m.UlNasTransport(bytes(65536), 1),
        m.UlNasTransport(b"\x2e", 1, dnn="a..b"),
        m.PduSessionEstablishmentAccept(1, 1, bytes(16), "ims"),
        m.Protected(2, bytes(3), 0, b""),
    ],
    ids=str,
)
def test_a_value_that_its_ie_cannot_hold_is_refused(message):
    with pytest.raises((LookupError, ValueError, OverflowError)):
        encode(message)


# --- generated functions ------------------------------------------------------------------------------------------


def test_a_writer_wants_all_mandatory_ies_and_no_unknown_ones():
    with pytest.raises(ValueError, match="5GSID"):
        compile_writer(FIVEGMM[65], "NAS_KSI", "5GSRegType")
    with pytest.raises(ValueError, match="T9999"):
        compile_writer(FIVEGMM[67], "T9999")
    with pytest.raises(ValueError, match="T9999"):
        compile_walker(FIVEGMM[67], "T9999")


TWICE = defaultdict(tuple, {"5GMMRegistrationAccept": ("5GSAddReqResult",)})
"""IEs whose identifier another IE of the message has too: early Release 17 gave 34 also to emergency numbers."""


def test_no_other_identifier_stands_twice_in_a_message():
    for table in (*FIVEGMM.values(), *FIVEGSM.values()):
        identifiers = [e.iei for e in table.optional if e.name not in TWICE[table.name]]
        assert len(identifiers) == len(set(identifiers)), table.name


def test_a_walker_exists_for_every_message_that_pycrate_defines_and_finds_every_ie():
    """Every IE of every table, written with random contents and read back."""
    rng = Random(5)
    for table in (*FIVEGMM.values(), *FIVEGSM.values()):
        elements = [e for e in (*table.mandatory, *table.optional) if e.name not in ("spare", *TWICE[table.name])]
        names = [e.name for e in elements]
        values = [random_value(rng, element) for element in elements]
        session = [3, 4] if len(table.header) == 4 else []
        written = compile_writer(table, *names)(*session, *values)
        assert list(compile_walker(table, *names)(written)) == session + values, table.name


def random_value(rng, element):
    if element.format in (Format.HALF, Format.HALF_TV):
        return rng.randrange(16)
    if element.format in (Format.V, Format.TV):
        return rng.randrange(256) if element.length == 1 else rng.randbytes(element.length)
    return rng.randbytes(rng.randint(0, 40))


def test_every_optional_ie_has_an_identifier_of_its_format():
    """So that the rule for unknown IEs also skips the known ones that nobody wants."""
    ranges = {
        Format.HALF_TV: range(0x8, 0x10),
        Format.TV: range(0x10, 0x70),
        Format.TLV: range(0x10, 0x70),
        Format.TLV_E: range(0x70, 0x80),
    }
    for table in (*FIVEGMM.values(), *FIVEGSM.values()):
        for element in table.optional:
            assert element.iei in ranges[element.format], (table.name, element)


def test_pycrate_is_still_wrong_where_it_is_corrected():
    """A correction that pycrate no longer needs should go."""
    from pycrate_mobile.TS24501_FGMM import FGMMRegistrationRequest
    from pycrate_mobile.TS24501_FGSM import FGSMPDUSessionEstabReject, FGSMPDUSessionModifReject

    wrong = {
        "5GSMPDUSessionEstabReject": FGSMPDUSessionEstabReject()["ReattemptInd"],
        "5GSMPDUSessionModifReject": FGSMPDUSessionModifReject()["ReattemptInd"],
        "5GMMRegistrationRequest": FGMMRegistrationRequest()["N5GCInd"],
    }
    assert {name for name, _ in CORRECTIONS} == set(wrong)
    for (name, _), element in CORRECTIONS.items():
        ie = wrong[name]
        assert (ie[0].get_bl(), ie[0].get_val()) != (4 if element.format is Format.HALF_TV else 8, element.iei)


def test_random_messages_are_the_same_for_the_same_seed():
    assert random_messages(m.RegistrationRequest, 5) == random_messages(m.RegistrationRequest, 5)
