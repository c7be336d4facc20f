"""Who a subscriber is in IMS (TS 23.003 13) and how AKA works there (TS 33.203 6.1)."""

from random import Random

import pytest

from protocols.aka import MacFailure, SynchFailure, UsimSqn, next_sqn, resynchronise
from protocols.credentials import credentials, prior_address, prior_binding
from protocols.digest import rand_and_autn
from protocols.identities import Plmn
from protocols.ims_aka import ImsAnswer, answer_ims_challenge, generate_ims_vector
from protocols.ims_identities import home_domain, private_identity, public_identity, supi_of_identity
from protocols.milenage import Milenage

PLMN = Plmn("001", "01")
SUPI = "imsi-001010000000001"


def subscriber():
    keys = credentials(seed=1, index=0, plmn=PLMN)
    return Milenage(keys.k, keys.opc), keys


def test_identities_come_from_the_imsi_and_lead_back_to_it():
    assert home_domain(PLMN) == "ims.mnc001.mcc001.3gppnetwork.org"
    assert private_identity(SUPI, PLMN) == "001010000000001@ims.mnc001.mcc001.3gppnetwork.org"
    assert public_identity(SUPI, PLMN) == "sip:001010000000001@ims.mnc001.mcc001.3gppnetwork.org"
    assert supi_of_identity(private_identity(SUPI, PLMN), PLMN) == SUPI
    assert supi_of_identity(public_identity(SUPI, PLMN), PLMN) == SUPI


@pytest.mark.parametrize(
    "identity",
    [
        "",
        "sip:",
        "tel:+491234",
        "001010000000001",
        "001010000000001@ims.mnc002.mcc001.3gppnetwork.org",
        "999700000000001@ims.mnc001.mcc001.3gppnetwork.org",
        "00101000000000x@ims.mnc001.mcc001.3gppnetwork.org",
        "0010100000000012@ims.mnc001.mcc001.3gppnetwork.org",
    ],
)
def test_another_identity_is_nobody_of_ours(identity):
    assert supi_of_identity(identity, PLMN) is None


def test_the_usim_proves_the_network_genuine_and_answers_with_res():
    milenage, keys = subscriber()
    sqn = next_sqn(keys.sqn)
    vector = generate_ims_vector(milenage, sqn, bytes(range(16)), keys.amf_field)
    answer = answer_ims_challenge(milenage, UsimSqn(keys.sqn), vector.rand, vector.autn)
    assert isinstance(answer, ImsAnswer)
    assert (answer.res, answer.ck, answer.ik) == (vector.xres, vector.ck, vector.ik)
    assert answer.sqn.highest == sqn


def test_one_usim_serves_both_domains_so_a_vector_of_before_is_stale():
    milenage, keys = subscriber()
    later = next_sqn(next_sqn(keys.sqn))
    vector = generate_ims_vector(milenage, next_sqn(keys.sqn), bytes(16), keys.amf_field)
    refused = answer_ims_challenge(milenage, UsimSqn(keys.sqn).after(later), vector.rand, vector.autn)
    assert isinstance(refused, SynchFailure)
    assert resynchronise(milenage, vector.rand, refused.auts) == later


@pytest.mark.parametrize("wrong", [slice(0, 8), slice(8, 15)])
def test_a_challenge_of_a_wrong_mac_or_length_is_not_genuine(wrong):
    milenage, keys = subscriber()
    vector = generate_ims_vector(milenage, next_sqn(keys.sqn), bytes(16), keys.amf_field)
    forged = vector.autn[wrong] + Random(1).randbytes(16 - len(vector.autn[wrong]))
    assert answer_ims_challenge(milenage, UsimSqn(keys.sqn), vector.rand, forged) == MacFailure()
    assert answer_ims_challenge(milenage, UsimSqn(keys.sqn), vector.rand, forged[:15]) == MacFailure()


def test_both_sides_know_the_registration_from_before():
    prior = prior_binding(seed=1, index=7)
    assert prior == prior_binding(seed=1, index=7)
    assert prior != prior_binding(seed=1, index=8)
    assert rand_and_autn(prior.nonce) is not None
    assert len(prior.res) == 8


def test_sessions_from_before_have_addresses_of_their_own():
    addresses = {prior_address(index, psi) for index in range(100) for psi in (1, 2)}
    assert len(addresses) == 200
    assert min(addresses).to_bytes(4) == bytes((10, 192, 0, 0))
    with pytest.raises(ValueError, match="no address"):
        prior_address(0, 5)
    with pytest.raises(ValueError, match="no address"):
        prior_address(1 << 20, 1)
