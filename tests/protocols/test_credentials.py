"""Test credentials and contexts from before the outage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.aka import Answer, UsimSqn, answer_challenge, generate_vector, next_sqn
from protocols.credentials import (
    credentials,
    home_network_private_keys,
    home_network_public_key,
    index_of,
    prior_context,
    supi_of,
)
from protocols.identities import Plmn, serving_network_name
from protocols.milenage import Milenage
from protocols.nas_security import HeaderType, SecurityContext, Side, Unprotected
from protocols.suci import conceal_profile_a, deconceal

PLMN = Plmn("001", "01")


def kept(seed, index):
    return prior_context(seed, index, PLMN, region=2, set_id=1, pointer=0)


def test_ue_and_core_come_to_the_same_credentials_each_for_itself():
    ue, core = credentials(7, 12, PLMN), credentials(7, 12, PLMN)
    snn = serving_network_name(PLMN)
    vector = generate_vector(Milenage(core.k, core.opc), next_sqn(core.sqn), bytes(16), core.amf_field, snn)
    answer = answer_challenge(Milenage(ue.k, ue.opc), UsimSqn(ue.sqn), vector.rand, vector.autn, snn, ue.supi)
    assert isinstance(answer, Answer)
    assert answer.res_star == vector.xres_star


def test_ue_and_core_come_to_the_same_kept_context_each_for_itself():
    ue, core = (
        SecurityContext(
            side, prior.ngksi, prior.kamf, uplink_count=prior.uplink_count, downlink_count=prior.downlink_count
        )
        for side, prior in ((Side.UE, kept(7, 12)), (Side.NETWORK, kept(7, 12)))
    )
    assert isinstance(core.unprotect(ue.protect(b"\x7e\x00\x41", HeaderType.INTEGRITY)), Unprotected)
    assert isinstance(ue.unprotect(core.protect(b"\x7e\x00\x44", HeaderType.CIPHERED)), Unprotected)


def test_subscribers_and_seeds_differ_in_everything_secret():
    everybody = [credentials(seed, index, PLMN) for seed in range(3) for index in range(50)]
    assert len({subscriber.k for subscriber in everybody}) == len(everybody)
    assert len({subscriber.opc for subscriber in everybody}) == len(everybody)
    assert len({kept(seed, index).kamf for seed in range(3) for index in range(50)}) == len(everybody)


def test_a_usim_conceals_for_the_home_network_of_the_same_seed_only():
    subscriber = credentials(7, 12, PLMN).supi
    suci = conceal_profile_a(subscriber, PLMN, home_network_public_key(7), ephemeral=bytes(range(32)))
    assert deconceal(suci, home_network_private_keys(7)) == subscriber
    assert deconceal(suci, home_network_private_keys(8)) is None


def test_values_are_in_their_ranges():
    for index in range(300):
        prior = kept(3, index)
        assert 0 <= prior.ngksi < 7
        assert 0 <= prior.guti.tmsi < 0xFFFFFFFF
        assert 0 <= prior.uplink_count < 200
        assert 0 <= prior.downlink_count < 200
        assert prior.guti[:4] == (PLMN, 2, 1, 0)


@given(st.integers(), st.sets(st.integers(0, (1 << 32) - 2), min_size=2, max_size=8))
def test_no_two_subscribers_have_the_same_tmsi(seed, indexes):
    assert len({kept(seed, index).guti.tmsi for index in indexes}) == len(indexes)


@pytest.mark.parametrize(
    ("plmn", "text"), [(PLMN, "imsi-001010000000042"), (Plmn("310", "410"), "imsi-310410000000042")]
)
def test_an_index_and_its_supi_lead_to_each_other(plmn, text):
    assert supi_of(41, plmn) == text
    assert index_of(text, plmn) == 41


@pytest.mark.parametrize("text", ["imsi-001010000000000", "imsi-00101000000042", "imsi-001020000000042", "nai-x", ""])
def test_a_stranger_has_no_index(text):
    assert index_of(text, PLMN) is None


@pytest.mark.parametrize("index", [-1, 10**10 - 1])
def test_an_index_that_has_no_imsi_is_a_mistake(index):
    with pytest.raises(ValueError, match="no test subscriber"):
        supi_of(index, PLMN)
