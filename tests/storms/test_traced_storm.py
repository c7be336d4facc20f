"""Traces of a sample of UEs: they change nothing, and tell each traced UE's way back."""

from dataclasses import replace

import orjson
from small_storms import plan, scenario, storm_of

from protocols.credentials import supi_of
from protocols.identities import Plmn


def test_a_storm_with_traces_is_the_same_storm():
    one = plan(scenario(ues=60, online=30, pairs_per_s=20, arrivals_s=10), "tiered")

    assert storm_of(replace(one, trace=7)).timeline.csv() == storm_of(one).timeline.csv()


def test_every_traced_ue_is_of_the_outage_group_and_ends_in_service():
    lines = storm_of(replace(plan(scenario(ues=40, online=10), "tiered"), trace=4)).traces.lines()

    events = [orjson.loads(line) for line in lines]
    told = {event["ue"]: event["name"] for event in events if event["event"] == "service"}
    assert told == {supi_of(index, Plmn("001", "01")): "full service" for index in (0, 10, 20, 30)}
    assert [event["at_s"] for event in events] == sorted(event["at_s"] for event in events)
