"""Which node serves which user: shares hold in every part of the population, and of a lost node's users."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.overload.node_shares import Kind, node_of
from regstorm.records.nodes import Node

THREE = tuple(Node(name=name, share=share) for name, share in (("a", 0.6), ("b", 0.3), ("c", 0.1)))


def split(users, nodes=THREE, kind=Kind.UDM, factors=()):
    counted = Counter(node_of(nodes, ue, kind, factors) for ue in users)
    return [counted[place] for place in range(len(nodes))]


@pytest.mark.parametrize("kind", Kind)
@given(first=st.integers(0, 10_000_000), step=st.integers(1, 7))
@settings(max_examples=10)
def test_every_contiguous_range_and_every_nth_user_is_split_as_the_shares_say(kind, first, step):
    found = split(range(first, first + 1000 * step, step), kind=kind)

    assert found == pytest.approx([600, 300, 100], abs=16)


def test_the_users_of_an_amf_are_spread_over_all_udms():
    together = Counter((node_of(THREE, ue, Kind.AMF), node_of(THREE, ue, Kind.UDM)) for ue in range(10_000))

    for (amf, udm), users in together.items():
        assert users == pytest.approx(10_000 * THREE[amf].share * THREE[udm].share, abs=40)


def test_users_of_a_lost_node_are_shared_in_proportion_to_the_capacity_that_is_left_and_others_stay():
    nodes = (Node(name="a", share=0.6), Node(name="b", share=0.3, capacity_share=0.2), THREE[2])
    users = range(10_000)

    assert split(users, nodes, factors=(0, 0.5, 1)) == pytest.approx([0, 6000, 4000], abs=40)
    stay = [ue for ue in users if node_of(nodes, ue, Kind.UDM) != 0]
    assert all(node_of(nodes, ue, Kind.UDM, (0, 1, 1)) == node_of(nodes, ue, Kind.UDM) for ue in stay)


def test_users_go_back_when_their_node_is_back_and_stay_where_nothing_is_left_of_any():
    users = range(100)

    assert split(users, factors=(0.1, 1, 1)) == split(users) == split(users, factors=(0, 0, 0))


def test_one_node_serves_everybody():
    assert {node_of((Node(name="udm", share=1),), ue, Kind.UDM) for ue in range(1000)} == {0}
