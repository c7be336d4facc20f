"""Which of several nodes serves a UE in the simulator: that which overload.node_shares names, whatever has happened."""

from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.overload.node_shares import Kind, node_of
from regstorm.records.nodes import Node
from regstorm.simulator.stations import Homes

FOUR = tuple(Node(name=name, share=share) for name, share in zip("abcd", (0.4, 0.3, 0.2, 0.1), strict=True))
UES = 60


@given(changes=st.lists(st.tuples(st.integers(0, 3), st.sampled_from((0.0, 0.2, 0.5, 1.0))), max_size=8))
@settings(max_examples=50)
def test_after_any_incidents_each_ue_is_served_by_the_node_that_the_wire_would_ask(changes):
    homes = Homes(FOUR, Kind.UDM, UES)
    factors = [1.0] * len(FOUR)

    for place, factor in changes:
        homes.change(place, factor)
        factors[place] = factor

        assert list(homes.of) == [node_of(FOUR, ue, Kind.UDM, factors) for ue in range(UES)]
