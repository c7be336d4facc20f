"""Digest with MD5 (RFC 2617) and AKAv1-MD5 (RFC 3310).

RFC 3310 has no numbers. The constants of AKAv1-MD5 start from MILENAGE test set 1 (TS 35.208) and were computed for
this project with separate code: they hold what we have, and are not published. Those of MD5 are RFC 2617 3.5's.
"""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.aka import resynchronise
from protocols.digest import (
    Challenge,
    Credentials,
    NonceCount,
    aka_nonce,
    answered,
    auts_of,
    digest_response,
    network_not_authentic,
    rand_and_autn,
    synchronisation_failed,
    unchallenged,
    verifies,
)
from protocols.milenage import Milenage
from protocols.sip.authentication import challenge_text, credentials_text, read_challenges, read_credentials

REALM = "ims.mnc001.mcc001.3gppnetwork.org"
USER = f"001010000000001@{REALM}"
URI = f"sip:{REALM}"
RAND = bytes.fromhex("23553cbe9637a89d218ae64dae47bf35")
AUTN = bytes.fromhex("55f328b43577b9b94a9ffac354dfafb3")
RES = bytes.fromhex("a54211d5e3ba50bf")
NONCE = "I1U8vpY3qJ0hiuZNrke/NVXzKLQ1d7m5Sp/6w1Tfr7M="
SQN = 0xFF9BB4D0B607
AUTS = bytes.fromhex("ba853f3c123ccf44e93596e355c6")
CHALLENGE = Challenge(REALM, NONCE, "AKAv1-MD5")
CHALLENGE_WITH_QOP = CHALLENGE._replace(qop=("auth",))


# --- numbers ------------------------------------------------------------------------------------------------------


def test_the_nonce_of_aka_is_rand_and_autn_in_base64():
    assert aka_nonce(RAND, AUTN) == NONCE
    assert rand_and_autn(NONCE) == (RAND, AUTN)
    assert rand_and_autn(aka_nonce(RAND, AUTN, b"server data")) == (RAND, AUTN)


def test_the_response_of_aka_is_that_of_the_regression_constants():
    assert answered(CHALLENGE, USER, RES, "REGISTER", URI).response == "1125a3c2e293453f07e08957ff235efc"
    with_qop = answered(CHALLENGE_WITH_QOP, USER, RES, "REGISTER", URI, nonce_count=1, cnonce="0a4f113b")
    assert with_qop.response == "402ab8df9f3a4d63a9f47c2f90e02938"
    assert (with_qop.qop, with_qop.nonce_count, with_qop.cnonce) == ("auth", 1, "0a4f113b")


def test_the_response_of_md5_is_that_of_rfc_2617():
    """RFC 2617 3.5."""
    nonce = "dcd98b7102dd2f0e8b11d0f600bfb0c093"
    response = digest_response(
        "Mufasa", "testrealm@host.com", b"Circle Of Life", "GET", "/dir/index.html", nonce, "auth", 1, "0a4f113b"
    )
    assert response == "6629fae49393a05397450978507c4ef1"


@pytest.mark.parametrize(
    "nonce", ["", "I1U8", "not base64!", NONCE[:-4], "٣" * 44, NONCE.replace("/", "_/"), "*" + NONCE]
)
def test_a_nonce_without_rand_and_autn_is_none_of_aka(nonce):
    assert rand_and_autn(nonce) is None


# --- passwords are octets -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("res", ["0000000000000000", "00ff22253a5c0d0a", "ffffffffffffffff", "5b5d3a2200"])
def test_res_is_octets_and_no_text(res):
    """Zeros, quotes, colons, line ends and octets that are no UTF-8 (RFC 3310 3.3)."""
    octets = bytes.fromhex(res)
    said = answered(CHALLENGE_WITH_QOP, USER, octets, "REGISTER", URI, cnonce="c")
    assert verifies(said, octets, "REGISTER")
    assert not verifies(said, res.encode(), "REGISTER")
    assert not verifies(said, octets.rstrip(b"\0") + b"x", "REGISTER")


@given(st.binary(min_size=4, max_size=16), st.sampled_from([(), ("auth",), ("auth-int", "auth")]), st.integers(1, 99))
def test_an_answer_verifies_after_its_way_through_the_header(res, qop, count):
    challenge = CHALLENGE._replace(qop=qop)
    (received,) = read_challenges(challenge_text(challenge))
    assert received == challenge
    said = read_credentials(credentials_text(answered(received, USER, res, "REGISTER", URI, count, "c")))
    assert verifies(said, res, "REGISTER")
    assert not verifies(said, res + b"\0", "REGISTER")
    assert not verifies(said, res, "MESSAGE")
    assert not verifies(said._replace(nonce=aka_nonce(RAND[::-1], AUTN)), res, "REGISTER")


