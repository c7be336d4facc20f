"""sipp registers at the SBC of a core in a process of its own, with plain digest MD5: 401, then 200."""

import shutil
import time

import gevent
import pytest
from sipp import run_sipp

from regstorm.drivers.control import SipAt
from regstorm.drivers.core_link import CoreChild
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("sipp") is None, reason="needs sipp (Debian package sip-tester)"),
]

UES, PER_S, WITHIN_S = 2_000, 200, 60
NO_CONTROL = Strategy(name="none", title="none", summary="none")
SCENARIO = Scenario.model_validate(
    {
        "name": "peers",
        "title": "An SBC for a peer",
        "population": {"outage_ues": UES, "online_ues": 0, "ims": True},
        "core": {"udm": {"capacity_pairs_per_s": 1e6}, "ims": {"digest_password": "secret"}},
    }
)


class Books:
    """What the core has counted."""

    def __init__(self):
        self.counted = {}

    def told(self, first, seconds):
        for counted, _ in seconds:
            for name, number in counted.items():
                self.counted[name] = self.counted.get(name, 0) + number


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_two_thousand_users_register_and_the_core_has_counted_each_of_them(transport, tmp_path):
    books = Books()
    child = CoreChild(books.told, lambda why: None)
    try:
        child.link.set_up(SCENARIO, NO_CONTROL, 1, 0, 0, SipAt())
        began = time.time()
        child.link.begin(began, 1.0)
        said = gevent.get_hub().threadpool.apply(
            run_sipp, (child.link.sip_address, tmp_path, UES, PER_S, transport, WITHIN_S)
        )
        with gevent.Timeout(WITHIN_S):  # third-party registrations come after the 200
            while books.counted.get("ims.third_party", 0) < 2 * UES:
                gevent.sleep(0.2)
        child.link.stop(time.time() - began)
    finally:
        child.end()

    assert (said["SuccessfulCall(C)"], said["FailedCall(C)"]) == (str(UES), "0")
    counted = books.counted
    assert counted["sbc.requests"] == 2 * UES
    assert (counted["sbc.responses.401"], counted["sbc.responses.200"]) == (UES, UES)
    assert counted["ims.registered"] == counted["ims.challenges"] == UES
    assert (counted["udm.served.Cx"], counted["udm.served.Sh"]) == (4 * UES, 8 * UES)
    assert counted.get("codec.unreadable", 0) == 0
