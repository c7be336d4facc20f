"""NAS security contexts and their algorithms (TS 24.501 4.4, TS 33.501 6.4 and annex D, TS 33.401 annex C)."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES128
from cryptography.hazmat.primitives.ciphers.modes import CTR
from cryptography.hazmat.primitives.cmac import CMAC
from hypothesis import given
from hypothesis import strategies as st

from protocols.aka import k_gnb, k_nas_enc, k_nas_int
from protocols.nas_ciphers import Nea2, Nia2, bearer_direction
from protocols.nas_security import (
    AES,
    MAXIMUM_COUNT,
    Algorithms,
    HeaderType,
    Rejected,
    SecurityContext,
    Side,
    Unprotected,
    choose_algorithms,
)

KAMF = bytes(range(32))
NULL = Algorithms(0, 0)
ALL_ALGORITHMS = [Algorithms(ciphering, integrity) for ciphering in (0, 2) for integrity in (0, 2)]
PROTECTED = [header_type for header_type in HeaderType if header_type is not HeaderType.PLAIN]


def pair(algorithms=AES, uplink_count=0, downlink_count=0):
    """A UE's context and the network's, in step."""
    return tuple(SecurityContext(side, 3, KAMF, algorithms, uplink_count, downlink_count) for side in Side)


def plain_nea2(key, count, direction_octets, message):
    counter = count.to_bytes(4, "big") + direction_octets + bytes(8)
    return Cipher(AES128(key), CTR(counter)).encryptor().update(message)


def plain_nia2(key, count, direction_octets, message):
    cmac = CMAC(AES128(key))
    cmac.update(count.to_bytes(4, "big") + direction_octets + message)
    return cmac.finalize()[:4]


# --- algorithms ----------------------------------------------------------------------------------------------------

# key, COUNT, BEARER, DIRECTION, length in bits, plain text, ciphered text
EEA2_TEST_SETS = [
    (
        "d3c5d592327fb11c4035c6680af8c6d1", 0x398A59B4, 0x15, 1, 253,
        "981ba6824c1bfb1ab485472029b71d808ce33e2cc3c0b5fc1f3de8a6dc66b1f0",
        "e9fed8a63d155304d71df20bf3e82214b20ed7dad2f233dc3c22d7bdeeed8e78",
    ),
    (
        "2bd6459f82c440e0952c49104805ff48", 0xC675A64B, 0x0C, 1, 798,
        "7ec61272743bf1614726446a6c38ced166f6ca76eb5430044286346cef130f92922b03450d3a9975e5bd2ea0eb55ad8e"
        "1b199e3ec4316020e9a1b285e762795359b7bdfd39bef4b2484583d5afe082aee638bf5fd5a606193901a08f4ab41aab"
        "9b134880",
        "5961605353c64bdca15b195e288553a910632506d6200aa790c4c806c99904cf2445cc50bb1cf168a49673734e081b57"
        "e324ce5259c0e78d4cd97b870976503c0943f2cb5ae8f052c7b7d392239587b8956086bcab18836042e2e6ce42432a17"
        "105c53d0",
    ),
    (
        "0a8b6bd8d9b08b08d64e32d1817777fb", 0x544D49CD, 0x04, 0, 310,
        "fd40a41d370a1f65745095687d47ba1d36d2349e23f644392c8ea9c49d40c13271aff264d0f24800",
        "75750d37b4bba2a4dedb34235bd68c6645acdaaca48138a3b0c471e2a7041a576423d2927287f000",
    ),
]  # fmt: skip

# sets 2 and 5, which are whole octets: key, COUNT, BEARER, DIRECTION, message, MAC
EIA2_TEST_SETS = [
    ("d3c5d592327fb11c4035c6680af8c6d1", 0x398A59B4, 0x1A, 1, "484583d5afe082ae", "b93787e6"),
    (
        "83fd23a244a74cf358da3019f1722635", 0x36AF6144, 0x0F, 1,
        "35c68716633c66fb750c266865d53c11ea05b1e9fa49c8398d48e1efa5909d3947902837f5ae96d5a05bc8d61ca8dbef"
        "1b13a4b4abfe4fb1006045b674bb54729304c382be53a5af05556176f6eaa2ef1d05e4b083181ee674cda5a485f74d7a",
        "e657e182",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("key", "count", "bearer", "direction", "bits", "plain", "ciphered"), EEA2_TEST_SETS)
def test_nea2_reproduces_ts_33_401_c_1(key, count, bearer, direction, bits, plain, ciphered):
    nea = Nea2(bytes.fromhex(key))
    octets, surplus_bits = -(-bits // 8), -bits % 8
    result = nea.apply(count, bearer_direction(bearer, direction), bytes.fromhex(plain)[:octets])
    wanted = bytes.fromhex(ciphered)[:octets]
    assert int.from_bytes(result) >> surplus_bits == int.from_bytes(wanted) >> surplus_bits


@pytest.mark.parametrize(("key", "count", "bearer", "direction", "message", "mac"), EIA2_TEST_SETS)
def test_nia2_reproduces_ts_33_401_c_2(key, count, bearer, direction, message, mac):
    nia = Nia2(bytes.fromhex(key))
    for _ in range(2):  # the second time the chain has to be cancelled
        assert nia.mac(count, bearer_direction(bearer, direction), bytes.fromhex(message)).hex() == mac


@given(
    st.binary(min_size=16, max_size=16),
    st.lists(st.tuples(st.integers(0, (1 << 32) - 1), st.integers(0, 1), st.binary(max_size=100)), max_size=6),
)
def test_kept_aes_contexts_compute_what_fresh_ones_do(key, messages):
    nea, nia = Nea2(key), Nia2(key)
    for count, direction, message in messages:
        where = bearer_direction(1, direction)
        assert nea.apply(count, where, message) == plain_nea2(key, count, where, message)
        assert nia.mac(count, where, message) == plain_nia2(key, count, where, message)


# --- protecting and unprotecting -----------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithms", ALL_ALGORITHMS)
@pytest.mark.parametrize("header_type", PROTECTED)
def test_each_side_reads_what_the_other_protects(algorithms, header_type):
    ue, network = pair(algorithms)
    for count, plain in enumerate([b"\x7e\x00\x41 request", b"\x7e\x00\x43 complete"]):
        assert network.unprotect(ue.protect(plain, header_type)) == Unprotected(plain, header_type, count)
        assert ue.unprotect(network.protect(plain, header_type)) == Unprotected(plain, header_type, count)


def test_a_protected_message_looks_as_ts_24_501_9_1_1_says():
    ue, _ = pair(uplink_count=0x0105)
    message = ue.protect(b"\x7e\x00\x43", HeaderType.CIPHERED)
    up = bearer_direction(1, 0)
    ciphered = plain_nea2(k_nas_enc(KAMF, 2), 0x0105, up, b"\x7e\x00\x43")
    mac = plain_nia2(k_nas_int(KAMF, 2), 0x0105, up, b"\x05" + ciphered)
    assert message == b"\x7e\x02" + mac + b"\x05" + ciphered


def test_integrity_protection_alone_leaves_the_message_readable():
    ue, network = pair()
    assert ue.protect(b"\x7e\x00\x41", HeaderType.INTEGRITY).endswith(b"\x7e\x00\x41")
    assert network.protect(b"\x7e\x00\x5d", HeaderType.NEW_CONTEXT).endswith(b"\x7e\x00\x5d")


def test_the_null_integrity_algorithm_sends_a_mac_of_zeros_and_reads_no_other():
    ue, network = pair(NULL)
    message = ue.protect(b"\x7e\x00\x41", HeaderType.INTEGRITY)
    assert message == b"\x7e\x01\x00\x00\x00\x00\x00\x7e\x00\x41"
    assert network.unprotect(b"\x7e\x01\x00\x00\x00\x01" + message[6:]) == Rejected("wrong MAC")


def test_a_repeated_message_is_refused_and_told_from_a_damaged_one():
    ue, network = pair()
    first = ue.protect(b"\x7e\x00\x41", HeaderType.INTEGRITY)
    assert isinstance(network.unprotect(first), Unprotected)
    assert network.unprotect(first) == Rejected("replayed")
    assert network.unprotect(first[:-1] + b"\x00") == Rejected("wrong MAC")
    assert isinstance(network.unprotect(ue.protect(b"\x7e\x00\x43", HeaderType.CIPHERED)), Unprotected)


def test_a_message_reflected_to_its_sender_is_refused():
    ue, _ = pair()
    assert ue.unprotect(ue.protect(b"\x7e\x00\x41", HeaderType.INTEGRITY)) == Rejected("wrong MAC")


def test_an_older_message_that_was_overtaken_is_refused():
    ue, network = pair()
    overtaken, newer = (ue.protect(b"\x7e\x00\x43", HeaderType.CIPHERED) for _ in range(2))
    assert isinstance(network.unprotect(newer), Unprotected)
    assert network.unprotect(overtaken) == Rejected("replayed")


@given(st.integers(0, MAXIMUM_COUNT - 256), st.integers(0, 255))
def test_the_count_is_estimated_over_a_gap_of_up_to_255_messages(start, lost):
    ue, _ = pair(uplink_count=start + lost)
    _, network = pair(uplink_count=start)
    unprotected = network.unprotect(ue.protect(b"\x7e\x00\x43", HeaderType.CIPHERED))
    assert unprotected == Unprotected(b"\x7e\x00\x43", HeaderType.CIPHERED, start + lost)
    assert network.uplink_count == start + lost + 1


def test_a_gap_of_256_messages_cannot_be_bridged():
    ue, _ = pair(uplink_count=256)
    _, network = pair(uplink_count=0)
    assert network.unprotect(ue.protect(b"\x7e\x00\x43", HeaderType.CIPHERED)) == Rejected("wrong MAC")


def test_the_last_count_can_be_used_and_no_more_after_it():
    ue, network = pair(uplink_count=MAXIMUM_COUNT)
    message = ue.protect(b"\x7e\x00\x43", HeaderType.INTEGRITY)
    assert isinstance(network.unprotect(message), Unprotected)
    assert network.unprotect(message) == Rejected("NAS COUNT exhausted")
    with pytest.raises(OverflowError):
        ue.protect(b"\x7e\x00\x43", HeaderType.INTEGRITY)


@given(st.data())
def test_a_single_flipped_bit_is_noticed_and_moves_no_count(data):
    ue, network = pair()
    message = bytearray(ue.protect(b"\x7e\x00\x43 registered", HeaderType.CIPHERED))
    bit = data.draw(st.integers(16, 8 * len(message) - 1))  # the first two octets are not covered by the MAC
    message[bit // 8] ^= 1 << bit % 8
    assert network.unprotect(bytes(message)) == Rejected("wrong MAC")
    assert network.uplink_count == 0


@given(st.one_of(st.binary(max_size=40), st.binary(max_size=40).map(lambda end: b"\x7e\x02" + end)))
def test_no_octets_make_a_context_fail(data):
    for context in (*pair(), *pair(NULL)):
        assert isinstance(context.unprotect(data), Rejected | Unprotected)
    assert isinstance(pair()[0].unprotect(data), Rejected)


@pytest.mark.parametrize("data", [b"", b"\x7e\x00\x41", b"\x7e\x01\x00\x00\x00\x00\x00", b"\x2e\x01" + bytes(9)])
def test_a_plain_or_truncated_message_is_not_a_protected_one(data):
    assert pair(NULL)[1].unprotect(data) == Rejected("not a security protected 5GMM message")


@pytest.mark.parametrize("header_type", [0, 5, 15])
def test_other_header_types_are_not_read(header_type):
    assert pair()[1].unprotect(bytes((0x7E, header_type)) + bytes(9)) == Rejected("security header type not supported")


def test_the_container_of_an_initial_message_is_ciphered_with_the_count_of_that_message():
    ue, network = pair(uplink_count=77)
    container = b"\x7e\x00\x41 all of it"
    outer = b"\x7e\x00\x41\x71" + ue.cipher_container(container)
    assert container not in outer
    unprotected = network.unprotect(ue.protect(outer, HeaderType.INTEGRITY))
    assert unprotected == Unprotected(outer, HeaderType.INTEGRITY, 77)
    assert network.decipher_container(outer[4:], unprotected.nas_count) == container


def test_dropped_ciphers_are_made_anew_and_counts_stay():
    ue, network = pair()
    for count in range(3):
        message = ue.protect(b"\x7e\x00\x43", HeaderType.CIPHERED)
        ue.drop_ciphers()
        network.drop_ciphers()
        assert network.unprotect(message) == Unprotected(b"\x7e\x00\x43", HeaderType.CIPHERED, count)


def test_both_sides_come_to_the_same_k_gnb():
    ue, network = pair(uplink_count=9)
    unprotected = network.unprotect(ue.protect(b"\x7e\x00\x4c", HeaderType.INTEGRITY))
    assert network.k_gnb(unprotected.nas_count) == ue.k_gnb(9) == k_gnb(KAMF, 9)


# --- choosing algorithms -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("capability", "ciphering", "integrity", "chosen"),
    [
        (b"\xf0\xf0", (2, 0), (2,), Algorithms(2, 2)),
        (b"\xf0\xf0", (0, 2), (2,), Algorithms(0, 2)),
        (b"\x80\x20", (2, 0), (2, 0), Algorithms(0, 2)),
        (b"\x80\x80\xf0\xf0", (2, 0), (2, 0), NULL),
        (b"\x50\xf0", (2, 0), (2,), None),
        (b"\xf0\x80", (2, 0), (2,), None),
        (b"\xf0", (2, 0), (2, 0), None),
        (b"", (2, 0), (2, 0), None),
    ],
)
def test_the_network_takes_its_first_preference_that_the_ue_has(capability, ciphering, integrity, chosen):
    assert choose_algorithms(capability, ciphering, integrity) == chosen


@pytest.mark.parametrize("algorithms", [Algorithms(1, 2), Algorithms(2, 3)])
def test_a_context_with_an_algorithm_that_nobody_computes_is_a_mistake(algorithms):
    with pytest.raises(ValueError, match="not supported"):
        SecurityContext(Side.UE, 0, KAMF, algorithms)
