"""Which AMF a gNB takes (TS 23.501 5.19.3, 6.3.5): the one that gave out the 5G-GUTI, else by relative capacity."""

from collections import Counter
from random import Random

from protocols.identities import Plmn, STmsi
from protocols.nas5g.messages import Snssai
from protocols.ngap.messages import Guami, NgSetupResponse
from ue_models.amf_choice import choose

PLMN = Plmn("001", "01")


def amf(pointer, capacity):
    return NgSetupResponse("amf", Guami(PLMN, 1, 1, pointer), capacity, (Snssai(1),))


def test_a_ue_with_a_5g_guti_goes_to_the_amf_that_gave_it_out_even_if_that_takes_no_new_ues():
    amfs = [amf(0, 255), amf(1, 0)]

    assert {choose(amfs, STmsi(1, 1, number), Random(1)) for number in range(20)} == {1}


def test_others_are_spread_by_relative_capacity_and_none_goes_to_an_amf_of_capacity_zero():
    amfs, rng = [amf(0, 200), amf(1, 50), amf(2, 0)], Random(1)

    chosen = Counter(choose(amfs, None, rng) for _ in range(2000))

    assert chosen[2] == 0
    assert abs(chosen[0] - 1600) < 60


def test_whose_amf_cannot_be_reached_is_given_to_another():
    assert choose([None, amf(1, 50)], STmsi(1, 0, 7), Random(1)) == 1


def test_without_an_amf_that_takes_new_ues_there_is_none():
    assert choose([None, amf(1, 0)], STmsi(1, 0, 7), Random(1)) is None
    assert choose([None, None], None, Random(1)) is None
