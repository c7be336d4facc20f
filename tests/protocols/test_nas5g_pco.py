"""Protocol configuration options: how a UE learns its P-CSCFs (TS 24.008 10.5.6.3)."""

from hypothesis import given, settings
from hypothesis import strategies as st
from pycrate_mobile.TS24008_IE import ProtConfig

from protocols.nas5g.decode import decode_5gsm
from protocols.nas5g.encode import encode
from protocols.nas5g.messages import PduSessionEstablishmentAccept, PduSessionEstablishmentRequest
from protocols.nas5g.pco import p_cscf_addresses, p_cscf_request, wants_p_cscf, with_p_cscf

FIRST, SECOND = bytes((10, 2, 0, 1)), bytes((10, 2, 0, 2))


def seen_by_pycrate(pco):
    element = ProtConfig()
    element.from_bytes(pco)
    return [(int(option["ID"].get_val()), option["Cont"].to_bytes()) for option in element["Config"]]


def test_a_request_is_one_empty_container():
    assert p_cscf_request() == bytes.fromhex("80 000c 00")
    assert wants_p_cscf(p_cscf_request())
    assert p_cscf_addresses(p_cscf_request()) == ()


def test_the_network_names_its_p_cscfs_in_order():
    answer = with_p_cscf((FIRST, SECOND))
    assert answer == bytes.fromhex("80 000c04 0a020001 000c04 0a020002")
    assert p_cscf_addresses(answer) == (FIRST, SECOND)


def test_pycrate_reads_the_same_options():
    assert seen_by_pycrate(p_cscf_request()) == [(12, b"")]
    assert seen_by_pycrate(with_p_cscf((FIRST, SECOND))) == [(12, FIRST), (12, SECOND)]


def test_the_options_travel_in_the_session_messages():
    request = PduSessionEstablishmentRequest(2, 2, p_cscf_request())
    accept = PduSessionEstablishmentAccept(2, 2, bytes((10, 128, 0, 1)), "ims", pco=with_p_cscf((FIRST, SECOND)))
    assert decode_5gsm(encode(request)) == request
    assert decode_5gsm(encode(accept)) == accept


def test_other_options_are_passed_over():
    dns_server = bytes.fromhex("000d04 08080808")
    assert p_cscf_addresses(b"\x80" + dns_server + with_p_cscf((FIRST,))[1:]) == (FIRST,)
    assert not wants_p_cscf(b"\x80" + dns_server)
    assert not wants_p_cscf(None)
    assert p_cscf_addresses(None) == ()


def test_a_length_that_does_not_fit_ends_the_list():
    assert p_cscf_addresses(with_p_cscf((FIRST, SECOND))[:-1]) == (FIRST,)
    assert p_cscf_addresses(bytes.fromhex("80 000c10 0a020001")) == ()


@given(st.binary(max_size=60))
@settings(max_examples=100)
def test_any_octets_are_options(octets):
    wants_p_cscf(octets)
    assert all(len(address) == 4 for address in p_cscf_addresses(octets))
