"""storm_full.py: both domains in one storm, alone and with workers, each of which hears of its own UEs."""

import csv

import pytest
from locust_runs import ROOT, SHORT, locusts_counts, record, run_locust, small_storm, timeline_totals, two_workers

from regstorm.records import counters, ims_counters, ims_ue_counters

pytestmark = pytest.mark.slow

FULL = ROOT / "locustfiles" / "storm_full.py"
RETURNING, ONLINE = 50, 25
ROOMY = f"{SHORT} core.udm.capacity_pairs_per_s=80000"


def levels(out, *names):
    with (out / "run" / "timeline.csv").open() as file:
        return [sum(int(row[name]) for name in names) for row in csv.DictReader(file)]


@pytest.mark.parametrize("processes", [list, two_workers], ids=["one process", "two workers"])
def test_everybody_is_back_in_both_domains_and_the_core_agrees(tmp_path, processes):
    out = tmp_path
    options = small_storm(out, "--csv", str(out / "locust"), ues="4000", speed="15", changes=ROOMY)

    ended = run_locust("--headless", "--only-summary", *processes(), *options, locustfile=FULL)

    told = record(out)
    assert ended.returncode in (0, 3), ended.stdout
    assert told["complete"] is True, told
    assert told["runs"][0]["recovery"]["share_back"] == 1.0
    in_service = levels(out, counters.OUTAGE_IN_SERVICE, counters.ONLINE_IN_SERVICE)
    held_by_the_core = levels(out, ims_counters.FULL_SERVICE)
    assert in_service[0] == held_by_the_core[0] == RETURNING + ONLINE
    assert min(in_service) <= ONLINE
    assert in_service[-1] == held_by_the_core[-1] == RETURNING + ONLINE
    registered = timeline_totals(out)[ims_ue_counters.INIT_REG_SUCC]
    assert registered >= RETURNING
    attempts, _ = locusts_counts(out / "locust")
    ended_attempts = timeline_totals(out)[ims_ue_counters.INIT_REG_FAIL] + registered
    assert attempts["IMS registration"][0] == ended_attempts


def test_a_target_is_refused_because_gnbs_have_no_user_plane_towards_it(tmp_path):
    target = tmp_path / "lab.yaml"
    network = "{mcc: '001', mnc: '01', tac: 1, sst: 1}"
    keys = "k: 00112233445566778899aabbccddeeff, opc: 00112233445566778899aabbccddeeff"
    subscribers = f"{{first: '001010000000001', count: 150, {keys}}}"
    said = f"schema: 1\nname: lab\namfs: ['127.0.0.1:38412']\nnetwork: {network}\nsubscribers: {subscribers}\n"
    target.write_text(said)

    ended = run_locust("--headless", *small_storm(tmp_path), "--storm-target", str(target), locustfile=FULL)

    assert ended.returncode == 2, ended.stdout
    assert "population.ims: expected false" in ended.stdout
