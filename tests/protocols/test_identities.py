"""Identities and their texts (TS 23.003, TS 24.008 10.5.1.13, TS 24.501 9.12.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.identities import (
    Guti,
    Plmn,
    STmsi,
    Suci,
    bcd_digits,
    bcd_octets,
    imsi_of,
    msin_of,
    serving_network_name,
    supi,
)

TWO_DIGITS, THREE_DIGITS = Plmn("001", "01"), Plmn("310", "410")


@pytest.mark.parametrize(
    ("plmn", "octets"), [(TWO_DIGITS, "00f110"), (THREE_DIGITS, "130014"), (Plmn("274", "012"), "722410")]
)
def test_a_plmn_is_three_octets_of_swapped_digits(plmn, octets):
    assert plmn.octets == bytes.fromhex(octets)
    assert Plmn.from_octets(bytes.fromhex(octets)) == plmn


@given(st.from_regex(r"[0-9]{3}", fullmatch=True), st.from_regex(r"[0-9]{2,3}", fullmatch=True))
def test_every_plmn_is_read_as_it_was_written(mcc, mnc):
    assert Plmn.from_octets(Plmn(mcc, mnc).octets) == Plmn(mcc, mnc)


@given(st.binary(max_size=5))
def test_other_octets_are_no_plmn(octets):
    plmn = Plmn.from_octets(octets)
    assert plmn is None or plmn.octets == octets


@pytest.mark.parametrize(("digits", "octets"), [("001002086", "00012080f6"), ("0000000001", "0000000010"), ("", "")])
def test_digits_are_coded_low_half_first(digits, octets):
    assert bcd_octets(digits) == bytes.fromhex(octets)


@given(st.text("0123456789", min_size=1, max_size=20))
def test_digits_are_read_as_they_were_written(digits):
    assert bcd_digits(bcd_octets(digits)) == digits


@pytest.mark.parametrize(("octets", "digits"), [("f0ff", "0"), ("ff", None), ("", None), ("a1", None), ("1f32", None)])
def test_fillers_stand_at_the_end_only(octets, digits):
    assert bcd_digits(bytes.fromhex(octets)) == digits


def test_a_supi_consists_of_the_home_network_and_the_msin():
    assert supi(TWO_DIGITS, "0000000001") == "imsi-001010000000001"
    assert msin_of("imsi-001010000000001", TWO_DIGITS) == "0000000001"
    assert imsi_of("imsi-001010000000001") == "001010000000001"


@pytest.mark.parametrize(
    "text", ["imsi-310410000000001", "imsi-00101", "001010000000001", "nai-user@home", "imsi-0010100000000x1"]
)
def test_a_stranger_has_no_msin_here(text):
    with pytest.raises(ValueError, match="is no"):
        msin_of(text, TWO_DIGITS)


def test_a_suci_in_text_shows_the_msin_of_the_null_scheme_and_hex_otherwise():
    msin = bcd_octets("0000000001")
    assert Suci(TWO_DIGITS, "0000", 0, 0, msin).text() == "suci-0-001-01-0000-0-0-0000000001"
    assert Suci(THREE_DIGITS, "12", 1, 27, b"\xab\xcd").text() == "suci-0-310-410-12-1-27-abcd"
    assert Suci(TWO_DIGITS, "0", 0, 0, b"\xaa").text() == "suci-0-001-01-0-0-0-aa"


def test_an_s_tmsi_is_the_end_of_a_guti():
    assert Guti(TWO_DIGITS, 2, 1, 3, 0xC0FFEE).s_tmsi() == STmsi(1, 3, 0xC0FFEE)


@pytest.mark.parametrize(
    ("plmn", "name"),
    [
        (TWO_DIGITS, "5G:mnc001.mcc001.3gppnetwork.org"),
        (Plmn("208", "93"), "5G:mnc093.mcc208.3gppnetwork.org"),
        (Plmn("001", "00"), "5G:mnc000.mcc001.3gppnetwork.org"),
        (THREE_DIGITS, "5G:mnc410.mcc310.3gppnetwork.org"),
    ],
)
def test_a_serving_network_name_pads_the_mnc_to_three_digits(plmn, name):
    assert serving_network_name(plmn) == name
