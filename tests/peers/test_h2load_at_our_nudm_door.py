"""Others knock at the doors of a running core: h2load at the UDM's, a peer of our own making at the HSS's."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from random import Random

import pytest

from protocols.diameter import base
from protocols.diameter.cx import UserAuthorizationRequest
from protocols.diameter.decode import decode
from protocols.diameter.framing import StreamFraming
from protocols.diameter.messages import Identifiers
from protocols.diameter.numbers import ExperimentalResultCode
from protocols.identities import Plmn
from protocols.ims_identities import private_identity, public_identity
from regstorm.reference_core.backend.diameter_peer import Answered, DiameterPeer, Node

# what the UDM sheds in silence a stranger would wait for in vain: nothing is to be shed here
PLENTY = ["--set", "core.udm.capacity_pairs_per_s=100000", "--set", "population.ims=true"]
REQUESTS = 2_000

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def core():
    """A core of its own process with both doors open; where they are."""
    command = [sys.executable, "-c", "from regstorm.cli.main import run; run()", "core"]
    wanted = ["--backend", "wire", "--sample", "1", "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0"]
    process = subprocess.Popen([*command, *wanted, *PLENTY], stderr=subprocess.PIPE, text=True)
    try:
        yield doors(process)
    finally:
        os.kill(process.pid, signal.SIGTERM)
        process.wait(timeout=10)
        process.stderr.close()


def doors(process):
    found = {}
    for line in process.stderr:
        said = re.search(r"(UDM|HSS) at 127.0.0.1:(\d+)", line)
        if said:
            found[said[1]] = int(said[2])
        if "Ctrl-C" in line:
            break
    for port in found.values():
        wait_for(port)
    return found


def wait_for(port):
    give_up_at = time.monotonic() + 60
    while time.monotonic() < give_up_at:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nobody listens at {port}")


@pytest.mark.skipif(shutil.which("h2load") is None, reason="needs h2load (Debian package nghttp2-client)")
def test_h2load_finds_no_failed_request_at_the_nudm_door(core):
    url = f"http://127.0.0.1:{core['UDM']}/nudm-sdm/v2/imsi-001010000000001/am-data"
    command = ["h2load", "-n", str(REQUESTS), "-c1", "-m50", url]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    assert f"{REQUESTS} succeeded, 0 failed, 0 errored, 0 timeout" in printed
    assert f"status codes: {REQUESTS} 2xx" in printed


def test_a_stranger_exchanges_capabilities_with_the_hss_asks_and_takes_its_leave(core):
    plmn = Plmn("001", "01")
    realm = "ims.mnc001.mcc001.3gppnetwork.org"
    peer = DiameterPeer(Node(f"kamailio.{realm}", realm, "127.0.0.1"), Identifiers(0.0, Random(1)), connects=True)
    with socket.create_connection(("127.0.0.1", core["HSS"]), timeout=10) as sock:
        talk(sock, peer)
        supi = "imsi-001010000000001"
        peer.request(
            UserAuthorizationRequest(private_identity(supi, plmn), public_identity(supi, plmn), realm.encode()),
            f"hss.{realm}",
        )
        (answered,) = talk(sock, peer)
        assert isinstance(answered, Answered)
        assert answered.message.content.result.code is ExperimentalResultCode.FIRST_REGISTRATION
        peer.disconnect()
        sock.sendall(peer.octets())
        (dpa,) = [decode(one) for one in StreamFraming().feed(sock.recv(4096))]
        assert isinstance(dpa.content, base.DisconnectPeerAnswer)
        assert sock.recv(4096) == b""


def talk(sock, peer):
    """Says what the peer has to say, and hears one read's worth."""
    sock.sendall(peer.octets())
    return peer.receive(sock.recv(4096))
