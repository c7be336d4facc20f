"""The chain of a registration as data: its pairs and messages are those of the catalogue."""

from collections import Counter

import pytest
from simulated_storms import scenario

from regstorm.overload.amplification import pairs_per_registration, uplink_messages_per_registration
from regstorm.records.operations import Nf
from regstorm.simulator.chain import Chain, chains


def pairs_by_interface(chain: Chain) -> Counter[str]:
    return Counter(pair.operation.interface for stage in chain.stages for pair in (*stage.pairs, *stage.late_pairs))


def test_a_registration_with_two_sessions_has_thirteen_pairs():
    way_back = chains(scenario())
    for chain in way_back.all:
        assert pairs_by_interface(chain) == {"N13": 2, "N8": 5, "N10": 6}
        assert chain.pairs == 13


@pytest.mark.parametrize("context", ["kept", "lost"])
@pytest.mark.parametrize("authenticate", ["always", "when_needed"])
@pytest.mark.parametrize("dnns", [("internet",), ("internet", "ims", "xcap")])
def test_the_chain_of_the_outage_group_agrees_with_the_amplification_model(context, authenticate, dnns):
    storm = scenario(outage={"amf_context": context, "authenticate": authenticate}, network={"dnns": dnns})
    way_back = chains(storm)
    chain = way_back.known if context == "kept" else way_back.unknown_guti
    assert pairs_by_interface(chain) == {one: n for one, n in pairs_per_registration(storm).items() if n}
    assert chain.messages == uplink_messages_per_registration(storm)


def test_a_ue_without_a_context_is_challenged_even_where_others_are_not():
    way_back = chains(scenario(outage={"authenticate": "when_needed"}))
    assert pairs_by_interface(way_back.known)["N13"] == 0
    assert pairs_by_interface(way_back.anonymous)["N13"] == 2


def test_only_the_first_pair_of_a_procedure_is_one_of_a_newcomer():
    for chain in chains(scenario()).all:
        firsts = [pair for stage in chain.stages for pair in stage.pairs if pair.first]
        assert len(firsts) == 1
        assert firsts[0] is next(pair for stage in chain.stages for pair in stage.pairs)


def test_every_pair_goes_to_the_udm():
    for chain in chains(scenario()).all:
        for stage in chain.stages:
            assert all(pair.operation.server is Nf.UDM for pair in (*stage.pairs, *stage.late_pairs))
