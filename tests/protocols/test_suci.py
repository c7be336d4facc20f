"""SUCI by the null-scheme and by ECIES profile A (TS 33.501 annex C; C.4 is its published test data)."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.identities import Plmn, Suci, supi
from protocols.suci import conceal, conceal_profile_a, deconceal, home_network_key

PLMN = Plmn("274", "012")
SUPI = "imsi-274012001002086"
HOME_PRIVATE = bytes.fromhex("c53c22208b61860b06c62e5406a7b330c2b577aa5558981510d128247d38bd1d")
HOME_PUBLIC = bytes.fromhex("5a8d38864820197c3394b92613b20b91633cbd897119273bf8e4a6f4eec0a650")
EPHEMERAL = bytes.fromhex("c80949f13ebe61af4ebdbd293ea4f942696b9e815d7e8f0096bbf6ed7de62256")
SCHEME_OUTPUT = bytes.fromhex(
    "b2e92f836055a255837debf850b528997ce0201cb82adfe4be1f587d07d8457dcb02352410cddd9e730ef3fa87"
)
KEY = home_network_key(1, HOME_PRIVATE)


def test_the_null_scheme_reproduces_c_4_2_1():
    assert conceal(SUPI, PLMN).output == bytes.fromhex("00012080f6")


def test_profile_a_reproduces_c_4_3_1():
    assert KEY.public == HOME_PUBLIC
    suci = conceal_profile_a(SUPI, PLMN, KEY, EPHEMERAL)
    assert suci == Suci(PLMN, "0", 1, 1, SCHEME_OUTPUT)
    assert deconceal(suci, {1: HOME_PRIVATE}) == SUPI


@given(st.text("0123456789", min_size=1, max_size=9), st.sampled_from([PLMN, Plmn("001", "01")]), st.integers(0))
def test_what_was_concealed_is_found_again(msin, plmn, seed):
    subscriber, ephemeral = supi(plmn, msin), Random(seed).randbytes(32)
    assert deconceal(conceal(subscriber, plmn), {}) == subscriber
    assert deconceal(conceal_profile_a(subscriber, plmn, KEY, ephemeral), {1: HOME_PRIVATE}) == subscriber


@pytest.mark.parametrize("bit", range(0, 8 * len(SCHEME_OUTPUT), 5))
def test_one_flipped_bit_is_noticed(bit):
    output = bytearray(SCHEME_OUTPUT)
    output[bit // 8] ^= 1 << bit % 8
    assert deconceal(Suci(PLMN, "0", 1, 1, bytes(output)), {1: HOME_PRIVATE}) is None


@given(st.binary(max_size=80), st.integers(0, 15), st.integers(0, 2))
def test_no_octets_make_the_home_network_fail(output, scheme, key_id):
    found = deconceal(Suci(PLMN, "0", scheme, key_id, output), {1: HOME_PRIVATE})
    assert found is None or (scheme == 0 and found.startswith("imsi-274012"))


@pytest.mark.parametrize("public", [bytes(32), bytes([1]) + bytes(31)])
def test_an_ephemeral_key_of_low_order_is_refused(public):
    assert deconceal(Suci(PLMN, "0", 1, 1, public + bytes(13)), {1: HOME_PRIVATE}) is None


def test_a_key_that_the_home_network_does_not_hold_finds_nobody():
    assert deconceal(Suci(PLMN, "0", 1, 2, SCHEME_OUTPUT), {1: HOME_PRIVATE}) is None
    assert deconceal(Suci(PLMN, "0", 1, 1, SCHEME_OUTPUT), {1: bytes([7]) * 32}) is None


def test_an_imsi_of_more_than_fifteen_digits_is_nobody():
    assert deconceal(Suci(PLMN, "0", 0, 0, bytes.fromhex("1032547698")), {}) is None
