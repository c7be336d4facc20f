"""By domain, interface and node: what a timeline says, and what it does not say."""

import pytest

from regstorm.measures.domain_record import add_domains, nodes
from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.records import counters, ims_counters, ims_ue_counters
from regstorm.records import domain_counters as names


def measured(**counted):
    timeline = Timeline(10.0)
    for name, amount in counted.items():
        timeline.count(name.replace("__", "."), 11.0, amount)
    timeline.advance(20.0)
    return timeline


def entry_of(timeline, core_is_ours=True):
    entry = {"online_ues": 50}
    add_domains(entry, timeline, ServiceLog(100, 50, 10.0), core_is_ours)
    return entry


def test_an_engine_that_tells_nothing_leaves_null_and_invents_nothing():
    entry = entry_of(measured(**{counters.REG_INIT_REQ: 100, counters.UDM_PAIRS_LOST: 7}))
    assert [entry[name] for name in ("funnel", "nodes", "reregistrations", "back_after_minute_12")] == [None] * 4
    assert entry["domains"]["IMS"]["refused_first"] is None
    assert entry["domains"]["5GC"]["wasted_pairs"] is None, "waste was told, but not by interface"
    assert entry["interfaces"]["N13"]["wasted"] is None


def test_no_waste_at_all_is_none_on_every_interface():
    assert entry_of(measured(**{counters.UDM_SERVED: 25}))["interfaces"]["Sh"]["wasted"] == 0


def test_a_core_that_is_not_ours_has_neither_doors_nor_nodes():
    told = {names.ATTEMPTED: 100, counters.REFUSED_FIRST: 3, ims_ue_counters.INIT_REG_ATT: 120}
    entry = entry_of(measured(**told, **{ims_ue_counters.INIT_REG_SUCC: 100}), core_is_ours=False)
    assert entry["interfaces"] is entry["nodes"] is None
    assert entry["domains"]["5GC"]["refused_first"] is None
    assert entry["domains"]["IMS"]["attempts_per_success"] == 1.2
    assert entry["funnel"][0] == {"stage": "attempted", "reached": 100, "at_end": None, "lost": None}


def test_doors_come_first_and_hss_and_udm_drop_what_their_interfaces_drop():
    told = {
        counters.AMF_UPLINK: 600,
        counters.REFUSED_FIRST: 5,
        counters.REFUSED_FOLLOW_UP: 2,
        ims_counters.SBC_REQUESTS: 200,
        "node.requests.UDM": 130,
        "node.requests.HSS": 120,
        "node.requests.I-CSCF": 40,
        "udm.dropped.N13": 3,
        "udm.dropped.Sh": 4,
        "ims.dropped_overload.I-CSCF": 6,
    }
    found = nodes(measured(**told))
    assert list(found) == ["AMF", "SBC", "HSS", "I-CSCF", "UDM"]
    assert found["AMF"] == {"requests": 600, "refused": 7, "dropped": 0}
    assert found["UDM"] == {"requests": 130, "refused": None, "dropped": 3}
    assert found["HSS"]["dropped"] == 4
    assert found["I-CSCF"]["dropped"] == 6


@pytest.mark.parametrize("with_ims", [False, True])
def test_each_of_several_nodes_has_a_line_of_its_own(with_ims):
    told = {
        "udm_node.offered.left": 70,
        "udm_node.offered.left.N8": 70,
        "udm_node.dropped.left": 1,
        "udm_node.offered.right": 60,
        "amf_node.uplink_nas.amf-1": 300,
        "amf_node.refused_first.amf-1": 9,
        "amf_node.refused_follow_up.amf-1": 1,
    }
    found = nodes(measured(**told, **({"node.requests.UDM": 130} if with_ims else {})))
    assert ("UDM" in found) is with_ims
    assert found["UDM left"] == {"requests": 70, "refused": None, "dropped": 1}
    assert found["UDM right"]["requests"] == 60
    assert found["AMF amf-1"] == {"requests": 300, "refused": 10, "dropped": 0}


def test_one_node_of_each_kind_without_ims_is_no_table():
    assert nodes(measured(**{counters.AMF_UPLINK: 600, counters.UDM_OFFERED: 130})) is None
