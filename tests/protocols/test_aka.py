"""5G-AKA from both sides (TS 33.501 6.1.3.2, annex A; TS 33.102 6.3, annex C).

3GPP publishes no end-to-end vector of the key chain. The constants below start from MILENAGE test set 1 (TS 35.208)
and were computed for this project with separate code: they hold what we have, and are not published.
"""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.aka import (
    SEQ_DELTA,
    Answer,
    MacFailure,
    SeparationBitMissing,
    SynchFailure,
    UsimSqn,
    answer_challenge,
    generate_vector,
    hres_star,
    k_gnb,
    k_nas_enc,
    k_nas_int,
    kdf,
    next_sqn,
    resynchronise,
)
from protocols.milenage import Milenage

MILENAGE = Milenage(
    bytes.fromhex("465b5ce8b199b49faa5f0a2ee238a6bc"), bytes.fromhex("cd63cb71954a9f4e48a5994e37a02baf")
)
RAND = bytes.fromhex("23553cbe9637a89d218ae64dae47bf35")
SQN = 0xFF9BB4D0B607
SNN = "5G:mnc001.mcc001.3gppnetwork.org"
SUPI = "imsi-001010000000001"
FIVEG = b"\x80\x00"
KAMF = bytes.fromhex("daae216bc3dc9c6e0db9e56d2b744ea247d67eed51fdf2411847d056ec45a666")


def challenged(sqn, usim, amf_field=FIVEG, snn=SNN):
    vector = generate_vector(MILENAGE, sqn, RAND, amf_field, SNN)
    return vector, answer_challenge(MILENAGE, usim, RAND, vector.autn, snn, SUPI)


def test_the_home_network_makes_the_vector_of_the_chain():
    vector = generate_vector(MILENAGE, SQN, RAND, FIVEG, SNN)
    assert vector.autn.hex() == "55f328b43577800059bcea576837152b"
    assert vector.kausf.hex() == "474698caf02cc715db2ec0726510cfee6caa5bb1a649cb01224f2e23af94de1b"
    assert vector.xres_star.hex() == "f236a7417272bfb2d66d4d670733b527"
    assert hres_star(RAND, vector.xres_star).hex() == "20a71900b01776bfd773e8c15a825446"


def test_the_ue_comes_to_the_keys_of_the_chain():
    vector, answer = challenged(SQN, UsimSqn(SQN - 32))
    assert isinstance(answer, Answer)
    assert (answer.res_star, answer.kausf) == (vector.xres_star, vector.kausf)
    assert answer.kseaf.hex() == "8dff166c02edd5b177950d50cdd3fe93756cc53951856a95cb5ee9aabd35e220"
    assert answer.kamf == KAMF


def test_the_keys_below_k_amf_are_those_of_the_chain():
    assert k_nas_int(KAMF, 2).hex() == "06c661bdcb505f1690bea90685d939f5"
    assert k_nas_enc(KAMF, 2).hex() == "d4c73a6303aa6b0cae734c0518134f1e"
    assert k_gnb(KAMF, 0).hex() == "d5b4598dcce4a0ce1232001e8ebe0d4d312226c08928239324639f0865d7ea9d"


def test_the_kdf_is_hmac_over_fc_and_parameters_with_their_lengths():
    text = b"\x6a" + b"abc\x00\x03" + b"\x00\x00"
    assert kdf(b"key", 0x6A, b"abc", b"") == hmac.new(b"key", text, hashlib.sha256).digest()


def test_another_serving_network_comes_to_other_keys():
    vector, answer = challenged(SQN, UsimSqn(SQN - 32), snn="5G:mnc002.mcc001.3gppnetwork.org")
    assert isinstance(answer, Answer)
    assert answer.res_star != vector.xres_star
    assert answer.kausf != vector.kausf


@pytest.mark.parametrize("bit", range(128))
def test_a_changed_autn_is_a_mac_failure(bit):
    autn = bytearray(generate_vector(MILENAGE, SQN, RAND, FIVEG, SNN).autn)
    autn[bit // 8] ^= 1 << bit % 8
    assert answer_challenge(MILENAGE, UsimSqn(SQN - 32), RAND, bytes(autn), SNN, SUPI) == MacFailure()


@given(st.binary(max_size=20), st.binary(max_size=20))
def test_octets_that_are_no_challenge_are_a_mac_failure(rand, autn):
    assert answer_challenge(MILENAGE, UsimSqn(0), rand, autn, SNN, SUPI) == MacFailure()


def test_a_vector_that_was_not_made_for_5g_is_refused():
    assert challenged(SQN, UsimSqn(SQN - 32), amf_field=b"\x7f\xff")[1] == SeparationBitMissing()


def test_a_stale_challenge_leads_to_auts_and_a_fresh_vector_is_accepted():
    usim = UsimSqn(SQN)
    _, refused = challenged(SQN - 3200, usim)
    assert isinstance(refused, SynchFailure)
    assert resynchronise(MILENAGE, RAND, refused.auts) == SQN
    _, answer = challenged(next_sqn(SQN), usim)
    assert isinstance(answer, Answer)


def test_auts_is_that_of_the_chain():
    assert challenged(SQN, UsimSqn(SQN))[1] == SynchFailure(bytes.fromhex("ba853f3c123ccf44e93596e355c6"))


@given(st.integers(0, 111))
def test_a_changed_auts_resynchronises_nobody(bit):
    auts = (int.from_bytes(bytes.fromhex("ba853f3c123ccf44e93596e355c6")) ^ 1 << bit).to_bytes(14)
    assert resynchronise(MILENAGE, RAND, auts) is None


@given(st.binary(max_size=20))
def test_octets_that_are_no_auts_resynchronise_nobody(auts):
    assert resynchronise(MILENAGE, RAND, auts) is None


def test_the_same_vector_is_accepted_once():
    _, first = challenged(SQN, UsimSqn(SQN - 32))
    assert isinstance(first, Answer)
    assert isinstance(challenged(SQN, first.sqn)[1], SynchFailure)


def test_a_vector_of_another_ind_may_be_older_than_the_newest():
    usim = UsimSqn(0).after(100 << 5 | 1)
    assert usim.accepts(50 << 5 | 2)
    assert not usim.accepts(50 << 5 | 1)
    assert usim.after(50 << 5 | 2).highest == 100 << 5 | 1


def test_seq_must_grow_and_ind_alone_does_not_count():
    assert not UsimSqn(100 << 5).accepts(100 << 5 | 31)
    assert UsimSqn(100 << 5 | 31).accepts(101 << 5)


def test_seq_may_not_jump_further_than_delta():
    usim = UsimSqn(7 << 5)
    assert usim.accepts(7 + SEQ_DELTA << 5)
    assert not usim.accepts(8 + SEQ_DELTA << 5)


@given(st.lists(st.integers(1, 1 << 20), max_size=80))
def test_a_usim_accepts_no_sqn_twice_and_remembers_one_per_ind(sqns):
    usim, taken = UsimSqn(0), []
    for sqn in sqns:
        if usim.accepts(sqn):
            taken.append(sqn)
            usim = usim.after(sqn)
    assert len(set(taken)) == len(taken)
    assert usim.highest == max(taken, default=0)
    assert sorted(usim.accepted) == sorted(
        max(sqn for sqn in taken if sqn & 31 == ind) for ind in {sqn & 31 for sqn in taken}
    )


def test_the_next_sqn_has_the_next_seq_and_the_same_ind():
    assert next_sqn(5 << 5 | 3) == 6 << 5 | 3
    assert next_sqn((1 << 48) - 1) == 31
