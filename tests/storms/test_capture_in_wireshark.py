"""What an independent dissector says of a storm's capture: registrations, rejects, a resynchronisation, releases."""

import shutil
import subprocess
from collections import Counter

import pytest
from small_storms import plan, scenario, storm_of

from protocols.aka import UsimSqn

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark (Debian package tshark)")

NULL_CIPHERING = ("-o", "nas-5gs.null_decipher:TRUE")
REGISTRATION_ACCEPT, REGISTRATION_REJECT, AUTHENTICATION_FAILURE, SERVICE_ACCEPT = "0x42", "0x44", "0x59", "0x4e"


def dissected(capture, *arguments):
    command = ["tshark", "-n", "-r", str(capture), *NULL_CIPHERING, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.fixture(scope="module")
def capture(tmp_path_factory):
    """200 registrations against a core that refuses some of them; some USIMs are ahead; online users operate."""

    def some_usims_are_ahead(storm):
        for ue in storm.seats.outage_group[:20]:
            ue.state.sqn = UsimSqn(ue.state.credentials.sqn + (1 << 20))

    path = tmp_path_factory.mktemp("capture") / "storm.pcap"
    one = scenario(ues=200, online=100, pairs_per_s=100, network={"ciphering": "null"})
    storm = storm_of(plan(one, "tiered", pcap=path), some_usims_are_ahead)
    assert storm.log.back == 200
    return path


def test_nothing_is_malformed_and_no_expert_complains(capture):
    assert dissected(capture, "-Y", "_ws.malformed || _ws.expert.severity >= 6291456") == ""


def test_every_message_travels_as_ngap_in_sctp_with_ppid_60(capture):
    chunks = dissected(capture, "-Y", "sctp.chunk_type == 0", "-T", "fields", "-e", "sctp.data_payload_proto_id")
    assert set(chunks.split()) == {"60"}
    assert dissected(capture, "-Y", "sctp.chunk_type == 0 && !ngap") == ""
    assert dissected(capture, "-o", "sctp.checksum:TRUE", "-Y", "sctp.checksum.status == 0") == ""


def test_registrations_rejects_and_resynchronisations_are_in_it(capture):
    types = dissected(capture, "-Y", "nas-5gs", "-T", "fields", "-e", "nas_5gs.mm.message_type")
    seen = Counter(types.replace(",", "\n").split())
    assert seen[REGISTRATION_ACCEPT] >= 200
    assert seen[REGISTRATION_REJECT] > 0
    assert seen[AUTHENTICATION_FAILURE] == 20
    assert seen[SERVICE_ACCEPT] > 0


def test_a_reject_shows_cause_22_and_a_t3346_between_half_a_minute_and_three(capture):
    timer = "gsm_a.gm.gmm.gprs_timer2"
    shown = [one for name in ("nas_5gs.mm.5gmm_cause", f"{timer}_unit", f"{timer}_value") for one in ("-e", name)]
    rejects = f"nas_5gs.mm.message_type == {REGISTRATION_REJECT}"
    rows = dissected(capture, "-Y", rejects, "-T", "fields", *shown)
    assert rows
    seconds_per_unit = {"0": 2, "1": 60, "2": 360}
    for row in rows.splitlines():
        cause, unit, value = row.split("\t")
        assert cause == "22"
        assert 30 <= seconds_per_unit[unit] * int(value) <= 180
