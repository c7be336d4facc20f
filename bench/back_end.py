"""What the back end on the wire costs: full-service storms in lockstep, calls in process beside HTTP/2 and Diameter.

    python bench/back_end.py                 500 UEs, each with 25 pairs
    python bench/back_end.py --ues 200

Calm: capacity for everybody. Both storms do exactly the same, octet for octet on N2; the difference is what 13 requests
on HTTP/2 and 12 on Diameter cost, both ends of each in this process. CPU is that of the process while the storm runs.
The last lines measure the protocol halves alone, without sockets: one connection, 16 requests at a time.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path
from random import Random

from protocols.diameter.cx import UserAuthorizationAnswer, UserAuthorizationRequest
from protocols.diameter.messages import Identifiers
from protocols.diameter.numbers import ResultCode
from regstorm.drivers.wire_storm import WireStorm
from regstorm.records import counters
from regstorm.records.files import read
from regstorm.records.scenario import Scenario
from regstorm.records.storm_plan import StopFlag, StormPlan
from regstorm.records.strategy import Strategy
from regstorm.reference_core.backend import diameter_peer
from regstorm.reference_core.backend.diameter_peer import DiameterPeer, Node
from regstorm.reference_core.backend.http_messages import Request, Response
from regstorm.reference_core.backend.sbi_client import SbiClient
from regstorm.reference_core.backend.sbi_server import Asked, SbiServer

STRATEGIES = Path(__file__).parents[1] / "strategies"
AT_ONCE = 16
PAIRS = 4_000


def scenario(ues):
    return Scenario.model_validate(
        {
            "name": "bench",
            "title": "Everybody at once, with room for all",
            "network": {},
            "population": {"outage_ues": ues, "online_ues": 0, "ims": True},
            "outage": {"begins_s": 5, "lasts_s": 5, "arrivals_s": 30, "recovery_within_s": 600, "calm_after_s": 5},
            "core": {"udm": {"capacity_pairs_per_s": 1e6}},
        }
    )


def storm(ues, backend):
    """CPU seconds, and how much came back."""
    under = read(STRATEGIES / "self_protection.yaml", Strategy)
    made = WireStorm(replace(StormPlan(scenario(ues), under, 1, 1, Path()), backend=backend))
    for _ in range(ues):
        made.seats.take_outage()
    cpu_s, wall_s = time.process_time(), time.perf_counter()
    try:
        made.run(lambda progress: None, StopFlag())
    finally:
        made.close()
    return time.process_time() - cpu_s, time.perf_counter() - wall_s, made


def compare(ues):
    storm(10, "wire")  # what is made once is made
    alone_s = None
    for backend in ("in_process", "wire"):
        cpu_s, wall_s, made = storm(ues, backend)
        back, pairs = made.log.back, made.timeline.total(counters.UDM_SERVED)
        more = ""
        if alone_s is not None:
            more = f"; {1e6 * (cpu_s - alone_s) / pairs:.0f} us more for each pair"
        print(
            f"{backend:10}: {back} full-service registrations, {pairs / back:.2f} pairs each; {back / wall_s:.0f}/s; "
            f"CPU per registration {1e3 * cpu_s / back:.2f} ms{more}",
            flush=True,
        )
        alone_s = cpu_s


def http_alone():
    client, server = SbiClient("udm.5gc.mnc001.mcc001.3gppnetwork.org", "AMF"), SbiServer()
    answer = Response(200, (("content-type", "application/json"),), b'{"nssai":{"defaultSingleNssais":[{"sst":1}]}}')

    def ask(number):
        client.request(Request("GET", f"/nudm-sdm/v2/imsi-{number:015}/am-data", (("3gpp-sbi-message-priority", "5"),)))

    def cross():
        for event in server.receive(client.octets()):
            if isinstance(event, Asked):
                server.respond(event.stream, answer)
        client.receive(server.octets())

    return per_pair(ask, cross)


def diameter_alone():
    realm = "ims.mnc001.mcc001.3gppnetwork.org"
    icscf = DiameterPeer(Node(f"icscf.{realm}", realm, "127.0.0.1"), Identifiers(0, Random(1)), connects=True)
    hss = DiameterPeer(Node(f"hss.{realm}", realm, "127.0.0.1"), Identifiers(0, Random(2)), connects=False)

    def ask(number):
        user = f"{number:015}@{realm}"
        icscf.request(UserAuthorizationRequest(user, f"sip:{user}", realm.encode()), f"hss.{realm}")

    def cross():
        for event in hss.receive(icscf.octets()):
            if isinstance(event, diameter_peer.Asked):
                hss.answer(event.message, UserAuthorizationAnswer(ResultCode.SUCCESS, f"sip:scscf.{realm}:5060"))
        icscf.receive(hss.octets())

    cross()
    return per_pair(ask, cross)


def per_pair(ask, cross):
    cpu_s = time.process_time()
    for first in range(0, PAIRS, AT_ONCE):
        for number in range(first, first + AT_ONCE):
            ask(number)
        cross()
    return 1e6 * (time.process_time() - cpu_s) / PAIRS


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ues", type=int, default=500)
    arguments = parser.parse_args()
    compare(arguments.ues)
    print(f"HTTP/2 alone, both ends: {http_alone():.0f} us for each pair; Diameter alone: {diameter_alone():.0f} us")


if __name__ == "__main__":
    main()
