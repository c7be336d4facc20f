"""Sums of pairs by interface: what was put in comes out, whatever was added to what."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from regstorm.simulator.pair_sums import PairSums

INTERFACES = ("N13", "N8", "N10", "Cx", "Sh")


@given(st.lists(st.lists(st.sampled_from(INTERFACES), max_size=40), max_size=10))
def test_sums_of_sums_have_the_pairs_of_each_interface(procedures):
    sums = PairSums()
    in_all = sum(sum(sums.one(interface) for interface in pairs) for pairs in procedures)

    assert sums.parts(in_all) == Counter(interface for pairs in procedures for interface in pairs)
    assert sums.total(in_all) == sum(map(len, procedures))
