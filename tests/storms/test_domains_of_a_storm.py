"""What a true storm with IMS leaves in its record by domain, and what the report makes of it."""

import orjson
import pytest
from small_storms import plan, scenario, storm_of

from regstorm.measures.run_record import HowItRan, Measured, document, run_entry
from regstorm.records import counters
from regstorm.records import domain_counters as names
from reports import pages
from reports.headline import headline

UES, ONLINE = 150, 60


def storm_with_ims(share_of_amf):
    one = scenario(ues=UES, online=ONLINE, pairs_per_s=15.0, arrivals_s=10, outage={"recovery_within_s": 1200})
    population = one.population.model_copy(update={"ims": True})
    sbc = one.core.sbc.model_copy(update={"share_of_amf": share_of_amf})
    core = one.core.model_copy(update={"sbc": sbc})
    made = plan(one.model_copy(update={"population": population, "core": core}), under="tiered")
    return made, storm_of(made)


@pytest.fixture(scope="module", params=[1.0, 0.5], ids=["balanced", "half"])
def storm(request, tmp_path_factory):
    """The storm, its entry in run.json, and its run directory."""
    made, storm = storm_with_ims(request.param)
    how = HowItRan("wire", "lockstep", storm.clock.now)
    entry = run_entry(made, how, Measured(storm.timeline, storm.log, storm.ue_counts))
    where = tmp_path_factory.mktemp("run")
    (where / "timeline.csv").write_text(storm.timeline.csv())
    (where / "run.json").write_bytes(orjson.dumps(document(made.scenario, 1, [entry])))
    return request.param, storm, entry, where


@pytest.mark.slow
def test_an_sbc_that_admits_half_is_named_and_a_balanced_one_is_not(storm):
    share, _, _, where = storm
    assert ("The SBC is the door that is too narrow: under tiered" in headline(pages.load([where]))) is (share < 1)


@pytest.mark.slow
def test_everybody_passes_every_stage_once(storm):
    _, _, entry, _ = storm
    assert entry["recovery"]["share_back"] == 1
    assert [stage["reached"] for stage in entry["funnel"]] == [UES] * 5
    assert [stage["at_end"] for stage in entry["funnel"][1:]] == [UES] * 4


@pytest.mark.slow
def test_levels_of_the_funnel_never_widen_downwards(storm):
    _, one, _, _ = storm
    stages = (names.NOW_REGISTERED, names.NOW_SESSIONS_UP, names.NOW_IMS_REGISTERED, counters.OUTAGE_IN_SERVICE)
    for seconds in zip(*(one.timeline.column(name) for name in stages), strict=True):
        assert list(seconds) == sorted(seconds, reverse=True)


@pytest.mark.slow
def test_waste_by_interface_adds_up_to_the_waste_and_pairs_to_the_pairs(storm):
    _, one, entry, _ = storm
    interfaces = entry["interfaces"].values()
    assert sum(interface["wasted"] for interface in interfaces) == one.timeline.total(counters.UDM_PAIRS_LOST)
    assert sum(interface["served"] for interface in interfaces) == entry["udm"]["served"]
    assert sum(domain["pairs"] for domain in entry["domains"].values()) == entry["udm"]["served"]
    wasted = sum(domain["wasted_pairs"] for domain in entry["domains"].values())
    assert wasted == sum(interface["wasted"] for interface in interfaces)


@pytest.mark.slow
def test_requests_at_the_back_ends_are_the_pairs_offered(storm):
    _, _, entry, _ = storm
    offered = {one: interface["offered"] for one, interface in entry["interfaces"].items()}
    assert entry["nodes"]["UDM"]["requests"] == offered["N13"] + offered["N8"] + offered["N10"]
    assert entry["nodes"]["HSS"]["requests"] == offered["Cx"] + offered["Sh"]


@pytest.mark.slow
def test_no_online_user_loses_a_registration_that_falls_due(storm):
    _, _, entry, _ = storm
    again = entry["reregistrations"]
    assert again["due"] > 0
    assert again["due"] - again["kept"] <= 1, "one may be under way when the run ends"
    assert again["lost"] == 0


@pytest.mark.slow
def test_a_storm_without_ims_has_no_such_column_and_no_such_field():
    made = plan(scenario(ues=20, online=10))
    one = storm_of(made)
    own = tuple(value for name, value in vars(names).items() if name.isupper())
    assert not [column for column in one.timeline.columns() if column.startswith(own)]
    how = HowItRan("wire", "lockstep", one.clock.now)
    entry = run_entry(made, how, Measured(one.timeline, one.log, one.ue_counts))
    assert not {"funnel", "domains", "interfaces", "nodes", "reregistrations", "back_after_minute_12"} & set(entry)
