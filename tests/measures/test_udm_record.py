"""The bottleneck's figures by node: the worst one is what a run is judged by."""

from regstorm.measures.timeline import Timeline
from regstorm.measures.udm_record import udm_record
from regstorm.records import counters
from regstorm.records.scenario import Scenario


def scenario(ims=False, **core):
    return Scenario.model_validate(
        {
            "name": "two",
            "title": "Two UDMs",
            "population": {"outage_ues": 10, "online_ues": 0, "ims": ims},
            "core": {"udm": {"capacity_pairs_per_s": 2000}, **core},
        }
    )


TWO = {
    "udms": [
        {"name": "left", "share": 0.75, "capacity_share": 0.5},
        {"name": "right", "share": 0.25, "capacity_share": 0.5},
    ]
}


def timeline(**by_second):
    made = Timeline(0.0)
    seconds = max(map(len, by_second.values()))
    for second in range(seconds):
        for name, amounts in by_second.items():
            made.count(name.replace("__", "."), float(second), amounts[second])
    made.close(seconds)
    return made


def test_one_udm_has_no_table_and_its_own_figures():
    record = udm_record(timeline(udm__offered=[1500, 2500]), scenario())

    assert record["nodes"] == []
    assert (record["peak_load"], record["seconds_in_overload"]) == (1.25, 1)


def test_of_two_udms_the_worst_gives_the_load_even_if_both_together_are_below_their_limit():
    seen = timeline(udm__offered=[1600, 1600], udm_node__offered__left=[1200, 900], udm_node__offered__right=[400, 700])

    record = udm_record(seen, scenario(**TWO))

    assert (record["peak_load"], record["seconds_in_overload"], record["offered"]) == (1.2, 1, 3200)
    assert [(one["node"], one["peak_load"], one["offered"]) for one in record["nodes"]] == [
        ("left", 1.2, 2100),
        ("right", 0.7, 1100),
    ]


def test_5gc_with_units_of_its_own_is_judged_apart_from_ims():
    apart = scenario(True, udm={"capacity_pairs_per_s": 2000, "layout": "5gc_apart", "hss_capacity_pairs_per_s": 1000})
    seen = timeline(udm__offered=[2200], udm__offered__N8=[1100], udm__offered__Sh=[1100])

    record = udm_record(seen, apart)

    assert {one["units"]: one["peak_load"] for one in record["nodes"]} == {"5GC": 0.55, "EPC/IMS": 1.1}
    assert record["seconds_in_overload"] == 1


def test_load_is_judged_by_the_capacity_that_an_incident_has_left():
    seen = Timeline(0.0)
    for second in range(4):
        seen.count(counters.UDM_OFFERED, second, 1500)
        if second == 2:
            seen.gauge("udm_node.capacity_out.udm", 1_000_000)
    seen.close(4.0)

    record = udm_record(seen, scenario())

    assert (record["peak_load"], record["seconds_in_overload"]) == (1.5, 2)