@pytest.mark.parametrize(
    "change", [{"qop": "auth-int"}, {"nonce_count": None}, {"cnonce": None}, {"response": ""}, {"response": "é"}]
)
def test_credentials_that_cannot_be_checked_do_not_verify(change):
    said = answered(CHALLENGE_WITH_QOP, USER, RES, "REGISTER", URI, cnonce="c")
    assert verifies(said, RES, "REGISTER")
    assert verifies(said._replace(response=said.response.upper()), RES, "REGISTER")
    assert not verifies(said._replace(**change), RES, "REGISTER")


def test_without_auth_among_the_offered_qualities_the_answer_has_none():
    said = answered(CHALLENGE._replace(qop=("auth-int",)), USER, RES, "REGISTER", URI, 3, "c")
    assert (said.qop, said.nonce_count, said.cnonce) == (None, None, None)


# --- resynchronisation (RFC 3310 3.4) -----------------------------------------------------------------------------


def test_auts_is_base64_with_an_empty_response_and_leads_to_sqn_ms():
    """What the network sends on as RAND ‖ AUTS, and the HSS takes SQN from (TS 33.102 6.3.5)."""
    said = synchronisation_failed(CHALLENGE, USER, URI, AUTS)
    text = credentials_text(said)
    assert f'auts="{base64.b64encode(AUTS).decode()}"' in text
    assert 'response=""' in text
    received = read_credentials(text)
    assert received == said
    assert auts_of(received) == AUTS
    rand, _ = rand_and_autn(received.nonce)
    milenage = Milenage(
        bytes.fromhex("465b5ce8b199b49faa5f0a2ee238a6bc"), bytes.fromhex("cd63cb71954a9f4e48a5994e37a02baf")
    )
    assert resynchronise(milenage, rand, auts_of(received)) == SQN


def test_auts_does_not_authenticate_anybody():
    """The response is empty, whatever the password (RFC 3310 3.4): AUTS is read from who is not authenticated yet."""
    said = synchronisation_failed(CHALLENGE, USER, URI, AUTS)
    assert auts_of(said) == AUTS
    for password in (b"", RES, AUTS):
        assert not verifies(said, password, "REGISTER")


@pytest.mark.parametrize("auts", [AUTS.hex(), "", "AAAA", base64.b64encode(AUTS + b"x").decode(), "ä" * 20, "=" * 20])
def test_auts_that_is_not_14_octets_in_base64_is_no_auts(auts):
    """28 hexadecimal digits are what some UE generators send."""
    said = synchronisation_failed(CHALLENGE, USER, URI, AUTS)._replace(auts=auts)
    assert auts_of(said) is None


def test_a_challenge_that_is_not_authentic_is_answered_without_auts():
    """TS 24.229 5.1.1.5.3."""
    said = network_not_authentic(CHALLENGE, USER, URI)
    assert (said.response, said.auts, said.nonce) == ("", None, NONCE)
    assert auts_of(said) is None


def test_the_first_register_says_who_and_nothing_else():
    """TS 24.229 5.1.1.2.1."""
    assert unchallenged(USER, REALM, URI) == Credentials(USER, REALM, "", URI, "")


# --- nonce counts -------------------------------------------------------------------------------------------------


def test_a_nonce_count_that_does_not_grow_is_a_replay():
    """RFC 2617 3.2.2."""
    counts = NonceCount()
    assert [counts.accepts(count) for count in (1, 1, 2, 9, 3, 10)] == [True, False, True, True, False, True]


@pytest.mark.parametrize("count", [None, 0, -1, 2**32])
def test_a_count_that_is_none_is_not_accepted_and_changes_nothing(count):
    counts = NonceCount()
    assert not counts.accepts(count)
    assert counts.accepts(1)


def test_eight_hexadecimal_digits_carry_the_count():
    said = answered(CHALLENGE_WITH_QOP, USER, RES, "REGISTER", URI, 0xAB, "c")
    assert ", nc=000000ab" in credentials_text(said)
    assert read_credentials(credentials_text(said)).nonce_count == 0xAB


def test_an_opaque_challenge_is_answered_with_its_opaque_and_a_stale_one_is_read_as_stale():
    """RFC 2617 3.2.1, 3.2.2."""
    stale = CHALLENGE._replace(opaque='a "b"', stale=True)
    assert read_challenges(challenge_text(stale)) == [stale]
    said = answered(stale, USER, RES, "REGISTER", URI)
    assert read_credentials(credentials_text(said)).opaque == 'a "b"'


def test_the_keys_for_the_p_cscf_travel_in_the_challenge():
    """TS 24.229 5.4.1.2.1: in the 401 from S-CSCF to P-CSCF."""
    with_keys = CHALLENGE._replace(ck="0" * 32, ik="f" * 32)
    assert read_challenges(challenge_text(with_keys)) == [with_keys]
