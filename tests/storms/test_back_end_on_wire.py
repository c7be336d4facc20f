"""Storms whose UDM and HSS are asked over sockets: the same record as in process, and what a capture shows of it."""

import shutil
import subprocess
from collections import Counter
from dataclasses import replace

import pytest
from small_storms import plan, scenario, storm_of
from test_ims_storms import PAIRS, pairs, with_ims

from regstorm.records import backend_counters, counters

UES = 24


def storm(backend, one, under="tiered", pcap=None):
    return storm_of(replace(plan(one, under, pcap=pcap), backend=backend))


@pytest.mark.parametrize("refusals", ["silent", "answered"])
def test_an_overloaded_storm_leaves_the_same_timeline_on_the_wire_as_in_process(refusals):
    """Shedding, timeouts, repetitions, gates and queues by class: whatever happens, happens in the same instant."""
    one = scenario(
        ues=20, online=5, pairs_per_s=15, arrivals_s=3, udm={"refusals": refusals}, outage={"recovery_within_s": 60}
    )
    in_process, on_wire = (storm(backend, with_ims(one), "self_protection") for backend in ("in_process", "wire"))
    assert in_process.timeline.total(counters.UDM_DROPPED) > 20
    assert bool(in_process.timeline.total(counters.BUS_TIMEOUTS)) == (refusals == "silent")
    assert on_wire.timeline.csv() == in_process.timeline.csv()


def test_the_same_seed_gives_the_same_capture(tmp_path):
    files = [tmp_path / name for name in ("one", "two")]
    for path in files:
        storm("wire", with_ims(scenario(ues=3)), pcap=path)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_population_without_ims_asks_no_hss():
    done = storm("wire", scenario(ues=5))
    assert done.log.back == 5
    assert pairs(done) == {"N13": 10, "N8": 25, "N10": 30, "Cx": 0, "Sh": 0}


def test_nobody_loses_a_connection_in_a_whole_storm():
    done = storm("wire", with_ims(scenario(ues=10)))
    for name in (backend_counters.LOST, backend_counters.BROKEN, backend_counters.UNEXPECTED):
        assert not any(column.startswith(name) for column in done.timeline.columns())


# --- what an independent dissector says ------------------------------------------------------------------------------

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark (Debian package tshark)")


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    path = tmp_path_factory.mktemp("back_end") / "storm.pcap"
    done = storm("wire", with_ims(scenario(ues=UES)), pcap=path)
    assert done.log.back == UES
    return path, done


def dissected(capture, *arguments):
    command = ["tshark", "-n", "-r", str(capture[0]), "-o", "tcp.check_checksum:TRUE", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


@needs_tshark
def test_nothing_is_malformed_no_avp_is_unknown_and_no_expert_complains(captured):
    notes = 4194304
    bad = f"_ws.malformed || _ws.expert.severity >= {notes} || diameter.avp.unknown || tcp.checksum.status == 0"
    assert dissected(captured, "-Y", bad) == ""


@needs_tshark
def test_every_octet_of_the_back_end_is_dissected(captured):
    assert dissected(captured, "-Y", "tcp.len > 0 && tcp.port == 80 && !http2") == ""
    assert dissected(captured, "-Y", "tcp.len > 0 && tcp.port == 3868 && !diameter && !tcp.segment_data") == ""
    assert dissected(captured, "-Y", "tcp.analysis.flags") == ""


@needs_tshark
def test_the_messages_in_the_capture_add_up_to_the_counters_by_interface(captured):
    _, done = captured
    seen = Counter(dict(http_requests(captured)) | dict(diameter_requests(captured)))
    assert seen == pairs(done) == {one: UES * n for one, n in PAIRS.items()}


def http_requests(capture):
    """Requests by interface: each consumer of the UDM has an address of its own in the capture, and its User-Agent."""
    interface_of = {"AUSF": "N13", "AMF": "N8", "SMF": "N10"}
    shown = dissected(capture, "-Y", "http2.headers.method", "-T", "fields", "-e", "http2.headers.user_agent")
    agents = [one for line in shown.splitlines() for one in line.split(",")]
    return Counter(interface_of[agent] for agent in agents).items()


def diameter_requests(capture):
    application = {"16777216": "Cx", "16777217": "Sh"}
    shown = dissected(capture, "-Y", "diameter.flags.request == 1", "-T", "fields", "-e", "diameter.applicationId")
    each = shown.replace(",", "\n").split()
    return Counter(application[one] for one in each if one in application).items()


@needs_tshark
def test_every_request_has_its_answer_in_the_capture(captured):
    success = dissected(captured, "-Y", "diameter.flags.request == 0 && diameter.applicationId != 0")
    assert success
    statuses = dissected(captured, "-Y", "http2.headers.status", "-T", "fields", "-e", "http2.headers.status")
    seen = Counter(statuses.replace(",", "\n").split())
    assert set(seen) == {"200", "201"}
    assert sum(seen.values()) == UES * 13
