"""Three and four AMFs with unequal shares, one or two of them lost and back: wire and simulator agree node by node.

A UE with a GUTI of a lost AMF is drawn another one for every connection (TS 23.501 5.19.3, 6.3.5), so that under
`guided` more than one of them may authenticate it before it is registered; a UE in service is dropped by 5GMM #9 once
for each AMF that it has lost.
"""

import pytest
from small_storms import plan, scenario, storm_of, strategy

from regstorm.records import counters
from regstorm.records.files import with_changes
from regstorm.records.guided_counters import PRE_AUTHENTICATED
from regstorm.records.node_counters import AMF, of_node
from regstorm.simulator.run import Storm


def with_shares(**shares):
    return f"core.amfs=[{', '.join(f'{{name: {name}, share: {share}}}' for name, share in shares.items())}]"


THREE = with_shares(east=0.5, west=0.3, south=0.2)
FOUR = with_shares(east=0.4, west=0.3, south=0.2, north=0.1)
LOST_EAST = "{at_s: 6, nodes: [east], capacity: 0}"  # in the outage: nobody has come back yet
LOST_WEST = "{at_s: 40, nodes: [west], capacity: 0}"  # in the storm: some have registered there instead
EAST_BACK = "{at_s: 70, nodes: [east], capacity: 1}"
WEST_BACK = "{at_s: 100, nodes: [west], capacity: 1}"


def on_both(amfs, incidents, under, within_s):
    """800 users back and 400 in service, for a UDM that can register twelve of them in a second."""
    one = scenario(ues=800, online=400, pairs_per_s=160.0, outage={"recovery_within_s": within_s, "calm_after_s": 30})
    changes = [amfs, f"incidents=[{', '.join(incidents)}]", "population.ues_per_gnb=100", "online.every_s=60"]
    one = with_changes(one, changes)
    simulated = Storm(one, strategy(under), seed=1)
    while not simulated.over:
        simulated.run_second()
    simulated.timeline.close(float(simulated.second))
    return storm_of(plan(one, under)), simulated


@pytest.mark.slow
@pytest.mark.parametrize(
    ("amfs", "incidents", "under", "within_s"),
    [
        pytest.param(THREE, (LOST_EAST,), "guided", 300, id="one of three under guided"),
        pytest.param(FOUR, (LOST_EAST, LOST_WEST), "guided", 300, id="two of four under guided"),
        pytest.param(FOUR, (LOST_EAST, LOST_WEST, EAST_BACK, WEST_BACK), "guided", 300, id="and back under guided"),
        pytest.param(
            FOUR, (LOST_EAST, EAST_BACK, LOST_WEST.replace("40", "100")), "tiered", 200, id="by turns, tiered"
        ),
    ],
)
def test_lost_amfs_cost_the_same_at_each_of_those_left_on_the_wire_and_in_the_simulator(
    amfs, incidents, under, within_s
):
    wire, simulated = on_both(amfs, incidents, under, within_s)

    def same(counter, rel, least):
        expected = pytest.approx(wire.timeline.total(counter), rel=rel, abs=least)
        assert simulated.timeline.total(counter) == expected, counter

    for node in wire.scenario.core.amf_nodes:
        same(of_node(AMF, counters.AMF_UPLINK, node.name), 0.1, 30)
        same(of_node(AMF, counters.ADMITTED_FIRST, node.name), 0.1, 30)
        same(of_node(AMF, counters.REFUSED_FIRST, node.name), 0.1, 30)
    for counter in (counters.REG_INIT_REQ, counters.REG_INIT_SUCC, counters.UDM_OFFERED, counters.PROTECTED_REJECTS):
        same(counter, 0.06, 0)
    same(f"{counters.REJECT}.5GMM_9", 0.08, 0)
    same(counters.ONLINE_DROPPED, 0.08, 0)
    same(PRE_AUTHENTICATED, 0.1, 0)
    assert (wire.timeline.total(PRE_AUTHENTICATED) > 0) == (under == "guided")
    assert wire.timeline.total(counters.PROTOCOL_ERRORS) == wire.timeline.total(counters.DECODE_ERRORS) == 0

    assert simulated.log.share_back == pytest.approx(wire.log.share_back, abs=0.04)
    assert simulated.log.recovery_s(0.5) == pytest.approx(wire.log.recovery_s(0.5), rel=0.1)
    if under == "guided":
        assert wire.log.share_back == simulated.log.share_back == 1
        assert simulated.log.recovery_s(0.9) == pytest.approx(wire.log.recovery_s(0.9), rel=0.1)
